// The whole contract threadfold/1 on Node alone: committed reads, commands, and the strict live stream. The log is a
// file per thread, one line per commit, so nothing is announced that a restart could forget.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { agent } from "./agent.mjs";

/** A new one whenever announced records are lost or rewritten, which appending never does. */
const EPOCH = "e-1";
const FOLDER = process.env.DATA ?? "threads";
mkdirSync(FOLDER, { recursive: true });
const fileOf = (id) => path.join(FOLDER, `${encodeURIComponent(id)}.jsonl`);

const refuse = (status, code, message) => {
  throw Object.assign(new Error(message), { status, code });
};

const threads = new Map();

class Thread {
  rows = [];
  /** The first seq of each row's commit: no page and no announcement splits one. */
  commits = [];
  keys = new Map();
  streams = new Set();
  runs = new Map();
  revision = 0;
  active = null;
  queue = [];

  constructor(id) {
    this.id = id;
    const file = fileOf(id);
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line)) : [];
    for (const { rows, key, accepted } of lines) this.#apply(rows, key, accepted);
    // A run that this process does not know any more has an outcome that nobody knows; one that waits goes on waiting.
    for (const run_id of new Set(this.rows.map((row) => row.run_id))) {
      const row = this.state(run_id);
      if (row.state === "Awaiting") this.runs.set(row.run_id, { aborter: new AbortController(), waits: row });
      else if (row.state === "Running") this.commit(row.run_id, [], { Ended: "Indeterminate" });
    }
  }

  static find(id, begin = false) {
    if (!threads.has(id) && (begin || existsSync(fileOf(id)))) threads.set(id, new Thread(id));
    return threads.get(id) ?? refuse(404, "not_found", `there is no thread ${id}`);
  }

  get frontier() {
    return this.rows.length - 1;
  }

  state(run_id) {
    return this.rows.findLast((row) => row.state && row.run_id === run_id) ?? refuse(404, "not_found", `there is no run ${run_id}`);
  }

  /** Writes messages and the run's state, and announces them once they are on disk. */
  commit(run_id, messages, state, { key, accepted, resume_ticket } = {}) {
    const time = Date.now();
    const made = [...messages, { state, ...(resume_ticket && { resume_ticket }) }];
    const rows = made.map((row, index) => ({ seq: this.rows.length + index, time, run_id, ...row }));
    appendFileSync(fileOf(this.id), `${JSON.stringify({ rows, key, accepted })}\n`, { flush: true });
    this.#apply(rows, key, accepted);
    this.announce("committed", { frontier: this.frontier, records: rows });
    return rows.at(-1);
  }

  #apply(rows, key, accepted) {
    const first = this.rows.length;
    for (const row of rows) {
      this.rows.push(row);
      this.commits.push(first);
    }
    if (key) this.keys.set(key, accepted);
  }

  page({ after = -1, before, limit = 200 }) {
    const end = before === undefined ? this.rows.length : Math.min(before, this.rows.length);
    const start = Math.max(after + 1, 0);
    let [from, to] = [start, end];
    if (before !== undefined) from = Math.max(start, this.commits[Math.max(end - limit, 0)] ?? 0);
    else if (end - start > limit) {
      to = start + limit;
      while (to < end && this.commits[to] === this.commits[to - 1]) to += 1;
    }
    const has_more = before === undefined ? to < end : from > start;
    return { contract: "threadfold/1", thread_id: this.id, epoch: EPOCH, frontier: this.frontier, has_more, ...sorted(this.rows.slice(from, to)) };
  }

  announce(name, data) {
    for (const stream of this.streams) stream(name, data);
  }

  /** One call of the model: its pieces are shown as they come, and its record ends it. */
  attempt(run_id, step) {
    const attempt = crypto.randomUUID();
    const deltas = [];
    const say = (name, more) => this.announce(name, { attempt, revision: ++this.revision, ...more });
    const at = { started_after: this.frontier, run_id, step, response: 0 };
    this.active = { attempt, ...at, next: 0, deltas };
    say("start", at);
    return {
      deltas,
      delta: (delta) => {
        join(deltas, delta);
        say("delta", { index: this.active.next++, delta });
      },
      end: (outcome) => {
        const index = this.active.next;
        this.active = null;
        say("end", { index, outcome });
      },
    };
  }

  follow(response) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" });
    const stream = (name, data) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    const now = () => ({ epoch: EPOCH, frontier: this.frontier, revision: this.revision });
    stream("opened", { contract: "threadfold/1", ...now(), active: this.active });
    this.streams.add(stream);
    const heart = setInterval(() => stream("ping", now()), Number(process.env.PING_MS ?? 15_000));
    response.on("close", () => {
      clearInterval(heart);
      this.streams.delete(stream);
    });
  }

  send({ input, idempotency_key: key, on_active = "reject" }) {
    if (!input?.message_id || !Array.isArray(input.content) || !key) refuse(400, "bad_body", "input.message_id, input.content and idempotency_key are needed");
    if (this.keys.has(key)) return this.keys.get(key);
    const run_id = `r-${crypto.randomUUID()}`;
    if (this.runs.size > 0 && on_active === "reject") refuse(409, "run_active", "a run is active in this thread");
    if (on_active === "cancel") for (const id of this.runs.keys()) this.cancel(id);
    const begin = () => {
      const accepted = { run_id, message_id: input.message_id, seq: this.rows.length };
      this.commit(run_id, [{ message: { id: input.message_id, role: "User", content: input.content } }], "Running", { key, accepted });
      this.drive(run_id, { aborter: new AbortController(), input });
      return accepted;
    };
    if (this.runs.size === 0) return begin();
    const accepted = { run_id, message_id: input.message_id };
    this.keys.set(key, accepted);
    this.queue.push(begin);
    return accepted;
  }

  resume(run_id, answer) {
    if (this.keys.has(answer.idempotency_key)) return this.keys.get(answer.idempotency_key);
    const row = this.state(run_id);
    const call = row.resume_ticket?.target.ToolCall;
    if (row.state !== "Awaiting" || call.call_id !== answer.correlation_id) refuse(409, "already_resolved", "nothing waits for this answer any more");
    const accepted = { run_id };
    const said = answer.content ?? [{ type: "text", text: answer.approve ? "done" : `refused: ${answer.reason ?? "no reason given"}` }];
    const result = { type: "tool_result", tool_use_id: call.call_id, content: said, is_error: answer.is_error ?? answer.approve === false };
    const message = { id: `tool-${call.call_id}`, role: "Tool", content: [result] };
    this.commit(run_id, [{ message }], "Running", { key: answer.idempotency_key, accepted });
    const { aborter } = this.runs.get(run_id);
    const first = this.rows.find((row) => row.run_id === run_id && row.message?.role === "User");
    this.drive(run_id, { aborter, input: first.message, result });
    return accepted;
  }

  cancel(run_id) {
    const run = this.runs.get(run_id) ?? refuse(409, "no_active_run", `the run ${run_id} is over`);
    run.aborter.abort();
    // A run that waits has nobody at work who would notice.
    if (run.waits) this.over(run_id, [], { Ended: "Cancelled" });
    if (this.runs.size === 0) this.queue.shift()?.();
    return { run_id };
  }

  over(run_id, messages, state) {
    this.runs.delete(run_id);
    this.commit(run_id, messages, state);
  }

  /** Asks the agent for its next response and commits what came, whoever is listening. */
  async drive(run_id, { aborter, input, result }) {
    this.runs.set(run_id, { aborter });
    const step = this.rows.filter((row) => row.run_id === run_id && row.message?.role === "Assistant").length;
    const attempt = this.attempt(run_id, step);
    let awaiting = null;
    let state = { Ended: "NaturalEnd" };
    try {
      for await (const piece of agent(input.content, result, aborter.signal)) {
        if (aborter.signal.aborted) break;
        if (piece.await) awaiting = piece.await;
        else attempt.delta(piece);
      }
    } catch (error) {
      state = { Ended: { Error: { Inference: { code: error.code ?? "model_failed", message: error.message } } } };
    }
    if (aborter.signal.aborted) [state, awaiting] = [{ Ended: "Cancelled" }, null];
    const content = attempt.deltas.map(block);
    const messages = content.length > 0 ? [{ step, response: 0, message: { id: `${run_id}-assistant-${step}`, role: "Assistant", content } }] : [];
    const seq = this.rows.length;
    if (awaiting) {
      const call = content.find((block) => block.type === "tool_use");
      const target = { ToolCall: { reason: awaiting, call_id: call.id, tool: { tool_id: call.name, arguments: call.input } } };
      this.runs.set(run_id, { aborter, waits: this.commit(run_id, messages, "Awaiting", { resume_ticket: { target } }) });
    } else this.over(run_id, messages, state);
    attempt.end(messages.length > 0 ? { kind: "committed", seq } : { kind: "abandoned" });
    if (this.runs.size === 0) this.queue.shift()?.();
  }
}

