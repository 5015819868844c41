// A session of a dsh host, over a socket and calls that are played here, in Node.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { dsh, ThreadClient, ThreadfoldError } from "threadfold";
import { until } from "./support/host.mjs";

const HEADER = { version: 4, id: "s1" };
const kept = { WebSocket: globalThis.WebSocket, fetch: globalThis.fetch, setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
afterEach(() => {
  Object.assign(globalThis, kept);
  delete performance.now;
});

/** Time stands still from here on, and goes on by `pass(ms)` alone: with what waits for longer than a second, in order. */
function playedTime() {
  let now = Math.ceil(performance.now());
  const waiting = new Set();
  performance.now = () => now;
  globalThis.setTimeout = (action, pause, ...rest) => {
    if (!(pause > 1000)) return kept.setTimeout(action, pause, ...rest);
    const timer = { at: Math.ceil(now + pause), action };
    waiting.add(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => waiting.delete(timer) || kept.clearTimeout(timer);
  return (ms) => {
    const end = now + ms;
    for (;;) {
      const [next] = [...waiting].sort((one, other) => one.at - other.at);
      if (!next || next.at > end) break;
      waiting.delete(next);
      now = next.at;
      next.action();
    }
    now = end;
  };
}

/** A host that plays its part by hand. */
class Played {
  sockets = [];
  posted = [];
  entered = 0;
  /** Whoever logs in gets no answer. */
  hangs = false;
  /** What a call is answered: status and body. */
  answer = () => [200, { ok: true, value: {} }];

  constructor() {
    const host = this;
    globalThis.WebSocket = class {
      readyState = 0;
      sent = [];
      constructor(address) {
        this.address = address;
        host.sockets.push(this);
      }
      open() {
        this.readyState = 1;
        this.onopen();
      }
      send(text) {
        this.sent.push(JSON.parse(text));
      }
      close(code) {
        this.readyState = 3;
        this.closedWith = code;
      }
      lose(code = 1006) {
        this.readyState = 3;
        this.onclose({ code, reason: "" });
      }
      /** An item of the session's stream. */
      item(value) {
        const { streamId } = this.sent.findLast(({ endpoint }) => endpoint === "session/follow");
        this.onmessage({ data: JSON.stringify({ type: "item", streamId, value }) });
      }
    };
    globalThis.fetch = async (address, options = {}) => {
      const url = new URL(address);
      if (url.searchParams.has("token")) {
        this.entered += 1;
        if (this.hangs) return new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason)));
        return new Response("", { status: 200 });
      }
      const call = JSON.parse(options.body);
      this.posted.push({ path: url.pathname, ...call });
      const [status, result, type = "application/json"] = this.answer(call);
      if (status === "never") return new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(new Error("aborted"))));
      return new Response(typeof result === "string" ? result : JSON.stringify({ type: "server-response", rpcId: call.rpcId, result }), { status, headers: { "content-type": type } });
    };
  }

  get socket() {
    return this.sockets.at(-1);
  }

  /** The socket is accepted, and the session is as it is. */
  async accept(snapshot = {}) {
    await until(() => this.socket?.readyState === 0);
    this.socket.open();
    this.socket.item({ type: "snapshot", header: HEADER, cursor: -1, records: [], hasMore: false, assistantStream: { revision: 0 }, ...snapshot });
  }
}

const event = (seq, type, data, more = {}) => ({ type: "event", event: { type, seq, time: 1, data, ...more } });
const frame = (revision, type, more) => ({ type: "assistant-stream", frame: { type, attemptId: "a", revision, ...more } });
const followed = (options = {}) => new ThreadClient({ source: dsh({ url: "http://dsh.test/sub", sessionId: "s1", ...options }) });

