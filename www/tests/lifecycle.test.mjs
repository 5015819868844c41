// @ts-check
// Opening, closing, several tabs, a network that goes and comes, and what is left behind: nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { live, open } from "./support/browser.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

const world = await World.start({}, ["--js-flags=--expose-gc"]);
const { host } = world;

/** A thread with one settled run. */
async function settled() {
  const thread = world.thread();
  await host.rested(thread, (await host.send(thread, "/plain")).run_id);
  return thread;
}

/** A page of the host without the demo, with the package as `window.threadfold`. @param {{ origin: string }} through */
async function bare(through = host) {
  const page = await world.context.newPage();
  await page.goto(`${through.origin}/pkg/package.json`);
  await page.evaluate(async () => {
    const threadfold = await import(/** @type {any} */ ("/pkg/index.js"));
    const client = (/** @type {string} */ threadId, more = {}) =>
      new threadfold.ThreadClient({ source: threadfold.threadfold({ base: "/v1", threadId, ...more }) });
    Object.assign(window, { threadfold, client });
  });
  return page;
}

test("connect, close, connect in one tick: the closed client stays closed, and a new one follows", async () => {
  const thread = await settled();
  const page = await bare();
  const said = await page.evaluate(async (id) => {
    const first = client(id);
    const connecting = first.connect().then(() => "live", (error) => error.code);
    first.close();
    const again = first.connect().then(() => "live", (error) => error.code);
    const second = client(id);
    const third = client(id);
    third.connect();
    third.close();
    const live = await second.connect().then(() => "live", (error) => error.code);
    const said = [await connecting, await again, live, first.view.status.state, second.view.status.state, second.view.items.length];
    second.close();
    return said;
  }, thread);
  assert.deepEqual(said, ["closed", "closed", "live", "closed", "live", 3]);
  await until("no stream is left open", async () => (await host.sent(thread)).followers === 0);
  assert.equal(await page.evaluate(() => held.sources.size), 0);
});

test("closing a client in each of its callbacks is safe", async () => {
  const thread = await settled();
  const page = await bare();
  const said = await page.evaluate(async (id) => {
    const one = client(id);
    one.subscribe(() => one.close());
    const first = await one.connect().then(() => "live", (error) => error.code);
    const two = client(id);
    let seen = 0;
    void two.connect().catch(() => {});
    for await (const event of two.events()) {
      seen += 1;
      if (event.type === "fact") two.close();
    }
    return [first, seen > 0, one.view.status.state, two.view.status.state];
  }, thread);
  assert.ok(["closed", "live"].includes(String(said[0])), String(said));
  assert.deepEqual(said.slice(1), [true, "closed", "closed"]);
  await until("no stream is left open", async () => (await host.sent(thread)).followers === 0);
});

test("N23: two tabs on one thread both show what either of them said, and converge", async () => {
  const one = await world.follow();
  const two = await world.follow({ thread: one.thread, first: null });
  await live(two.page);
  const { run } = await one.startAndHold("/reason", 9);
  await one.caughtUp();
  await two.caughtUp();
  for (const { page } of [one, two]) {
    assert.ok(await page.locator('[data-kind="user"]').last().innerText().then((text) => text.includes("/reason")));
  }
  await one.finish(run);
  await two.converged();
  const second = await two.startAndHold("/tools", 9);
  await one.caughtUp();
  await two.finish(second.run);
  await one.converged();
  assert.deepEqual((await one.view()).items, (await two.view()).items);
});

test("offline is a state, the view stays, and going online takes it up again", async () => {
  const page = await world.follow();
  const { run } = await page.startAndHold("/plain", 8);
  const { text } = await page.caughtUp();
  await world.context.setOffline(true);
  await until("the page is offline", async () => (await page.view()).status.state === "offline");
  assert.ok((await page.page.locator("#items").innerText()).includes(text));
  await world.context.setOffline(false);
  await page.more(8);
  await page.caughtUp();
  await page.finish(run);
});

test("a message that is said while the host is away is delivered once when it is back", async () => {
  const proxy = await world.proxy();
  const page = await world.follow({ through: proxy });
  proxy.down = true;
  proxy.cut();
  await page.say("/plain twice?");
  await until("the message is shown as being sent", async () => (await page.view()).items.some((item) => item.kind === "user" && item.send));
  proxy.down = false;
  await until("the answer is over", async () => {
    const { items, run } = await page.view();
    return items.filter((item) => item.kind === "finished").length === 2 && run?.state === "finished";
  }, 40_000);
  await page.converged();
  assert.equal((await page.view()).items.filter((item) => item.kind === "user").length, 2);
});

