// A client over a custom source, from end to end, in Node.

import assert from "node:assert/strict";
import { test } from "node:test";
import { countItems, sliceItems, ThreadClient, ThreadfoldError } from "threadfold";
import { Host, turn, until } from "./support/host.mjs";

const texts = (client) => client.view.items.flatMap((item) => item.parts ?? []).map((part) => part.text);
const coded = (code) => (error) => error instanceof ThreadfoldError && error.code === code;

test("a thread is followed from the first word to the commit, under one key", async () => {
  const host = new Host();
  const client = new ThreadClient({ source: host.source() });
  assert.deepEqual(client.view, { items: [], run: null, status: { state: "idle" } });
  await client.connect();
  assert.equal(client.view.status.state, "live");
  const { message_id } = await client.send("hello", { messageId: "m1" });
  assert.equal(message_id, "m1");
  assert.deepEqual(texts(client), ["hello"]);
  const say = host.start("r1");
  say("Hel");
  say("lo");
  await until(() => texts(client)[1] === "Hello");
  const { key, origin } = client.view.items[1];
  assert.equal(origin, "preview");
  host.answer("Hello");
  await until(() => client.view.run.state === "finished");
  assert.deepEqual([client.view.items[1].key, client.view.items[1].origin, texts(client)[1]], [key, "committed", "Hello"]);
  assert.equal(client.view.items[2].kind, "finished");
  assert.equal(client.stats().deltas, 2);
  client.close();
});

test("S09, N16: several calls of connect in a tick are one connection", async () => {
  const host = new Host();
  let opened = 0;
  const source = host.source();
  const client = new ThreadClient({ source: { ...source, openLive: (...all) => (opened++, source.openLive(...all)) } });
  const calls = [client.connect(), client.connect(), client.connect()];
  assert.equal(calls[0], calls[2]);
  await Promise.all(calls);
  assert.equal(opened, 1);
  client.close();
});

test("N14: connect, close and a new client in one tick leave one connection", async () => {
  const host = new Host();
  const first = new ThreadClient({ source: host.source() });
  const connected = first.connect();
  first.close();
  const second = new ThreadClient({ source: host.source() });
  await assert.rejects(connected, coded("closed"));
  await second.connect();
  assert.equal(host.listeners.size, 1);
  second.close();
  assert.equal(host.listeners.size, 0);
});

test("W14: after close nothing is asked for, and every call says so", async () => {
  const host = new Host();
  const client = new ThreadClient({ source: host.source() });
  await client.connect();
  await client.send("hello");
  let told = 0;
  client.subscribe(() => told++);
  const { items } = client.view;
  client.close();
  client.close();
  await turn();
  const { reads } = host;
  assert.deepEqual(client.view, { items, run: client.view.run, status: { state: "closed" } });
  assert.equal(told, 1);
  host.answer("never seen");
  client.retry();
  await turn();
  assert.deepEqual([told, host.reads, host.listeners.size], [1, reads, 0]);
  for (const call of [() => client.connect(), () => client.send("x"), () => client.resume(null, {}), () => client.cancel()]) {
    await assert.rejects(call, coded("closed"));
  }
  for await (const event of client.events()) assert.fail(JSON.stringify(event));
  assert.equal(client.stats().openings, 1);
});

test("W18: any method may be called from any callback", async () => {
  const host = new Host();
  const client = new ThreadClient({
    source: host.source({
      send(request) {
        client.stats();
        client.retry();
        return host.send(request);
      },
    }),
    onAnomaly: () => client.stats(),
  });
  let inside = 0;
  client.subscribe(() => {
    inside += 1;
    client.stats();
    client.connect();
    client.subscribe(() => {})();
    if (client.view.run?.state === "finished") client.close();
  });
  await client.connect();
  await client.send("hello");
  host.tell("no_such_event", {});
  host.start("r1")("Hello");
  host.answer("Hello");
  await until(() => client.view.status.state === "closed");
  assert.ok(inside > 0);
});

test("a listener that throws keeps neither the others nor the thread from going on", async () => {
  const host = new Host();
  const errors = [];
  globalThis.reportError = (error) => errors.push(error);
  const client = new ThreadClient({ source: host.source() });
  let told = 0;
  client.subscribe(() => {
    throw new Error("from the app");
  });
  client.subscribe(() => told++);
  await client.connect();
  await turn();
  client.close();
  await turn();
  delete globalThis.reportError;
  assert.ok(told > 0);
  assert.match(String(errors[0]), /from the app/);
});