test("a session is followed from the first chunk to the settlement, under one key", async () => {
  const host = new Played();
  const client = followed();
  const connected = client.connect();
  await host.accept();
  await connected;
  assert.equal(host.socket.address, "ws://dsh.test/sub/api/remote.mux");
  host.socket.item(event(0, "turn/start", { turn: 1 }));
  host.socket.item(frame(1, "start", { startedAfterSeq: 0, turn: 1, step: 1 }));
  host.socket.item(frame(2, "chunk", { index: 0, time: 1, chunk: { type: "text-delta", index: 0, text: "Hel" } }));
  await until(() => client.view.items[0]?.parts[0]?.text === "Hel");
  const { key, origin } = client.view.items[0];
  assert.equal(origin, "preview");
  const stream = [{ type: "text-chunks", time0: 1, index: 0, dt: [], texts: ["Hel"] }];
  const message = { id: "m", role: "assistant", content: [{ type: "text", text: "Hel" }] };
  host.socket.item(event(1, "assistant/message", { turn: 1, step: 1, message, stream }, { surfaceOp: "append" }));
  host.socket.item(frame(3, "end", { index: 1, outcome: { kind: "committed", eventType: "assistant/message", seq: 1 } }));
  host.socket.item(event(2, "turn/end", { turn: 1, reason: { kind: "completed" } }));
  await until(() => client.view.run?.state === "finished");
  assert.deepEqual([client.view.items[0].key, client.view.items[0].origin], [key, "committed"]);
  client.close();
  assert.equal(host.socket.closedWith, 1000);
});

test("what comes alone, with nothing behind it, is shown, and brings its deadline with it", { timeout: 20_000 }, async () => {
  const host = new Played();
  // The deadlines that are far away would show it too.
  globalThis.setTimeout = (action, pause, ...rest) => kept.setTimeout(pause > 5000 ? () => {} : action, pause, ...rest);
  const client = followed();
  client.connect();
  await until(() => host.socket?.readyState === 0);
  host.socket.open();
  host.socket.item({ type: "snapshot", header: HEADER, cursor: -1, records: [], hasMore: false, assistantStream: { revision: 0 } });
  await until(() => client.view.status.state === "live");
  host.socket.item(frame(1, "start", { startedAfterSeq: -1, turn: 1, step: 1 }));
  await until(() => client.view.items.length === 1);
  for (const [index, text] of ["one", " two"].entries()) {
    host.socket.item(frame(2 + index, "chunk", { index, time: 1, chunk: { type: "text-delta", index: 0, text } }));
    await until(() => client.view.items[0].parts[0]?.text.endsWith(text));
  }
  // A frame is missing: the stream is opened again in its time, though nothing more comes.
  const follows = () => host.socket.sent.filter(({ endpoint }) => endpoint === "session/follow").length;
  assert.equal(follows(), 1);
  host.socket.item(frame(5, "chunk", { index: 3, time: 1, chunk: { type: "text-delta", index: 0, text: "!" } }));
  await until(() => follows() === 2);
  assert.equal(client.view.items[0].parts[0].text, "one two");
  client.close();
});

test("a session that rests is asked for a sign of life once in a silent minute, and otherwise left alone", async () => {
  const host = new Played();
  const pass = playedTime();
  const client = followed();
  const connected = client.connect();
  await host.accept();
  await connected;
  const { socket } = host;
  const opened = socket.sent.length;
  for (let minute = 1; minute <= 5; minute += 1) {
    pass(59_000);
    assert.equal(socket.sent.length, opened + minute - 1);
    pass(2_000);
    assert.equal(socket.sent.length, opened + minute);
    const { streamId, ...asked } = socket.sent.at(-1);
    assert.deepEqual(asked, { type: "open", endpoint: "session/follow", payload: { args: {} } });
    // As the shipping host answers.
    const error = { code: "gateway/arguments-invalid", message: 'missing "request"', details: { endpoint: "session/follow" } };
    socket.onmessage({ data: JSON.stringify({ type: "error", streamId, error }) });
  }
  assert.deepEqual([host.sockets.length, host.posted.length, client.view.status.state], [1, 0, "live"]);
  client.close();
});

test("a socket that gives no sign of life is given up, and the next one brings what was missed", async () => {
  const host = new Played();
  const pass = playedTime();
  const odd = [];
  const client = new ThreadClient({ source: dsh({ url: "http://dsh.test/", sessionId: "s1" }), onAnomaly: ({ code }) => odd.push(code) });
  const connected = client.connect();
  await host.accept();
  await connected;
  const { socket } = host;
  pass(61_000);
  pass(13_000);
  assert.deepEqual([host.sockets.length, socket.readyState, odd], [1, 1, []]);
  pass(3_000);
  assert.equal(socket.closedWith, 1000);
  pass(1_000);
  const message = { id: "u", role: "user", content: [{ type: "text", text: "hi" }], source: { kind: "user" } };
  await host.accept({ cursor: 0, records: [event(0, "user/message", message, { surfaceOp: "append" })] });
  await until(() => client.view.items.length === 1);
  assert.deepEqual([host.sockets.length, client.view.status.state, odd], [2, "live", ["half_open"]]);
  client.close();
});

