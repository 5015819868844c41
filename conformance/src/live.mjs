// A live stream, read as it comes: events with their names, and what of the framing a client relies on.

import { Fault } from "./expect.mjs";

export class Live {
  events = [];
  /** Lines that no event of the contract has. */
  odd = [];
  carriageReturns = false;
  ended = false;
  #waiting = new Set();
  #stop = new AbortController();

  static async open(url, headers, patience) {
    const live = new Live();
    live.patience = patience;
    const early = setTimeout(() => live.#stop.abort(), patience);
    const response = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: live.#stop.signal });
    clearTimeout(early);
    live.status = response.status;
    live.headers = response.headers;
    if (response.status === 200) live.#read(response.body).catch(() => {}).finally(() => live.#end());
    else await response.body?.cancel();
    return live;
  }

  async #read(body) {
    let rest = "";
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      if (chunk.includes("\r")) this.carriageReturns = true;
      rest += chunk.replaceAll("\r\n", "\n");
      for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) this.#event(rest.slice(0, end));
    }
  }

  #event(block) {
    let name = "message";
    const data = [];
    for (const line of block.split("\n")) {
      const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
      if (field === "event") name = value;
      else if (field === "data") data.push(value);
      else if (field !== "" && field !== "retry") this.odd.push(line);
    }
    if (data.length === 0) return;
    let json;
    try {
      json = JSON.parse(data.join("\n"));
    } catch {
      this.odd.push(`data that is not JSON: ${data.join("\n").slice(0, 100)}`);
      return;
    }
    this.events.push({ name, data: json });
    this.#look();
  }

  #look() {
    for (const waiting of this.#waiting) waiting();
  }

  #end() {
    this.ended = true;
    this.#look();
  }

  of(...names) {
    return this.events.filter(({ name }) => names.includes(name));
  }

  /** The first answer of `look(events)` that is something; a fault when the patience or the stream ends. */
  until(what, look, patience = this.patience) {
    return new Promise((resolve, reject) => {
      const over = (settle, value) => {
        clearTimeout(late);
        this.#waiting.delete(check);
        settle(value);
      };
      const check = () => {
        const found = look(this.events);
        if (found !== undefined && found !== false && found !== null) over(resolve, found);
        else if (this.ended) over(reject, new Fault(`the stream ended before ${what}`));
      };
      const late = setTimeout(() => over(reject, new Fault(`in ${patience / 1000} s the stream did not show ${what}`)), patience);
      this.#waiting.add(check);
      check();
    });
  }

  close() {
    this.#stop.abort();
  }
}
