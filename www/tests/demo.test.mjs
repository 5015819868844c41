// @ts-check
// What the demo adds to the chat: the picture of the lanes, the naive client beside it, a session from a file; and that
// everybody can use it, judged by axe in light and dark, wide and at 360 px, at rest and in the middle of a fault.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { context, live, open } from "./support/browser.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

/** @typedef {import("playwright-core").Page} Page */

const world = await World.start();
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong, each with where. @param {Page} page @returns {Promise<string[]>} */
async function violations(page) {
  // A page's policy forbids a script element, not what the browser is told to run.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await /** @type {any} */ (globalThis).axe.run();
    return violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ { target }) => target).join(" | ")}`);
  });
}

const LOOKS = [
  { name: "wide, light", options: { colorScheme: /** @type {const} */ ("light") } },
  { name: "wide, dark", options: { colorScheme: /** @type {const} */ ("dark") } },
  { name: "360 px, dark", options: { colorScheme: /** @type {const} */ ("dark"), viewport: { width: 360, height: 740 }, hasTouch: true } },
  { name: "360 px, light, reduced motion", options: { viewport: { width: 360, height: 740 }, reducedMotion: /** @type {const} */ ("reduce") } },
];

for (const { name, options } of LOOKS) {
  test(`axe finds nothing: ${name}`, async () => {
    const { host } = world;
    const own = await context(world.browser, options);
    const thread = world.thread("axe");
    try {
      const page = await open(own, host, thread);
      await page.locator("#welcome").waitFor();
      assert.deepEqual(await violations(page), [], "a new thread");
      for (const word of ["/reason", "/tools", "/approve"]) {
        const { run_id } = await host.send(thread, word);
        await host.rested(thread, run_id);
      }
      // What others write into a thread that was not there is seen when the page looks again.
      await page.evaluate(() => globalThis.thread.retry());
      await page.locator('[data-kind="awaiting"] [data-action="approve"]').waitFor();
      const toggle = page.locator("#panel-toggle");
      const narrow = await toggle.isVisible();
      assert.deepEqual(await violations(page), [], "with an approval");
      if (narrow) await toggle.click();
      await page.locator("#naive summary").click();
      await page.locator("#lanes").focus();
      await page.keyboard.press("ArrowLeft");
      assert.deepEqual(await violations(page), [], "with the panel");
      if (narrow) {
        const across = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(across, 360, "nothing is wider than the page");
      }
      await host.fault("status-503", { thread, times: 100 });
      await host.cut();
      await until("the page waits", () => page.evaluate(() => ["waiting", "connecting"].includes(globalThis.thread.view.status.state)));
      assert.deepEqual(await violations(page), [], "while the host is away");
    } finally {
      await host.clearFaults();
      await own.close();
    }
  });
}

test("the picture of the lanes zooms, and says what a mark is", async () => {
  const following = await world.follow();
  const { page } = following;
  const label = () => page.locator("#lanes").getAttribute("aria-label");
  await until("the commits are counted", async () => /[1-9]\d* openings/.test((await label()) ?? ""));
  assert.equal(await page.locator("#lanes-title").textContent(), "Last 30 seconds");
  await page.locator("#lanes-wider").click();
  assert.equal(await page.locator("#lanes-title").textContent(), "Last 2 minutes");
  await page.locator("#lanes").hover();
  await page.mouse.wheel(0, -100);
  await until("the wheel zooms", async () => (await page.locator("#lanes-title").textContent()) === "Last 30 seconds");
  await page.locator("#lanes-closer").click();
  assert.equal(await page.locator("#lanes-title").textContent(), "Last 10 seconds");
  assert.equal(await page.locator("#lanes-closer").isDisabled(), true);
  for (const span of ["30 seconds", "2 minutes", "10 minutes"]) {
    await page.locator("#lanes-wider").click();
    assert.equal(await page.locator("#lanes-title").textContent(), `Last ${span}`);
  }
  assert.equal(await page.locator("#lanes-wider").isDisabled(), true);
  await page.mouse.move(0, 0);
  // All of the page's life is seen now, however long the machine takes over it.
  await following.host.cut();
  await until("the loss was mended by a read", async () => /, [2-9] reads of the log, 1 losses, 2 openings of the stream$/.test((await label()) ?? ""));
  await page.locator("#lanes").focus();
  let seen = "";
  for (let bar = 0; bar < 150 && !/stream lost/.test(seen); bar++) {
    await page.keyboard.press("ArrowLeft");
    seen = (await page.locator("#lanes-tip").textContent()) ?? "";
  }
  assert.match(seen, /^[\d.]+ s ago: .*stream lost.*; /);
  await page.locator("#lanes").blur();
  await following.converged();
});

test("the naive client beside it doubles what a cut repeats, and the thread does not", async () => {
  const following = await world.follow();
  const { page, host, thread } = following;
  await page.locator("#naive summary").click();
  await until("the naive client follows", async () => (await host.sent(thread)).followers === 2);
  const { run, active } = await following.startAndHold("/plain", 6);
  await until("it shows what came", async () => (await page.locator("#naive-text").textContent()) === active.text);
  await host.cut();
  await until("it has the beginning twice", async () => (await page.locator("#naive-text").textContent()) === active.text + active.text);
  await host.release(thread);
  await host.rested(thread, run);
  await until("it is found out", async () => /wrong: \d+ characters too many/.test((await page.locator("#naive-verdict").textContent()) ?? ""));
  await following.converged();
  await page.locator("#naive summary").click();
  await until("it leaves", async () => (await host.sent(thread)).followers === 1);
});

test("a session is saved to a file, and a file is played again without its host's thread", async () => {
  const { host } = world;
  const thread = world.thread("session");
  for (const word of ["/plain", "/tools"]) {
    const { run_id } = await host.send(thread, word);
    await host.rested(thread, run_id);
  }
  const page = await open(world.context, host, thread);
  await live(page);
  const items = () => page.evaluate(() => globalThis.thread.view.items.map(({ key, kind }) => `${key} ${kind}`));
  const recorded = await items();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#session-save").click()]);
  assert.equal(download.suggestedFilename(), `thread-${thread}.json`);
  const file = await download.path();

  await page.locator("#session-file").setInputFiles({ name: "notes.json", mimeType: "application/json", buffer: Buffer.from('{"a":1}') });
  await until("another file is refused", async () => /is no session/.test((await page.locator("#session-outcome").textContent()) ?? ""));

  await page.locator("#session-file").setInputFiles(file);
  await page.waitForURL(/replay/);
  await until("an answer is streamed anew", () => page.evaluate(() => globalThis.thread?.view.items.some((item) => item.kind === "assistant" && item.origin === "preview")));
  await until("it comes to the same", async () => JSON.stringify(await items()) === JSON.stringify(recorded), 60_000);
  assert.equal(await page.evaluate(() => globalThis.thread.stats().reopens), 0);
});
