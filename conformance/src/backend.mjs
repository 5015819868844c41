// The backend's doors, as a client uses them.

import { randomUUID } from "node:crypto";
import { Fault } from "./expect.mjs";
import { Live } from "./live.mjs";

export class Backend {
  constructor({ base, headers = {}, patience = 30_000 }) {
    this.base = base.replace(/\/+$/, "");
    this.headers = headers;
    this.patience = patience;
    this.streams = new Set();
  }

  /** A name that nobody has used. */
  thread() {
    return `conformance-${randomUUID()}`;
  }

  path(thread, rest) {
    return `${this.base}/threads/${encodeURIComponent(thread)}/${rest}`;
  }

  async ask(url, { body, method = body === undefined ? "GET" : "POST" } = {}) {
    const headers = { accept: "application/json", ...this.headers, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(this.patience) });
    const text = await response.text();
    let json;
    try {
      json = JSON.parse(text);
    } catch {
      throw new Fault(`${method} ${url} answers ${response.status} with what is not JSON: ${text.slice(0, 100)}`);
    }
    return { status: response.status, headers: response.headers, json, what: `${method} ${url}` };
  }

  read(thread, query = {}) {
    return this.ask(this.path(thread, `committed?${new URLSearchParams(query)}`));
  }

  /** A page that must be there. */
  async page(thread, query) {
    const { status, json, what } = await this.read(thread, query);
    if (status !== 200) throw new Fault(`${what} answers ${status}: ${JSON.stringify(json)}`);
    return json;
  }

  /** All rows of the log, in its order. */
  async log(thread, limit = 1000) {
    const rows = [];
    for (let after = -1; ; ) {
      const page = await this.page(thread, { after, limit });
      const more = rowsOf(page);
      rows.push(...more);
      if (!page.has_more) return { ...page, rows };
      if (more.length === 0) throw new Fault(`a page after ${after} is empty and says has_more`);
      after = more.at(-1).seq;
    }
  }

  /** Begins a run. */
  async send(thread, text, more = {}) {
    const input = { message_id: `m-${randomUUID()}`, content: [{ type: "text", text }] };
    const body = { input, idempotency_key: randomUUID(), ...more };
    return { ...(await this.ask(this.path(thread, "runs"), { body })), body };
  }

  async begin(thread, text, more) {
    const sent = await this.send(thread, text, more);
    if (sent.status !== 202) throw new Fault(`a send is answered with ${sent.status}, and should be 202: ${JSON.stringify(sent.json)}`);
    return { ...sent.json, sent: sent.body };
  }

  command(thread, run, verb, body) {
    return this.ask(this.path(thread, `runs/${encodeURIComponent(run)}/${verb}`), { body: { idempotency_key: randomUUID(), ...body } });
  }

  /** The log, once the run has come to rest in a state that `wanted` takes. */
  async settled(thread, run, wanted = (state) => state !== "Running") {
    const end = Date.now() + this.patience;
    for (;;) {
      const log = await this.log(thread);
      const state = stateOf(log.rows, run);
      if (state && wanted(state.state)) return { ...log, state };
      if (Date.now() > end) throw new Fault(`the run ${run} is ${JSON.stringify(state?.state)} after ${this.patience / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async live(thread) {
    const live = await Live.open(this.path(thread, "live"), this.headers, this.patience);
    this.streams.add(live);
    return live;
  }

  close() {
    for (const live of this.streams) live.close();
  }
}

export const rowsOf = (page) => [...(page.messages ?? []), ...(page.runs ?? [])].sort((a, b) => a.seq - b.seq);
export const stateOf = (rows, run) => rows.findLast((row) => row.run_id === run && row.state !== undefined);
export const isEnded = (state) => typeof state === "object" && state !== null && "Ended" in state;
export const textOf = (message) => message.content.filter((block) => block.type === "text").map((block) => block.text).join("");