const sorted = (rows) => ({ messages: rows.filter((row) => row.message), runs: rows.filter((row) => row.state) });

/** Adjacent Deltas of one kind and call are joined in what a newcomer gets. */
function join(deltas, delta) {
  const last = deltas.at(-1);
  const field = delta.type === "tool_call_delta" ? "args_delta" : "delta";
  if (last?.type === delta.type && last.id === delta.id) deltas[deltas.length - 1] = { ...last, [field]: last[field] + delta[field] };
  else deltas.push(delta);
}

/** What joined Deltas come to in the committed message. */
function block({ type, delta, id, name, args_delta }) {
  if (type === "tool_call_delta") return { type: "tool_use", id, name, input: JSON.parse(args_delta || "{}") };
  return { type: type === "text_delta" ? "text" : "thinking", text: delta };
}

function number(query, name, least) {
  if (!query.has(name)) return undefined;
  const value = Number(query.get(name));
  if (!Number.isInteger(value) || value < least) refuse(400, "bad_parameter", `${name} is a whole number, at least ${least}`);
  return value;
}

async function serve(request, response) {
  const { pathname, searchParams: query } = new URL(request.url, "http://localhost");
  const [, id, what, run, verb] = /^\/v1\/threads\/([^/]+)\/(committed|live|runs)(?:\/([^/]+))?(?:\/(resume|cancel))?$/.exec(pathname)?.map((part) => part && decodeURIComponent(part)) ?? [];
  const reply = (status, body) => response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
  try {
    const body = request.method === "POST" ? JSON.parse(Buffer.concat(await request.toArray()).toString() || "{}") : null;
    if (body && what === "runs" && !run) return reply(202, Thread.find(id, true).send(body));
    const thread = Thread.find(id);
    if (verb) return reply(202, verb === "resume" ? thread.resume(run, body) : thread.cancel(run));
    if (what === "live") return thread.follow(response);
    if (what === "runs") return reply(200, thread.state(run));
    if (query.has("epoch") && query.get("epoch") !== EPOCH) refuse(409, "epoch_over", `the log is ${EPOCH} now`);
    reply(200, thread.page({ after: number(query, "after", -1), before: number(query, "before", 0), limit: number(query, "limit", 1) }));
  } catch (error) {
    reply(error.status ?? 400, { error: { code: error.code ?? "bad_body", message: error.message } });
  }
}

const server = createServer(serve).listen(Number(process.env.PORT ?? 8787), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
