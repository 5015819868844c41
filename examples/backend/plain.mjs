// The committed half of threadfold/1 with a plain live stream: the smallest backend that recovers.
import { createServer } from "node:http";

const threads = new Map(); // by id: rows, streams, and accepted sends by their key
const COMMIT = Symbol("the first seq of a row's commit");
const fail = (status, code) => { throw { status, code }; };
const terminal = (row) => row.state !== undefined && row.state !== "Running";

/** One commit: messages and a run's state, dense numbers, never changed again. */
const commit = (thread, run_id, messages, state) => {
  const first = thread.rows.length;
  const add = (row) => thread.rows.push({ seq: thread.rows.length, [COMMIT]: first, time: Date.now(), run_id, ...row });
  messages.forEach(add);
  if (state) add({ state });
};

async function answer(thread, run_id, prompt, signal) {
  let text = "";
  const say = (kind, more) => thread.streams.forEach((stream) => stream.write(`data: ${JSON.stringify({ event: { run_id, kind }, ...more })}\n\n`));
  const assistant_response = { thread_id: thread.id, step: 0, response: 0 };
  for (const word of `You said: ${prompt.repeat(8)}`.split(/(?<= )/)) { // your model here
    if (signal.aborted) break;
    text += word;
    say({ tier: "delta", event: { type: "text_delta", delta: word } }, { assistant_response });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const message = { id: `${run_id}-assistant-0`, role: "Assistant", content: [{ type: "text", text }] };
  commit(thread, run_id, text ? [{ step: 0, response: 0, message }] : [], { Ended: signal.aborted ? "Cancelled" : "NaturalEnd" });
  say({ tier: "fact", event: { type: "run_finished", exhausted: false } }); // only a hint to read
}

function send(id, { input, idempotency_key, on_active }) {
  const thread = threads.get(id) ?? { id, rows: [], keys: new Map(), streams: new Set(), runs: new Map() };
  threads.set(id, thread);
  if (thread.keys.has(idempotency_key)) return thread.keys.get(idempotency_key);
  const last = thread.rows.findLast((row) => row.state);
  if (last && !terminal(last)) on_active === "cancel" ? thread.runs.get(last.run_id).abort() : fail(409, "run_active");
  const run_id = `r-${crypto.randomUUID()}`;
  const accepted = { run_id, message_id: input.message_id, seq: thread.rows.length };
  commit(thread, run_id, [{ message: { id: input.message_id, role: "User", content: input.content } }], "Running");
  thread.keys.set(idempotency_key, accepted);
  thread.runs.set(run_id, new AbortController());
  answer(thread, run_id, input.content.map((block) => block.text ?? "").join(" "), thread.runs.get(run_id).signal);
  return accepted;
}

function committed(thread, query) {
  if (query.has("epoch") && query.get("epoch") !== "1") fail(409, "epoch_over");
  const [after, before, limit] = [["after", -1], ["before", Infinity], ["limit", 200]].map(([name, value]) => Number(query.get(name) ?? value));
  if (!(limit >= 1) || Number.isNaN(after + before)) fail(400, "bad_parameter");
  let rows = thread.rows.filter((row) => row.seq > after && row.seq < before);
  const whole = rows.length;
  const edge = rows.at(query.has("before") ? -limit : limit - 1)?.[COMMIT]; // a page splits no commit
  if (edge !== undefined && whole > limit) rows = rows.filter((row) => (query.has("before") ? row[COMMIT] >= edge : row[COMMIT] <= edge));
  const page = { messages: rows.filter((row) => row.message), runs: rows.filter((row) => row.state) };
  const frontier = thread.rows.length - 1;
  return { contract: "threadfold/1", thread_id: thread.id, epoch: "1", frontier, has_more: rows.length < whole, ...page };
}

export const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  const [, id, what, run, verb] = /^\/v1\/threads\/([^/]+)\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(pathname)?.map((part) => part && decodeURIComponent(part)) ?? [];
  const reply = (status, body) => response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
  try {
    if (request.method === "POST" && what === "runs" && !run) return reply(202, send(id, JSON.parse(Buffer.concat(await request.toArray()))));
    const thread = threads.get(id) ?? fail(404, "not_found");
    if (what === "committed") return reply(200, committed(thread, searchParams));
    if (verb === "cancel") return thread.runs.get(run)?.abort(), reply(202, { run_id: run });
    if (what === "runs") return reply(200, thread.rows.findLast((row) => row.run_id === run && row.state) ?? fail(404, "not_found"));
    if (what !== "live") fail(404, "not_found");
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }).flushHeaders();
    thread.streams.add(response);
    response.on("close", () => thread.streams.delete(response));
  } catch ({ status = 400, code = "bad_body", message = code }) {
    reply(status, { error: { code, message } });
  }
});
server.listen(Number(process.env.PORT ?? 8787), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
