// The driver against a platform that is written down here: what it holds, when it tells, and what it leaves behind.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { init, ThreadClient, threadfold } from "threadfold";
import * as glue from "../wasm/threadfold.js";
import { Driver } from "../src/driver.js";
import { turn, until } from "./support/host.mjs";

const OPENED = '{"contract":"threadfold/1","epoch":"e","frontier":-1,"revision":0,"active":null}';
const EMPTY = '{"contract":"threadfold/1","thread_id":"t","epoch":"e","frontier":-1,"messages":[],"runs":[]}';
const START = '{"attempt":"a","revision":1,"started_after":-1,"run_id":"r","step":0,"response":0}';
const delta = (index) =>
  JSON.stringify({ attempt: "a", revision: index + 2, index, delta: { type: "text_delta", delta: "x" } });

await init();

/** A driver and what it asked for and told, a word for each; `on[word]` is done when it comes. */
function made() {
  const calls = [];
  const on = {};
  const note = (word) => (...all) => {
    calls.push([word, ...all.map((value) => (typeof value === "object" ? JSON.stringify(value) : value))].join(" "));
    if (word === "openLive") made.generation = all[0];
    on[word]?.(...all);
  };
  const noted = (words) => Object.fromEntries(words.map((word) => [word, note(word)]));
  const edge = noted(["openLive", "closeLive", "read", "request", "close"]);
  const page = noted(["flush", "status", "done", "failed", "anomaly"]);
  const core = new glue.Driver(JSON.stringify({ plain: false, renewable: false, watchdog: true }));
  const driver = new Driver(core, edge, page, (action) => action(driver));
  const count = (word) => calls.filter((call) => call.split(" ")[0] === word).length;
  const made = { driver, calls, on, count, generation: 0 };
  return made;
}

/** Connected, with an attempt under way. */
function streaming() {
  const one = made();
  one.driver.connect();
  one.driver.event(one.generation, "opened", OPENED);
  one.driver.tell("page", 0, EMPTY, "application/json");
  one.driver.event(one.generation, "start", START);
  return one;
}

/** What a browser has and Node has not, until the test is over. */
function platform(globals) {
  for (const [name, value] of Object.entries(globals)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    undo.push(() => (before ? Object.defineProperty(globalThis, name, before) : delete globalThis[name]));
  }
}
const undo = [];
afterEach(() => undo.splice(0).reverse().forEach((back) => back()));

/** A window whose events are said by hand. */
function page() {
  const listeners = new EventTarget();
  let added = 0;
  const counted = {
    addEventListener: (...all) => (added++, listeners.addEventListener(...all)),
    removeEventListener: (...all) => (added--, listeners.removeEventListener(...all)),
  };
  const document = { visibilityState: "visible", ...counted };
  platform({ ...counted, document });
  return { document, say: (type, more) => listeners.dispatchEvent(Object.assign(new Event(type), more)), listening: () => added };
}

test("the deltas of one frame reach the page as one change", async () => {
  const frames = [];
  platform({ requestAnimationFrame: (action) => frames.push(action), cancelAnimationFrame: () => {} });
  const { driver, generation, calls, count } = streaming();
  driver.event(generation, "delta", delta(0));
  const before = count("flush");
  for (let index = 1; index < 100; index++) driver.event(generation, "delta", delta(index));
  assert.equal(count("flush"), before, "text is not told before the frame");
  assert.equal(frames.length, 1, "one frame is asked for");
  frames[0]();
  assert.equal(count("flush"), before + 1);
  assert.ok(calls.at(-1).includes("x".repeat(99)));
  driver.close();
});

test("a hidden page has no frames, so a timer tells", async () => {
  const { document } = page();
  platform({ requestAnimationFrame: () => assert.fail("no frame comes"), cancelAnimationFrame: () => {} });
  document.visibilityState = "hidden";
  const { driver, generation, count } = streaming();
  driver.event(generation, "delta", delta(0));
  const before = count("flush");
  driver.event(generation, "delta", delta(1));
  await until(() => count("flush") > before);
  driver.close();
});

test("what comes from within an effect waits its turn", () => {
  const { driver, on, count } = made();
  on.openLive = (generation) => {
    driver.event(generation, "opened", OPENED);
    driver.tell("user");
    driver.flush();
    assert.match(driver.stats(), /"frames":1/);
    assert.equal(count("status"), 0, "what the input brings is told afterwards");
  };
  driver.connect();
  assert.equal(count("openLive"), 1);
  assert.ok(count("status") > 0);
  driver.close();
});