/** JavaScript's heap and the module's memory, in bytes, after all garbage is gone. @param {import("playwright-core").Page} page */
async function memory(page) {
  const session = await world.context.newCDPSession(page);
  for (let time = 0; time < 3; time += 1) {
    await session.send("HeapProfiler.collectGarbage");
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
  }
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  const wasm = await page.evaluate(() => held.memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0));
  return { heap: usedSize, wasm };
}

test("W13, W14: a thousand clients opened and closed leave nothing behind", async (t) => {
  const thread = await settled();
  for (const transport of ["eventsource", "fetch"]) {
    const page = await bare();
    const cycle = (/** @type {number} */ times) =>
      page.evaluate(
        async ([id, transport, times]) => {
          for (let time = 0; time < times; time += 1) {
            const one = client(id, { transport });
            one.subscribe(() => {});
            await one.connect();
            one.close();
          }
        },
        /** @type {const} */ ([thread, transport, times]),
      );
    await cycle(50);
    const before = await memory(page);
    await cycle(500);
    const after = await memory(page);
    assert.equal(await page.evaluate(() => held.sources.size), 0);
    await until("no stream is left open", async () => (await host.sent(thread)).followers === 0);
    t.diagnostic(`${transport}: heap ${before.heap} → ${after.heap}, module ${before.wasm} → ${after.wasm} bytes`);
    assert.equal(after.wasm, before.wasm, `${transport}: the module's memory grew from ${before.wasm} to ${after.wasm}`);
    assert.ok(after.heap - before.heap < 500_000, `${transport}: the heap grew from ${before.heap} to ${after.heap}`);
    await page.close();
  }
});

test("a thousand reconnects leave nothing behind", async (t) => {
  const clients = 5;
  const reconnects = 100;
  const threads = await Promise.all(Array.from({ length: clients }, settled));
  // An answer streams in each, a Delta for each opening: a host that says nothing but `bye` is asked ever more rarely.
  for (const thread of threads) {
    await host.hold(thread, 0);
    await host.send(thread, "/long 100000");
    await host.held(thread);
  }
  /** @type {import("playwright-core").Page[]} */
  const pages = [];
  // Two origins, since a browser opens six streams to one.
  for (const through of [host, await world.proxy()]) {
    const page = await bare(through);
    await page.evaluate(async (threads) => {
      window.clients = threads.map((id) => client(id));
      await Promise.all(window.clients.map((one) => one.connect()));
    }, threads);
    pages.push(page);
  }
  const openings = () => Promise.all(pages.map((page) => page.evaluate(() => Math.min(...window.clients.map((one) => one.stats().openings)))));
  const reconnect = async (/** @type {number} */ times) => {
    const wanted = (await openings()).map((now) => now + times);
    await until(`${times} reconnects`, async () => {
      await Promise.all(
        threads.map(async (thread) => {
          await host.hold(thread, 1);
          await host.held(thread);
          await host.admin(thread, "bye");
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 60));
      return (await openings()).every((now, at) => now >= /** @type {number} */ (wanted[at]));
    }, 120_000);
  };
  await reconnect(10);
  const before = await Promise.all(pages.map(memory));
  await reconnect(reconnects);
  await until("all follow again", () => Promise.all(pages.map((page) => page.evaluate(() => window.clients.every((one) => one.view.status.state === "live")))).then((all) => all.every(Boolean)));
  const after = await Promise.all(pages.map(memory));
  for (const [at, page] of pages.entries()) {
    const one = /** @type {{ heap: number, wasm: number }} */ (before[at]);
    const other = /** @type {{ heap: number, wasm: number }} */ (after[at]);
    t.diagnostic(`heap ${one.heap} → ${other.heap}, module ${one.wasm} → ${other.wasm} bytes`);
    assert.equal(other.wasm, one.wasm, `the module's memory grew from ${one.wasm} to ${other.wasm}`);
    assert.ok(other.heap - one.heap < 500_000, `the heap grew from ${one.heap} to ${other.heap}`);
    assert.equal(await page.evaluate(() => held.sources.size), clients);
    await page.evaluate(() => window.clients.forEach((one) => one.close()));
  }
  await until("no stream is left open", async () => {
    const followers = await Promise.all(threads.map(async (thread) => (await host.sent(thread)).followers));
    return followers.every((count) => count === 0);
  });
});
