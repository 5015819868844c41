// A host in memory that serves one thread: as a custom source, or over HTTP.

import { createServer } from "node:http";

/** The log of one thread and its live listeners. */
export class Host {
  epoch = "e-1";
  rows = [];
  revision = 0;
  /** What each open stream is told by: (name, data). */
  listeners = new Set();
  reads = 0;
  requests = [];

  constructor(threadId = "t1") {
    this.threadId = threadId;
  }

  get frontier() {
    return this.rows.length - 1;
  }

  page(after = -1) {
    const rows = this.rows.filter((row) => row.seq > after);
    return {
      contract: "threadfold/1",
      thread_id: this.threadId,
      epoch: this.epoch,
      frontier: this.frontier,
      has_more: false,
      messages: rows.filter((row) => row.message),
      runs: rows.filter((row) => row.state),
    };
  }

  opened() {
    return { contract: "threadfold/1", epoch: this.epoch, frontier: this.frontier, revision: this.revision, active: null };
  }

  tell(name, data) {
    for (const listener of [...this.listeners]) listener(name, data);
  }

  commit(...rows) {
    const numbered = rows.map((row, index) => ({ seq: this.rows.length + index, time: 1, ...row }));
    this.rows.push(...numbered);
    this.tell("committed", { frontier: this.frontier, records: numbered });
    return numbered;
  }

  start(run_id, step = 0) {
    this.revision += 1;
    const attempt = `a${this.revision}`;
    this.tell("start", { attempt, revision: this.revision, started_after: this.frontier, run_id, step, response: 0 });
    let index = 0;
    return (text) => {
      this.revision += 1;
      this.tell("delta", { attempt, revision: this.revision, index: index++, delta: { type: "text_delta", delta: text } });
    };
  }

  send({ input }) {
    const [said] = this.commit(
      { run_id: "r1", message: { id: input.message_id, role: "User", content: input.content } },
      { run_id: "r1", state: "Running" },
    );
    return { run_id: "r1", message_id: input.message_id, seq: said.seq };
  }

  answer(text, run_id = "r1") {
    const message = { id: `${run_id}-assistant-0`, role: "Assistant", content: [{ type: "text", text }] };
    this.commit({ run_id, step: 0, response: 0, message }, { run_id, state: { Ended: "NaturalEnd" } });
  }

  /** This host as a custom source. */
  source(more = {}) {
    return {
      openLive: (sink, signal) => {
        const listener = (name, data) => sink.event(name, data);
        this.listeners.add(listener);
        signal.addEventListener("abort", () => this.listeners.delete(listener));
        sink.event("opened", this.opened());
      },
      readCommitted: ({ after }) => {
        this.reads += 1;
        return this.page(after);
      },
      send: (request) => this.send(request),
      ...more,
    };
  }

  /** This host over HTTP. `before(request, response)` may answer instead, by returning true. */
  async serve(before = () => false) {
    const server = createServer(async (request, response) => {
      this.requests.push({ method: request.method, url: request.url, headers: request.headers });
      if (before(request, response)) return;
      const { pathname, searchParams } = new URL(request.url, "http://localhost");
      if (pathname.endsWith("/live")) return this.#stream(response);
      if (pathname.endsWith("/committed")) {
        this.reads += 1;
        return json(response, 200, this.page(Number(searchParams.get("after"))));
      }
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString() || "null");
      json(response, 202, this.send(body));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      base: `http://127.0.0.1:${server.address().port}/v1`,
      cut: () => server.closeAllConnections(),
      stop: () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      },
    };
  }

  #stream(response) {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    const listener = (name, data) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    listener("opened", this.opened());
    this.listeners.add(listener);
    response.on("close", () => this.listeners.delete(listener));
  }
}

export function json(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Waits until `wanted()` is true; the test's own time limit ends it otherwise. */
export async function until(wanted) {
  while (!wanted()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export const turn = () => new Promise((resolve) => setTimeout(resolve));