test("closing from within an effect is the end", () => {
  const { driver, on, count, calls } = made();
  on.openLive = () => driver.close();
  driver.connect();
  const told = calls.length;
  driver.connect();
  driver.tell("user");
  driver.event(0, "opened", OPENED);
  driver.flush();
  assert.equal(calls.length, told);
  assert.equal(count("close"), 1);
});

test("after close there is no timer and no listener", async () => {
  const { say, listening } = page();
  const { driver, generation, calls, count } = streaming();
  assert.ok(listening() > 0);
  driver.event(generation, "delta", delta(0));
  driver.event(generation, "delta", delta(1));
  driver.close();
  driver.close();
  const told = calls.length;
  assert.equal(listening(), 0);
  for (const type of ["online", "offline", "pagehide"]) say(type);
  await new Promise((resolve) => setTimeout(resolve, 120));
  assert.equal(calls.length, told);
  assert.equal(count("close"), 1);
});

test("a page that is put aside lets its stream go", () => {
  const { say } = page();
  const { driver, count } = streaming();
  say("pagehide");
  assert.equal(count("closeLive"), 1);
  assert.equal(count("openLive"), 1, "nothing is opened while nobody sees it");
  driver.close();
});

test("a thousand reconnects leave nothing behind", () => {
  const one = made();
  one.driver.connect();
  const cycle = (rounds) => {
    for (let round = 0; round < rounds; round++) {
      one.driver.event(one.generation, "opened", OPENED);
      one.driver.tell("closed", one.generation);
      one.driver.tell("user");
    }
  };
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const { memory } = glue.initSync({ module: new Uint8Array() });
  cycle(100);
  const held = [memory.buffer.byteLength, timers()];
  cycle(1000);
  assert.deepEqual([memory.buffer.byteLength, timers()], held);
  assert.ok(one.count("openLive") > 0);
  one.driver.close();
});

test("a deadline that moves away needs no new timer", async () => {
  let made = 0;
  const { driver, generation } = streaming();
  const { setTimeout } = globalThis;
  platform({ setTimeout: (...all) => (made++, setTimeout(...all)) });
  driver.event(generation, "delta", delta(0));
  for (let index = 1; index < 50; index++) {
    driver.event(generation, "delta", delta(index));
    if (index % 10 === 0) await turn();
  }
  assert.ok(made <= 8, `${made} timers: one for the frame, and those of the waits`);
  driver.close();
});

test("an event source is asked for all events of the contract, and closed on its first error", async () => {
  const sources = [];
  class EventSource extends EventTarget {
    constructor(address, { withCredentials }) {
      super();
      Object.assign(this, { address, withCredentials, closed: 0 });
      sources.push(this);
    }
    close() {
      this.closed += 1;
    }
  }
  platform({ EventSource });
  const source = threadfold({ base: "http://127.0.0.1:9/v1/", threadId: "a/b ü", query: { fault: "cut:9" }, credentials: "include" });
  const client = new ThreadClient({ source });
  client.connect().catch(() => {});
  await until(() => sources.length === 1);
  const [first] = sources;
  assert.equal(first.address, "http://127.0.0.1:9/v1/threads/a%2Fb%20%C3%BC/live?fault=cut%3A9");
  assert.equal(first.withCredentials, true);
  first.onopen(new Event("open"));
  first.dispatchEvent(Object.assign(new Event("opened"), { data: OPENED }));
  assert.equal(client.stats().frames, 1);
  first.onerror(new Event("error"));
  assert.equal(first.closed, 1);
  await until(() => sources.length === 2);
  client.close();
  assert.equal(sources[1].closed, 1);
});

test("an address that no event source takes is told, and the log is read all the same", async () => {
  platform({
    EventSource: class {
      constructor() {
        throw new SyntaxError("bad");
      }
    },
  });
  const anomalies = [];
  const source = threadfold({ base: "http://127.0.0.1:9/v1", threadId: "t" });
  const client = new ThreadClient({ source, onAnomaly: ({ code }) => anomalies.push(code) });
  client.connect().catch(() => {});
  await until(() => anomalies.includes("bad_address") && anomalies.includes("read_failed"));
  client.close();
});
