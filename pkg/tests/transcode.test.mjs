// A thread's events in the words of other protocols: one by one, and as a stream beside a client.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTranscoder, ThreadClient, ThreadfoldError } from "threadfold";
import { Host, turn, until } from "./support/host.mjs";

const coded = (code, about = /./) => (error) => error instanceof ThreadfoldError && error.code === code && about.test(error.message);
const types = (chunks) => chunks.map((chunk) => chunk.type ?? chunk);

const RUN = { position: { seq: 1, index: 0 }, run_id: "r", fact: { type: "run_started" } };
const COORDINATE = { run_id: "r", step: 0, response: 0 };
const hello = (text) => ({
  position: { seq: 2, index: 2 }, run_id: "r", message_id: "m", coordinate: COORDINATE,
  fact: { type: "assistant_message", id: "m", content: [{ type: "text", text }] },
});
const live = (delta) => ({ run_id: "r", coordinate: COORDINATE, delta: { type: "text_delta", delta } });

async function all(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** A client that follows `host`, with a first message sent. */
async function following(host = new Host()) {
  const client = new ThreadClient({ source: host.source() });
  await client.connect();
  await client.send("hi", { messageId: "u1" });
  return { host, client };
}

test("a transcoder takes Facts and Deltas one by one, and says what it takes back", async () => {
  const seven = await createTranscoder("ai-sdk", { version: 7 });
  assert.deepEqual(types(seven.fact(RUN)), ["start"]);
  assert.deepEqual(types(seven.delta(live("hal"))), ["start-step", "text-start", "text-delta"]);
  assert.deepEqual(types(seven.fact(hello("hello"))), ["text-end", "reset-step", "text-start", "text-delta", "text-end"]);
  assert.deepEqual(seven.finish(), ["cut"]);
  const six = await createTranscoder("ai-sdk");
  six.fact(RUN);
  six.delta(live("hal"));
  assert.deepEqual(types(six.fact(hello("hello"))).slice(0, 2), ["text-end", "cut"]);
  assert.equal(six.skipped, 0);
});

test("what is no protocol, no version and no event is told", async () => {
  await assert.rejects(createTranscoder("morse"), coded("bad_argument", /unknown protocol/));
  await assert.rejects(createTranscoder("ai-sdk", { version: 5 }), coded("bad_argument", /unknown version/));
  const transcoder = await createTranscoder("ag-ui", { threadId: "t" });
  assert.throws(() => transcoder.fact({ run_id: "r" }), coded("bad_argument"));
});

test("a stream is the run's part that is under way, from its beginning, and ends with it", async () => {
  const { host, client } = await following();
  const say = host.start("r1");
  say("Hel");
  await until(() => client.stats().deltas === 1);
  const reading = all(client.transcode("ai-sdk"));
  await turn();
  say("lo");
  host.answer("Hello");
  const chunks = await reading;
  assert.deepEqual(types(chunks), ["start", "start-step", "text-start", "text-delta", "text-delta", "text-end", "finish-step", "finish"]);
  assert.deepEqual(chunks[0], { type: "start", messageId: "r1" });
  // Over by now; the last part is still there for who comes late, under the same ids.
  const late = await all(client.transcode("ai-sdk"));
  assert.deepEqual(late.filter((chunk) => chunk.id).map((chunk) => chunk.id), ["r1-0-0", "r1-0-0", "r1-0-0"]);
  client.close();
});

test("bytes have the protocol's framing", async () => {
  const { host, client } = await following();
  host.answer("Hello");
  const text = async (name) => Buffer.concat(await all(client.transcode(name, { as: "bytes" }))).toString();
  const sdk = await text("ai-sdk");
  assert.ok(sdk.startsWith('data: {"type":"start","messageId":"r1"}\n\n') && sdk.endsWith("data: [DONE]\n\n"), sdk);
  const ui = await text("ag-ui");
  assert.ok(ui.startsWith('data: {"type":"RUN_STARTED","threadId":"') && !ui.includes("[DONE]"), ui);
  client.close();
});

test("the other protocols are streams too, each in its framing", async () => {
  const { host, client } = await following();
  host.answer("Hello");
  const text = async (name, options) => Buffer.concat(await all(client.transcode(name, { as: "bytes", ...options }))).toString();
  const lines = (await text("acp", { threadId: "s", requestId: 7 })).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ method, params }) => params?.update?.content?.text ?? method), ["Hello", undefined]);
  assert.deepEqual(lines.at(-1), { jsonrpc: "2.0", id: 7, result: { stopReason: "end_turn" } });
  assert.match(await text("managed-agents"), /^event: message\ndata: {"type":"agent.message","id":"r1-0-0"/);
  assert.match(await text("a2a", { threadId: "c" }), /^data: {"task":{"id":"r1","contextId":"c"/);
  client.close();
});

test("next is the part that begins after the call, and a run's is that run's", async () => {
  const { host, client } = await following();
  host.answer("one");
  await until(() => client.view.run?.state === "finished");
  const next = all(client.transcode("ai-sdk", { from: "next" }));
  const second = all(client.transcode("ai-sdk", { run: "r2" }));
  host.commit({ run_id: "r2", message: { id: "u2", role: "User", content: [{ type: "text", text: "more" }] } }, { run_id: "r2", state: "Running" });
  host.answer("two", "r2");
  for (const chunks of [await next, await second]) {
    assert.equal(chunks[0].messageId, "r2");
    assert.equal(chunks.find((chunk) => chunk.type === "text-delta").delta, "two");
  }
  const first = await all(client.transcode("ai-sdk", { run: "r1" }));
  assert.equal(first[0].messageId, "r1");
  client.close();
});

test("a stream that can't be completed is an error: cut, closed or aborted", async () => {
  const { host, client } = await following();
  host.start("r1")("something else");
  await until(() => client.stats().deltas === 1);
  const stream = client.transcode("ai-sdk");
  const seven = client.transcode("ai-sdk", { version: 7 });
  const ui = client.transcode("ag-ui");
  const aborted = client.transcode("ai-sdk", { signal: AbortSignal.abort(new Error("left")) });
  await assert.rejects(all(aborted), /left/);
  const readers = [stream, seven, ui].map((one) => one.getReader());
  for (const reader of readers) await reader.read();
  host.answer("Hello");
  const rest = async (reader) => {
    const chunks = [];
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    return chunks;
  };
  await assert.rejects(rest(readers[0]), coded("cut"));
  assert.equal((await rest(readers[1])).at(-1).type, "finish");
  const told = await rest(readers[2]);
  const snapshot = told.find((event) => event.type === "MESSAGES_SNAPSHOT");
  assert.deepEqual(snapshot.messages[0], { id: "u1", role: "user", content: "hi" }, "what the person said is in it");
  assert.equal(told.at(-1).type, "RUN_FINISHED");
  host.commit({ run_id: "r2", state: "Running" });
  const open = client.transcode("ai-sdk", { run: "r2" });
  const reader = open.getReader();
  await reader.read();
  const never = client.transcode("ai-sdk", { run: "r3" });
  client.close();
  await assert.rejects(rest(reader), coded("closed"));
  await assert.rejects(all(never), coded("closed"));
});

/** Every wire and client version, and where it says how a run failed. */
const WIRES = [
  ["ai-sdk", { version: 6 }, (all) => all.find(({ type }) => type === "error")?.errorText],
  ["ai-sdk", { version: 7 }, (all) => all.find(({ type }) => type === "error")?.errorText],
  ["ag-ui", {}, (all) => (all.at(-1).type === "RUN_ERROR" ? `${all.at(-1).code}: ${all.at(-1).message}` : undefined)],
  ["managed-agents", {}, (all) => all.find(({ type }) => type === "session.error")?.error.message],
  ["acp", {}, (all) => all.at(-1).error?.message],
  ["a2a", {}, (all) => all.find(({ statusUpdate }) => statusUpdate?.status.state === "TASK_STATE_FAILED")?.statusUpdate.status.message.parts[0].text],
];

test("a run that failed, and one whose outcome nobody knows, are errors on every wire", async () => {
  for (const [state, code] of [[{ Ended: "Indeterminate" }, "indeterminate"], [{ Ended: { Error: { Inference: { code: "overloaded", message: "no" } } } }, "overloaded"]]) {
    const { host, client } = await following();
    host.commit({ run_id: "r1", state });
    for (const [name, options, failure] of WIRES) {
      const told = failure(await all(client.transcode(name, options)));
      assert.ok(told?.startsWith(`${code}: `), `${name}: ${told}`);
    }
    client.close();
  }
});

test("a stream that stops early is an error on every wire, and so is one that took back what its protocol can't", async () => {
  for (const [name, options] of WIRES) {
    const { host, client } = await following();
    host.start("r1")("hal");
    await until(() => client.stats().deltas === 1);
    const retracted = all(client.transcode(name, options)).then(() => "whole", (error) => error.code);
    await turn();
    const another = new ThreadClient({ source: host.source() });
    await another.connect();
    const early = all(another.transcode(name, options));
    await turn();
    another.close();
    await assert.rejects(early, coded("closed"), name);
    host.answer("Hello");
    assert.equal(await retracted, name === "acp" || options.version === 6 ? "cut" : "whole", name);
    // Asked again, the whole of it is there.
    assert.match(JSON.stringify(await all(client.transcode(name, options))), /Hello/, name);
    client.close();
  }
});

test("a reader that is slow loses Deltas, and the Fact says what is missing", async () => {
  const { host, client } = await following();
  const stream = client.transcode("ai-sdk");
  const reader = stream.getReader();
  assert.equal((await reader.read()).value.type, "start");
  const say = host.start("r1");
  const words = Array.from({ length: 3000 }, (_, n) => `${n} `);
  for (const word of words) {
    say(word);
    // Neighbours that come in one turn are joined.
    client.retry();
    await undefined;
  }
  await until(() => client.stats().deltas === words.length);
  host.answer(words.join(""));
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value.delta ?? "";
  assert.equal(text, words.join(""), "once, and nothing twice");
  client.close();
});

test("handlers of one's own see the whole thread, and a Fact without a handler is an error at once", async () => {
  const { host, client } = await following();
  const seen = [];
  const note = (name) => (event) => {
    seen.push(name);
    return [{ name, run: event.run_id }];
  };
  const facts = Object.fromEntries(
    ["run_started", "assistant_message", "assistant_thinking", "tool_call", "tool_result", "awaiting", "continuation", "run_finished", "run_failed"]
      .map((kind) => [kind, note(kind)]),
  );
  const { run_failed, ...missing } = facts;
  assert.throws(() => client.transcode({ fact: missing }), coded("bad_argument", /run_failed/));
  assert.throws(() => client.transcode({ delta() {} }), coded("bad_argument", /run_started/));
  await assert.rejects(createTranscoder({ fact: missing }), coded("bad_argument", /run_failed/));
  const reading = all(client.transcode({ fact: facts, delta: note("delta"), said: ({ message }) => [{ name: message.id }] }));
  const bytes = all(client.transcode({ fact: (event) => [event.fact.type] }, { as: "bytes" }));
  await turn();
  host.start("r1")("Hel");
  await until(() => seen.includes("delta"));
  host.answer("Hello");
  await until(() => seen.includes("run_finished"));
  client.close();
  assert.deepEqual((await reading).map(({ name }) => name), ["u1", "run_started", "delta", "assistant_message", "run_finished"]);
  assert.match(Buffer.concat(await bytes).toString(), /^data: "run_started"\n\n/);
});

test("handlers of one's own as a transcoder, one event at a time", async () => {
  const mine = await createTranscoder({ fact: ({ fact }) => [fact.type], reset: ({ run_id }) => [run_id ?? "all"] });
  assert.deepEqual([mine.fact(RUN), mine.delta(live("hal")), mine.reset(), mine.finish()], [["run_started"], [], ["all"], []]);
});

test("handlers that throw end their stream alone", async () => {
  const { host, client } = await following();
  const broken = client.transcode({ fact() { throw new Error("mine"); } });
  await assert.rejects(all(broken), /mine/);
  host.answer("Hello");
  assert.equal((await all(client.transcode("ai-sdk"))).at(-1).type, "finish");
  client.close();
});