test("events come once, from the first Fact on, to each reader", async () => {
  const host = new Host();
  const client = new ThreadClient({ source: host.source() });
  const read = async (seen) => {
    for await (const event of client.events()) seen.push(event);
    return seen;
  };
  const early = read([]);
  await client.connect();
  await client.send("hello");
  host.start("r1")("Hello");
  await turn();
  const late = read([]);
  host.answer("Hello");
  await until(() => client.view.run.state === "finished");
  await turn();
  client.close();
  const facts = (events) => events.filter(({ type }) => type === "fact").map(({ position, fact }) => [position.seq, fact.type]);
  const wanted = [[0, "run_started"], [2, "assistant_message"], [3, "run_finished"]];
  assert.deepEqual(facts(await early), wanted);
  assert.deepEqual(facts(await late), wanted);
  assert.equal((await late).filter(({ type }) => type === "delta").map(({ delta }) => delta.delta).join(""), "Hello");
});

test("a slow reader of events loses Deltas, and is told so, but no Fact", async () => {
  const host = new Host();
  const client = new ThreadClient({ source: host.source() });
  await client.connect();
  const events = client.events();
  await client.send("hello");
  const say = host.start("r1");
  for (let count = 0; count < 2000; count++) {
    say("x");
    // Each is flushed by itself, so that none are joined.
    client.events().return();
  }
  host.answer("done");
  await until(() => client.view.run.state === "finished");
  client.close();
  const seen = [];
  for await (const event of events) seen.push(event);
  assert.ok(seen.length < 1100, `${seen.length} events waited`);
  assert.ok(seen.some(({ type, run_id }) => type === "reset" && run_id === "r1"));
  assert.deepEqual(seen.filter(({ type }) => type === "fact").map(({ fact }) => fact.type), ["run_started", "assistant_message", "run_finished"]);
});

test("a plain stream is shown by what its envelopes say, and settled by what is read", async () => {
  const host = new Host();
  let stream;
  const client = new ThreadClient({
    source: host.source({ protocol: "plain", openLive: (sink) => void (stream = sink).accepted() }),
  });
  await client.connect();
  host.rows.push({ seq: 0, time: 1, run_id: "r1", message: { id: "u", role: "User", content: [{ type: "text", text: "hello" }] } });
  host.rows.push({ seq: 1, time: 1, run_id: "r1", state: "Running" });
  stream.envelope({ run_id: "r1", kind: { tier: "fact", event: { type: "run_started" } } });
  stream.envelope(JSON.stringify({ run_id: "r1", kind: { tier: "delta", event: { type: "text_delta", delta: "Hel" } } }));
  await until(() => texts(client).join("|") === "hello|Hel");
  client.close();
});

test("W15: halves of a character that come apart are joined, in an object as in text", async () => {
  const host = new Host();
  const client = new ThreadClient({ source: host.source() });
  await client.connect();
  await client.send("hello");
  const say = host.start("r1");
  say("\ud83d");
  say("\ude00");
  await until(() => texts(client)[1] === "😀");
  client.close();
});

test("an initial page is shown before anything was read, and reading goes on after it", async () => {
  const host = new Host();
  host.send({ input: { message_id: "m1", content: [{ type: "text", text: "hello" }] } });
  host.answer("Hello");
  const asked = [];
  const source = host.source();
  const client = new ThreadClient({
    source: { ...source, readCommitted: (query) => (asked.push(query.after), source.readCommitted(query)) },
    initial: host.page(),
  });
  await until(() => client.view.items.length === 3);
  assert.equal(client.view.status.state, "idle");
  await client.connect();
  assert.ok(!asked.includes(-1), `asked for rows after ${asked}`);
  client.close();
});

test("the beginning of a long thread is there when it is looked at, of each view, before and after the client is closed", async () => {
  const host = new Host();
  for (let said = 0; said < 300; said += 1) host.commit({ run_id: "r0", message: { id: `old${said}`, role: "User", content: [{ type: "text", text: `${said}` }] } });
  let live;
  const long = async () => {
    const source = host.source();
    const client = new ThreadClient({ source: { ...source, openLive: (sink, signal) => source.openLive((live = sink), signal) } });
    await client.connect();
    return client;
  };
  const numbers = (items) => items.map(({ parts }) => Number(parts[0].text));
  const wanted = Array.from({ length: 300 }, (_, said) => said);
  const client = await long();
  const { view } = client;
  assert.equal(countItems(view), 300);
  assert.deepEqual(numbers(sliceItems(view, -5)), wanted.slice(-5));
  // A settled item changes while nobody has looked at those before it.
  await client.send("one more");
  await until(() => countItems(client.view) === 301);
  assert.deepEqual(numbers(sliceItems(view, 0, 3)), [0, 1, 2]);
  assert.deepEqual(numbers(view.items), wanted);
  assert.deepEqual(sliceItems(client.view, 0, 300), view.items);
  assert.equal(client.view.items[7], view.items[7]);
  client.close();
  const other = await long();
  const before = other.view;
  other.close();
  assert.deepEqual(numbers(before.items.slice(0, 300)), wanted);
  assert.deepEqual(other.view.items, before.items);
  assert.deepEqual(JSON.parse(JSON.stringify(other.view)).items, JSON.parse(JSON.stringify(before.items)));
  // Another log takes the place of one whose beginning nobody has looked at.
  const replaced = await long();
  const last = replaced.view;
  host.epoch = "e-2";
  host.rows = [];
  host.commit({ run_id: "r0", message: { id: "new", role: "User", content: [{ type: "text", text: "7" }] } });
  live.closed();
  await until(() => countItems(replaced.view) === 1);
  assert.deepEqual(numbers(replaced.view.items), [7]);
  assert.deepEqual(numbers(last.items.slice(0, 300)), wanted);
  replaced.close();
});

