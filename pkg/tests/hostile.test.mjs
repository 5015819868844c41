// A host that means harm: what JavaScript gets of it is plain data, bounded, and refused with a code where it is refused.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Host, json, until } from "./support/host.mjs";

/** The module's memory. @type {WebAssembly.Memory[]} */
const memories = [];
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const made = await instantiate(...args);
  memories.push((made.instance ?? made).exports.memory);
  return made;
};
const { createTranscoder, fold, ThreadClient, threadfold, ThreadfoldError } = await import("threadfold");

/** Clients of the test that runs. @type {Set<{ close(): void }>} */
const clients = new Set();
afterEach(() => {
  for (const client of clients) client.close();
  clients.clear();
});

/** A client over a custom source, and the anomalies that it told. */
async function following(host, source = host.source()) {
  const anomalies = [];
  const client = new ThreadClient({ source, onAnomaly: (anomaly) => anomalies.push(anomaly) });
  clients.add(client);
  await client.connect();
  return { client, anomalies };
}

/** A client over HTTP, whose live stream is read by fetch. */
async function served(host, before, body) {
  const server = await host.serve(before);
  const anomalies = [];
  const source = threadfold({ base: server.base, threadId: "t1", transport: "fetch" });
  const client = new ThreadClient({ source, onAnomaly: (anomaly) => anomalies.push(anomaly) });
  try {
    await body({ client, anomalies });
  } finally {
    client.close();
    await server.stop();
  }
}

/** Begins an attempt that calls a tool, and gives how its arguments go on. */
function calling(host, id = "c1", name = "f") {
  host.start("r1");
  const attempt = `a${host.revision}`;
  let index = 0;
  return (args_delta) => {
    host.revision += 1;
    host.tell("delta", { attempt, revision: host.revision, index: index++, delta: { type: "tool_call_delta", id, name, args_delta } });
  };
}

const call = (client) => client.view.items.flatMap(({ parts = [] }) => parts).find(({ type }) => type === "tool_call");

const POISON = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":{"polluted":true}}}';

/** Every object of the value has the prototype of its literal, and nothing has got into those. */
function unpolluted(value) {
  assert.equal({}.polluted, undefined);
  assert.equal([].polluted, undefined);
  if (typeof value !== "object" || value === null) return;
  assert.equal(Object.getPrototypeOf(value), Array.isArray(value) ? Array.prototype : Object.prototype);
  for (const key of Object.getOwnPropertyNames(value)) unpolluted(Object.getOwnPropertyDescriptor(value, key)?.value ?? value[key]);
}

test("keys that name a prototype are keys: in arguments that stream, in rows, in events and in Facts", async () => {
  const host = new Host();
  const { client } = await following(host);
  const events = [];
  void (async () => {
    for await (const event of client.events()) events.push(event);
  })();
  await client.send("hello");
  const more = calling(host);
  for (const character of POISON) more(character);
  await until(() => call(client)?.args === POISON);
  unpolluted(client.view);
  assert.deepEqual(Object.keys(call(client).input), ["__proto__", "constructor", "a"]);
  // Blocks that nobody knows, and keys that no type has, are kept as they are.
  const unknown = JSON.parse(`{"type":"hologram","__proto__":{"polluted":true},"data":${POISON}}`);
  const content = [{ type: "tool_use", id: "c1", name: "__proto__", input: JSON.parse(POISON) }, unknown];
  host.commit(
    { run_id: "r1", step: 0, response: 0, message: JSON.parse(`{"__proto__":{"polluted":true},"id":"m","role":"Assistant","content":${JSON.stringify(content)}}`) },
    { run_id: "r1", state: { Ended: "NaturalEnd" } },
  );
  await until(() => client.view.run.state === "finished");
  unpolluted(client.view);
  unpolluted(client.facts());
  unpolluted(client.stats());
  await until(() => events.some(({ fact }) => fact?.type === "run_finished"));
  unpolluted(events);
  unpolluted(fold(host.rows));
  assert.deepEqual(Object.keys(client.facts().find(({ fact }) => fact.type === "tool_call").fact.input), ["__proto__", "constructor", "a"]);
});

