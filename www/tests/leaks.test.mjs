// @ts-check
// What is left behind: nothing. Chromium alone tells what its heap holds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

const world = await World.start({}, ["--js-flags=--expose-gc"]);
const { host } = world;

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

/**
 * Fails unless `round`, done again and again, comes to leave nothing behind in these pages. What is left behind grows with
 * every round. The module's memory comes in pieces of 64 KiB and is never given back, so it may grow once or twice, where a
 * text that became longer or another order of the same things needs a piece more than any moment before it.
 *
 * @param {import("node:test").TestContext} t
 * @param {readonly import("playwright-core").Page[]} pages
 * @param {() => Promise<void>} round
 */
async function leavesNothing(t, pages, round) {
  const rounds = 4;
  let before = await Promise.all(pages.map(memory));
  for (let time = 1; ; time += 1) {
    await round();
    const after = await Promise.all(pages.map(memory));
    const grown = after.map(({ heap, wasm }, at) => {
      const { heap: was, wasm: had } = /** @type {{ heap: number, wasm: number }} */ (before[at]);
      t.diagnostic(`round ${time}: heap ${was} → ${heap}, module ${had} → ${wasm} bytes`);
      assert.ok(heap - was < 500_000, `the heap grew from ${was} to ${heap}`);
      return wasm > had;
    });
    if (!grown.includes(true)) return;
    assert.ok(time < rounds, `the module's memory grew in each of ${rounds} rounds`);
    before = after;
  }
}

test("W13, W14: a thousand clients opened and closed leave nothing behind", async (t) => {
  const thread = await world.settled();
  for (const transport of ["eventsource", "fetch"]) {
    const page = await world.bare();
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
    t.diagnostic(transport);
    await leavesNothing(t, [page], () => cycle(500));
    assert.equal(await page.evaluate(() => held.sources.size), 0);
    await until("no stream is left open", async () => (await host.sent(thread)).followers === 0);
    await page.close();
  }
});

test("a thousand reconnects leave nothing behind", async (t) => {
  const clients = 5;
  const reconnects = 100;
  const threads = await Promise.all(Array.from({ length: clients }, () => world.settled()));
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
    const page = await world.bare(through);
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
    }, 600_000);
  };
  await reconnect(10);
  await leavesNothing(t, pages, async () => {
    await reconnect(reconnects);
    await until("all follow again", () => Promise.all(pages.map((page) => page.evaluate(() => window.clients.every((one) => one.view.status.state === "live")))).then((all) => all.every(Boolean)));
  });
  for (const page of pages) {
    assert.equal(await page.evaluate(() => held.sources.size), clients);
    await page.evaluate(() => window.clients.forEach((one) => one.close()));
  }
  await until("no stream is left open", async () => {
    const followers = await Promise.all(threads.map(async (thread) => (await host.sent(thread)).followers));
    return followers.every((count) => count === 0);
  });
});