test("a refusal of the source is the code of the error; without the function, that is said", async () => {
  const host = new Host();
  const busy = Object.assign(new Error("A run is active."), { status: 409, code: "run_active" });
  const client = new ThreadClient({ source: host.source({ send: () => Promise.reject(busy) }) });
  await client.connect();
  await assert.rejects(client.send("x"), (error) => error.code === "run_active" && error.message === "A run is active.");
  await assert.rejects(client.cancel(), coded("no_active_run"));
  await assert.rejects(client.resume("c1", { approve: true }), coded("nothing_pending"));
  host.send({ input: { message_id: "m1", content: [] } });
  await until(() => client.view.run?.state === "running");
  await assert.rejects(client.cancel(), coded("unsupported"));
  client.close();
});

test("wrong arguments are named", async () => {
  assert.throws(() => new ThreadClient({}), coded("bad_argument"));
  assert.throws(() => new ThreadClient({ source: { openLive() {} } }), /readCommitted/);
  const client = new ThreadClient({ source: new Host().source() });
  await assert.rejects(client.send(7), coded("bad_argument"));
  await assert.rejects(client.send([{ type: "text" }]), (error) => error.code === "bad_argument" && /text/.test(error.message));
  await assert.rejects(client.send("x", { onActive: "explode" }), /explode/);
  client.close();
  const wrong = new ThreadClient({ source: new Host().source(), initial: { contract: "threadfold/1" } });
  await assert.rejects(wrong.connect(), (error) => error.code === "bad_argument" && /initial/.test(error.message));
  wrong.close();
});

test("N12: a source that ends, throws and rejects is opened again", async () => {
  const host = new Host();
  const source = host.source();
  const ways = [
    ...["Load failed", "network error", "NetworkError when attempting to fetch resource."].map((said) => () => Promise.reject(new TypeError(said))),
    () => Promise.reject(new TypeError("fetch failed")),
    () => {
      throw new Error("terminated");
    },
    source.openLive,
  ];
  const client = new ThreadClient({ source: { ...source, openLive: (...all) => ways.shift()(...all) } });
  const connected = client.connect();
  const again = setInterval(() => client.retry(), 20);
  await connected;
  clearInterval(again);
  assert.equal(client.view.status.state, "live");
  client.close();
});

test("S11: what a thread comes to is shown by its own client alone, whichever is looked at", async () => {
  const [one, other] = [new Host(), new Host()];
  const first = new ThreadClient({ source: one.source() });
  await first.connect();
  await first.send("about one");
  one.start("r1")("An answer to one");
  const second = new ThreadClient({ source: other.source() });
  await second.connect();
  const before = second.view;
  one.answer("An answer to one");
  await until(() => first.view.run.state === "finished");
  assert.equal(second.view, before);
  assert.deepEqual(texts(first), ["about one", "An answer to one"]);
  first.close();
  second.close();
});

test("R18: each text begins with the one before, also for a callback that waits", async () => {
  const host = new Host();
  const client = new ThreadClient({ source: host.source() });
  await client.connect();
  await client.send("hello");
  const seen = [];
  client.subscribe(async () => {
    const text = texts(client)[1];
    await turn();
    if (text !== undefined) seen.push(text);
  });
  const say = host.start("r1");
  for (const word of ["Great! ", "I'll ", "find ", "it for ", "you."]) {
    say(word);
    await turn();
  }
  host.answer("Great! I'll find it for you.");
  await until(() => client.view.run.state === "finished" && seen.at(-1)?.endsWith("you."));
  for (const [at, text] of seen.entries()) assert.ok(text.startsWith(seen[at - 1] ?? ""), JSON.stringify(seen));
  assert.equal(seen.at(-1), "Great! I'll find it for you.");
  client.close();
});