test("threads, runs, calls and messages named after what every object has are like any other", async () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const host = new Host(name);
    const { client } = await following(host);
    host.commit({ run_id: name, message: { id: name, role: "User", content: [{ type: "text", text: name }] } }, { run_id: name, state: "Running" });
    const message = { id: `${name}-2`, role: "Assistant", content: [{ type: "tool_use", id: name, name, input: {} }] };
    host.commit({ run_id: name, step: 0, response: 0, message }, { run_id: name, state: { Ended: "NaturalEnd" } });
    await until(() => client.view.run?.state === "finished");
    assert.equal(client.view.run.run_id, name);
    assert.equal(call(client).id, name);
    unpolluted(client.view);
    for (const protocol of ["ai-sdk", "ag-ui", "managed-agents", "acp", "a2a"]) {
      const transcoder = await createTranscoder(protocol, { threadId: name });
      const chunks = client.facts().flatMap((fact) => transcoder.fact(fact)).concat(transcoder.finish());
      assert.ok(chunks.length > 2, protocol);
      unpolluted(chunks);
    }
  }
});

test("arguments of 10 MB stream and commit whole, and every look at them is cheap enough to take", async () => {
  const host = new Host();
  const { client, anomalies } = await following(host);
  await client.send("hello");
  const more = calling(host);
  const piece = "x".repeat(64 * 1024);
  more('{"text":"');
  for (let pieces = 0; pieces < 160; pieces += 1) more(piece);
  more('"}');
  await until(() => call(client)?.args.length === 160 * piece.length + 11);
  assert.equal(call(client).input.text.length, 160 * piece.length);
  const message = { id: "m", role: "Assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: { text: piece.repeat(160) } }] };
  host.commit({ run_id: "r1", step: 0, response: 0, message }, { run_id: "r1", state: { Ended: "NaturalEnd" } });
  await until(() => client.view.run.state === "finished");
  assert.equal(call(client).input.text.length, 160 * piece.length);
  assert.deepEqual(anomalies, []);
});

test("ids of 1 MB are ids, and a key of 1 MB is told in a line", async () => {
  const host = new Host();
  const { client, anomalies } = await following(host);
  const long = "i".repeat(1 << 20);
  host.commit({ run_id: long, message: { id: long, role: "User", content: [{ type: "text", text: "hi" }] } }, { run_id: long, state: "Running", [long]: 1 });
  const message = { id: `${long}2`, role: "Assistant", content: [{ type: "tool_use", id: long, name: long, input: {} }] };
  host.commit({ run_id: long, step: 0, response: 0, message });
  host.tell(long, {});
  await until(() => call(client)?.id === long && anomalies.length >= 2);
  assert.equal(client.view.items[0].run_id, long);
  assert.deepEqual([...new Set(anomalies.map(({ code }) => code))].sort(), ["unknown_event", "unknown_key"]);
  assert.ok(anomalies.every(({ message }) => message.length < 1100), anomalies.map(({ message }) => message.length).join());
});

test("of a key that comes twice the last one counts, as for JSON.parse", () => {
  const row = '{"seq":7,"seq":0,"time":1,"run_id":"x","run_id":"r","step":0,"response":0,"message":{"id":"m","role":"Assistant","content":[{"type":"text","text":"a","text":"b"}]}}';
  assert.deepEqual(fold(`[${row}]`), fold(JSON.stringify([JSON.parse(row)])));
});

test("sequence numbers past 2⁵³ are refused and named, wherever they stand", async () => {
  const said = (frontier, seq) => `{"contract":"threadfold/1","thread_id":"t1","epoch":"e","frontier":${frontier},"has_more":false,"messages":[],"runs":[{"seq":${seq},"run_id":"r","time":1,"state":"Running"}]}`;
  for (const [frontier, seq] of [["9007199254740992", "0"], ["0", "9007199254740993"], ["1e400", "0"], ["0", "18446744073709551616"], ["-7", "0"], ["0", "0.5"]]) {
    assert.throws(() => fold(said(frontier, seq)), (error) => error instanceof ThreadfoldError && error.code === "bad_argument" && /\d/.test(error.message), `${frontier} ${seq}`);
  }
  assert.equal(fold(said("9007199254740991", "9007199254740991")).length, 1);
  const host = new Host();
  host.commit({ run_id: "r", state: "Running" });
  const before = (request, response) => {
    if (!request.url.includes("/committed")) return false;
    response.writeHead(200, { "content-type": "application/json" }).end(said("9007199254740992", "0"));
    return true;
  };
  await served(host, before, async ({ client, anomalies }) => {
    client.connect().catch(() => {});
    await until(() => anomalies.some(({ code, message }) => code === "bad_page" && message.includes("9007199254740992")));
    assert.deepEqual(client.view.items, []);
  });
});

test("what is nested too deeply is refused with a code, and the stack stands", async () => {
  const deep = (levels) => "[".repeat(levels) + "]".repeat(levels);
  for (const levels of [129, 10_000, 5_000_000]) {
    assert.throws(() => fold(deep(levels)), (error) => error instanceof ThreadfoldError && error.code === "bad_argument", String(levels));
  }
  const host = new Host();
  const { client, anomalies } = await following(host);
  await client.send("hello");
  const more = calling(host);
  more(deep(200_000));
  host.tell("delta", JSON.parse(deep(1000)));
  await until(() => anomalies.some(({ code }) => code === "json_too_deep" || code === "json_syntax"));
  await until(() => call(client)?.args.length === 400_000);
  assert.equal(JSON.stringify(call(client).input), deep(128), "as deep as is shown");
});

test("bytes that are no UTF-8 become U+FFFD, in a stream cut anywhere", async () => {
  const host = new Host();
  const page = () => ({ ...host.page(), frontier: 0, messages: [], runs: [] });
  const before = (request, response) => {
    if (request.url.includes("/committed")) {
      json(response, 200, { ...page(), runs: [{ seq: 0, time: 1, run_id: "r1", state: "Running" }] });
      return true;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const opened = { contract: "threadfold/1", epoch: "e-1", frontier: 0, revision: 0, active: null };
    const start = { attempt: "a", revision: 1, started_after: 0, run_id: "r1", step: 0, response: 0 };
    response.write(`event: opened\ndata: ${JSON.stringify(opened)}\n\nevent: start\ndata: ${JSON.stringify(start)}\n\n`);
    const [head, tail] = JSON.stringify({ attempt: "a", revision: 2, index: 0, delta: { type: "text_delta", delta: "<>" } }).split("<>");
    const bytes = Buffer.concat([Buffer.from(`event: delta\ndata: ${head}`), Buffer.from([0x61, 0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0x62]), Buffer.from(`${tail}\n\n`)]);
    for (const byte of bytes) response.write(Buffer.of(byte));
    return true;
  };
  await served(host, before, async ({ client }) => {
    await client.connect();
    await until(() => client.view.items.some(({ parts }) => parts?.length > 0));
    const wanted = new TextDecoder().decode(Buffer.from([0x61, 0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0x62]));
    assert.deepEqual(client.view.items.flatMap(({ parts = [] }) => parts), [{ type: "text", text: wanted }]);
  });
});

test("an answer that has no end is not read to its end", async () => {
  const host = new Host();
  host.commit({ run_id: "r", state: "Running" });
  let written = 0;
  const before = (request, response) => {
    if (!request.url.includes("/committed")) return false;
    response.writeHead(200, { "content-type": "application/json" });
    const piece = Buffer.alloc(1 << 20, "x");
    const go = () => {
      while (!response.destroyed && written < 2 ** 30) {
        written += piece.length;
        if (!response.write(piece)) return void response.once("drain", go);
      }
    };
    go();
    return true;
  };
  await served(host, before, async ({ client, anomalies }) => {
    client.connect().catch(() => {});
    await until(() => anomalies.some(({ code, message }) => code === "read_failed" && message.includes("67108864")));
    assert.ok(written < 200 << 20, `${written} bytes were taken`);
  });
});

test("a flood of frames that mean nothing fills no memory and ends nothing", async () => {
  const host = new Host();
  const { client } = await following(host);
  await client.send("hello");
  const say = host.start("r1");
  const memory = () => memories.map(({ buffer }) => buffer.byteLength);
  const flood = () => {
    for (let frame = 0; frame < 20_000; frame += 1) {
      host.tell("delta", { attempt: `x${frame}`, revision: host.revision, index: 0, delta: { type: "text_delta", delta: "no" } });
      host.tell("ping", { epoch: "e-1", frontier: host.frontier, revision: host.revision });
    }
  };
  flood();
  const before = memory();
  assert.ok(before.length > 0);
  flood();
  flood();
  assert.deepEqual(memory(), before);
  say("still here");
  await until(() => client.view.items.some(({ parts = [] }) => parts.some(({ text }) => text === "still here")));
});