test("a prompt, a cancel and their answers go by calls with the host's names", async () => {
  const host = new Played();
  host.answer = ({ method }) => [200, method === "session/cancel" ? { ok: false, error: { code: "session/not-found", message: "no" } } : { ok: true, value: { accepted: true } }];
  const client = followed();
  client.connect();
  await host.accept();
  await client.send("hello", { messageId: "m1" });
  const { path, payload } = host.posted.at(-1);
  assert.equal(path, "/sub/api/session/prompt");
  assert.deepEqual(payload.args.request, { requestId: "m1", sessionId: "s1", mode: "queue", content: [{ type: "text", text: "hello" }] });
  client.close();
});

test("with a token the cookie is fetched before the socket, and again when a call finds it gone", async () => {
  const host = new Played();
  const client = followed({ token: "t" });
  client.connect();
  await host.accept();
  assert.equal(host.entered, 1);
  let refused = 1;
  host.answer = () => (refused-- > 0 ? [401, "unauthorized", "text/plain"] : [200, { ok: true, value: { accepted: true } }]);
  await client.send("hello");
  assert.deepEqual([host.entered, host.posted.length], [2, 2]);
  client.close();
});

test("a login without an answer is given up, and the socket is opened all the same", { timeout: 20_000 }, async () => {
  const host = new Played();
  host.hangs = true;
  const client = followed({ token: "t", timeout: 50 });
  const connected = client.connect();
  await host.accept();
  await connected;
  assert.equal(host.entered, 1);
  client.close();
});

for (const [what, answer, expected] of [
  ["401", [401, "no", "text/plain"], { state: "unauthorized" }],
  ["403", [403, "no", "text/plain"], { state: "unauthorized" }],
]) {
  test(`a socket that is refused with ${what} is told so, though a browser does not say`, async () => {
    const host = new Played();
    host.answer = () => answer;
    const client = followed();
    const connected = client.connect();
    await until(() => host.socket);
    host.socket.lose();
    await assert.rejects(connected, (error) => error instanceof ThreadfoldError && error.code === "unauthorized");
    assert.deepEqual(client.view.status, expected);
    client.close();
  });
}

test("HTML at the address is named, and what is shown stays", async () => {
  const host = new Played();
  const odd = [];
  const client = new ThreadClient({ source: dsh({ url: "http://dsh.test/", sessionId: "s1" }), onAnomaly: ({ code }) => odd.push(code) });
  client.connect();
  const message = { id: "u", role: "user", content: [{ type: "text", text: "hi" }], source: { kind: "user" } };
  await host.accept({ cursor: 0, records: [{ type: "event", event: event(0, "user/message", message, { surfaceOp: "append" }).event }] });
  await until(() => client.view.items.length === 1);
  host.answer = () => [200, "<!doctype html>", "text/html"];
  host.socket.lose();
  await until(() => host.sockets.length > 1);
  host.socket.lose();
  await until(() => odd.includes("not_a_stream"));
  assert.equal(client.view.items.length, 1);
  client.close();
});

test("after close nothing is open, and nothing late is heard", async () => {
  const host = new Played();
  const client = followed();
  client.connect();
  await host.accept();
  host.answer = () => ["never"];
  const sent = client.send("hello");
  await until(() => host.posted.length === 1);
  client.close();
  await assert.rejects(sent, (error) => error.code === "closed");
  const { view } = client;
  host.socket.item(event(0, "turn/start", { turn: 1 }));
  host.socket.lose();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(client.view, view);
});

test("what dsh() can't take is refused at once", () => {
  for (const options of [undefined, {}, { sessionId: "" }, { sessionId: "s", url: 5 }, { sessionId: "s", token: 5 }, { sessionId: "s", maxMessages: 0 }, { sessionId: "s", timeout: -1 }]) {
    assert.throws(() => dsh(options), (error) => error instanceof ThreadfoldError && error.code === "bad_argument", JSON.stringify(options));
  }
});
