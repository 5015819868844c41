// @ts-check
// Lost streams, lost hosts, reloads: live text goes on where the host stands, nothing is doubled, and only a committed
// state ends a run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { live, ready, shows } from "./support/browser.mjs";
import { expectation } from "./support/judge.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

const world = await World.start({ pingMs: 200 });
const { host } = world;

const TRANSPORTS = ["eventsource", "fetch"];

/**
 * Every text that was ever visible is the beginning of what was committed under its key, or of one of `others`.
 * @param {import("./support/world.mjs").Following} page
 * @param {string[]} [others] Attempts that were given up.
 */
async function onlyPrefixes(page, others = []) {
  const { items } = await page.view();
  /** @type {Map<string, string>} */
  const committed = new Map();
  for (const item of items) {
    if (item.kind !== "assistant") continue;
    committed.set(item.key, item.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
  }
  /** @type {{ key: string, origin: string, text: string }[]} */
  const samples = await page.page.evaluate(() => judge.samples);
  for (const { key, text } of samples) {
    const allowed = [committed.get(key) ?? "", ...others];
    assert.ok(allowed.some((whole) => whole.startsWith(text)), `${key} showed ${JSON.stringify(text)}, which begins none of ${JSON.stringify(allowed)}`);
  }
  return samples;
}

test("a reload in the middle of an answer shows the partial text before anything new is sent", async () => {
  const page = await world.follow();
  const { run, active } = await page.startAndHold("/plain", 12);
  await page.caughtUp();
  await page.page.reload();
  await ready(page.page);
  await page.caughtUp();
  assert.equal((await host.sent(page.thread)).active?.count, active.count, "nothing was sent after the reload");
  assert.deepEqual((await page.finish(run)).state, { Ended: "NaturalEnd" });
});

test("a host that is killed in the middle of an answer and started again leaves a run of unknown outcome, never a success", async () => {
  const page = await world.follow();
  await page.page.evaluate(() => judge.watch());
  const { run } = await page.startAndHold("/plain", 15);
  const { text } = await page.caughtUp();
  await host.kill();
  await until("the page sees that the wire is gone", async () => (await page.view()).status.state !== "live");
  const during = await page.view();
  const shown = during.items.find((item) => item.kind === "assistant" && item.run_id === run);
  assert.equal(shown?.origin, "unconfirmed");
  assert.ok(await page.page.locator(`[data-key="${shown?.key}"]`).innerText().then((seen) => seen.includes(text)), "the text stays");
  assert.equal(during.run?.state, "running");
  await host.begin();
  await shows(page.page, run, ["failed"], 40_000);
  await page.converged(40_000);
  const { items } = await expectation(host.db, page.thread);
  const end = items.find((/** @type {any} */ item) => item.run_id === run && item.kind === "failed");
  assert.equal(end.code, "indeterminate");
  assert.ok(!items.some((/** @type {any} */ item) => item.run_id === run && item.kind === "finished"));
  // Both runs say the same, and the first one was committed.
  const whole = items.find((/** @type {any} */ item) => item.kind === "assistant").parts[0].text;
  for (const sample of await page.page.evaluate(() => judge.samples)) assert.ok(whole.startsWith(sample.text), sample.text);
  await live(page.page);
});

test("a stream that ends cleanly while the run goes on ends nothing", async () => {
  const page = await world.follow();
  await host.fault("close:9*3@live", { thread: page.thread });
  await page.page.evaluate(() => judge.watch());
  await host.cut();
  const { run } = await page.startAndHold("/plain", 6);
  for (const deltas of [6, 6, 6]) {
    await page.more(deltas);
    await page.caughtUp();
    assert.equal((await page.view()).run?.state, "running");
  }
  assert.equal((await page.finish(run)).state.Ended, "NaturalEnd");
  await onlyPrefixes(page);
  assert.ok((await page.stats()).losses >= 1);
});

test("a stream that ends cleanly while the run ends shows the end", async () => {
  const page = await world.follow();
  // The agent holds behind its last Delta, before the commit.
  const { run } = await page.startAndHold("/long 40", 40);
  await page.caughtUp();
  // The next opening is put off, so that the end is committed while nobody listens.
  await host.fault("status-503*1@live", { thread: page.thread });
  await host.admin(page.thread, "bye");
  await page.finish(run);
});

test("a cut inside the frame that ends the run still shows the end, once", async () => {
  const page = await world.follow();
  await page.page.evaluate(() => judge.watch());
  await host.fault("cut-last*1", { thread: page.thread });
  const before = (await host.injected())["cut-last"] ?? 0;
  const { run } = await page.startAndHold("/plain", 20);
  await page.caughtUp();
  await page.finish(run);
  assert.equal((await host.injected())["cut-last"], before + 1);
  await onlyPrefixes(page);
});

for (const transport of TRANSPORTS) {
  test(`seven cuts in one answer never double a word, by ${transport}`, async () => {
    const page = await world.follow({ address: `&transport=${transport}` });
    await page.page.evaluate(() => judge.watch());
    const { run } = await page.startAndHold("/plain", 4);
    for (let cut = 0; cut < 7; cut += 1) {
      await page.caughtUp();
      await host.cut();
      // While the wire is away, the agent goes on.
      await page.more(4);
    }
    await page.caughtUp();
    await page.finish(run);
    const samples = await onlyPrefixes(page);
    assert.ok(samples.length > 8, `only ${samples.length} samples`);
    assert.ok((await page.stats()).losses >= 7);
  });
}

for (const transport of TRANSPORTS) {
  test(`cuts at any byte, in the middle of characters too, never double a word, by ${transport}`, async () => {
    const page = await world.follow({ address: `&transport=${transport}` });
    await host.fault("cut:333*6,cut-utf8*2", { thread: page.thread });
    await page.page.evaluate(() => judge.watch());
    await page.play({ say: "/unicode", every: 3, atLeast: 10 });
    await page.converged();
    await onlyPrefixes(page);
    assert.ok((await page.stats()).losses >= 2);
  });
}

test("an attempt that fails in the middle leaves nothing of its text beside the retry's", async () => {
  const page = await world.follow();
  await page.page.evaluate(() => judge.watch());
  const { run } = await page.startAndHold("/fail-mid", 5);
  await page.caughtUp();
  await page.finish(run);
  await onlyPrefixes(page, ["This attempt is going to fail in the middle of its sec"]);
});

for (const transport of TRANSPORTS) {
  test(`malformed frames are counted and passed over, by ${transport}`, async () => {
    const proxy = await world.proxy();
    const page = await world.follow({ through: proxy, address: `&transport=${transport}` });
    const before = await page.stats();
    const { run } = await page.startAndHold("/plain", 5);
    await page.caughtUp();
    proxy.inject("event: delta\ndata: {\"attempt\":\n\n");
    proxy.inject("event: delta\ndata: <p>not JSON</p>\n\nevent: somethingelse\ndata: {}\n\n: a comment\n\n");
    await page.more(5);
    await page.caughtUp();
    await page.finish(run);
    const after = await page.stats();
    assert.ok(after.malformed + after.unknown > before.malformed + before.unknown, JSON.stringify(after));
  });
}

test("a run that failed while the page was away is shown as failed when it comes back", async () => {
  const proxy = await world.proxy();
  const page = await world.follow({ through: proxy });
  const { run } = await page.startAndHold("/fail", 3);
  await page.caughtUp();
  proxy.down = true;
  proxy.cut();
  await until("the page is away", async () => (await page.view()).status.state !== "live");
  await host.release(page.thread);
  assert.ok((await host.rested(page.thread, run)).state.Ended.Error);
  assert.equal((await page.view()).run?.state, "running", "what nobody has read is not known");
  proxy.down = false;
  await shows(page.page, run, ["failed"]);
  await page.converged();
});

for (const transport of TRANSPORTS) {
  test(`a half-open stream is noticed and replaced, by ${transport}`, async () => {
    const page = await world.follow({ address: `&transport=${transport}` });
    await page.pinged();
    await host.fault("half-open:6*1", { thread: page.thread });
    await host.cut();
    const { run } = await page.startAndHold("/plain", 20);
    await page.caughtUp();
    await page.finish(run);
  });
}

test("a frame over the limit is a typed error, and the stream is opened again", async () => {
  const proxy = await world.proxy();
  const page = await world.follow({ through: proxy, address: "&transport=fetch" });
  await page.page.evaluate(async (id) => {
    const { ThreadClient, threadfold } = await import(/** @type {any} */ ("/pkg/index.js"));
    /** @type {string[]} */
    const told = [];
    const onAnomaly = (/** @type {{ code: string, message: string }} */ { code, message }) => told.push(`${code}: ${message}`);
    const other = new ThreadClient({ source: threadfold({ base: "/v1", threadId: id, transport: "fetch" }), onAnomaly });
    Object.assign(window, { told, other });
    await other.connect();
  }, page.thread);
  const { run } = await page.startAndHold("/plain", 5);
  await page.caughtUp();
  const { openings } = await page.stats();
  proxy.inject("event: delta\ndata: ");
  for (let megabyte = 0; megabyte < 18; megabyte += 1) proxy.inject("x".repeat(1 << 20));
  await until("the stream is opened again", async () => Number((await page.stats()).openings) > Number(openings));
  const told = await until("the anomaly is told", () => page.page.evaluate(() => /** @type {any} */ (globalThis).told.find((/** @type {string} */ line) => /limit|long|large/i.test(line))));
  assert.match(told, /^[a-z_]+: .{20,}/);
  await page.more(5);
  await page.caughtUp();
  await page.page.evaluate(() => /** @type {any} */ (globalThis).other.close());
  await page.finish(run);
});
