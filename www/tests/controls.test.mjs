// @ts-check
// The demo's own controls: each button that breaks something does, and is undone; the keyboard alone reaches everything;
// and what a screen reader is told is sentences, never fragments.

import assert from "node:assert/strict";
import { test } from "node:test";
import { context, live, open, ready } from "./support/browser.mjs";
import { until } from "./support/until.mjs";
import { Following, World } from "./support/world.mjs";

const world = await World.start({ deltaMs: 3 });
const { host } = world;

/** @param {import("playwright-core").Page} page @param {string} name */
const fault = (page, name) => page.locator(`[data-fault="${name}"]`);
/** @param {import("playwright-core").Page} page */
const state = (page) => page.evaluate(() => globalThis.thread.view.status.state);

test("the buttons that break the wire are held by the host for this thread alone, and let go", async () => {
  const { page, thread } = await world.follow();
  const on = async () => (await (await fetch(`${host.origin}/admin/faults`)).json()).active.filter((/** @type {any} */ set) => set.thread === thread).map((/** @type {any} */ set) => set.spec).join();
  for (const [name, word] of [["drop", "drop:0.2"], ["duplicate", "duplicate:0.2"], ["delay", "delay:120"]]) {
    await fault(page, name).click();
    await until(`${name} is on`, async () => (await on()) === word);
    await until(`${name} is shown as on`, async () => (await fault(page, name).getAttribute("aria-pressed")) === "true");
    await fault(page, name).click();
    await until(`${name} is off`, async () => (await on()) === "");
    await until(`${name} is shown as off`, async () => (await fault(page, name).getAttribute("aria-pressed")) === "false");
  }
  await fault(page, "half-open").click();
  await fault(page, "drop").click();
  await until("both are on", async () => (await on()) === "drop:0.2,half-open:5");
  await host.clearFaults();
});

test("cutting the wire in the middle of an answer, going offline and killing the host do what they say", async () => {
  const following = await world.follow();
  const { page, thread } = following;
  const { run } = await following.startAndHold("/plain", 6);
  const { losses } = await following.stats();
  await fault(page, "cut").click();
  await until("the loss is counted", async () => (await following.stats()).losses > losses);
  await live(page);
  assert.match((await page.locator("#fault-outcome").textContent()) ?? "", /cut/);

  await fault(page, "offline").click();
  await until("the page is offline", async () => (await state(page)) === "offline");
  assert.equal(await fault(page, "offline").textContent(), "Go online");
  await host.release(thread);
  await host.rested(thread, run);
  await fault(page, "offline").click();
  await live(page);
  await following.converged();

  await fault(page, "exit").click();
  await until("the host is gone", async () => (await state(page)) !== "live");
  await host.kill();
  await host.begin();
  await live(page);
  await following.converged();
});

test("a reload and a second tab show the same thread", async () => {
  const { page, thread } = await world.follow();
  const items = (/** @type {import("playwright-core").Page} */ of) => of.evaluate(() => globalThis.thread.view.items.map(({ key }) => key).join());
  const before = await items(page);
  await Promise.all([page.waitForEvent("load"), fault(page, "reload").click()]);
  await ready(page);
  await live(page);
  assert.equal(await items(page), before);
  const [second] = await Promise.all([world.context.waitForEvent("page"), fault(page, "tab").click()]);
  await ready(second);
  await live(second);
  assert.equal(await items(second), before);
  await new Following(host, second, thread).converged();
});

for (const width of [1280, 360]) {
  test(`the keyboard alone: say something, answer, break something, ${width} px wide`, async () => {
    const own = await context(world.browser, { viewport: { width, height: 740 } });
    const page = await open(own, host, world.thread("keyboard"));
    /** @param {string} selector Presses Tab until the focus is there. */
    const reach = async (selector) => {
      const isThere = () => page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector);
      for (let tabs = 0; !(await isThere()); tabs++) {
        assert.ok(tabs < 60, `Tab reaches ${selector}`);
        await page.keyboard.press("Tab");
      }
    };
    /** What has the focus can be seen to have it. */
    const isOutlined = () => page.evaluate(() => document.activeElement !== null && getComputedStyle(document.activeElement).outlineStyle !== "none");
    try {
      await reach("a.skip");
      await page.keyboard.press("Enter");
      assert.equal(await page.evaluate(() => document.activeElement?.id), "draft", "the skip link leads to the message box");
      await page.keyboard.type("/approve");
      await page.keyboard.press("Enter");
      await page.locator('[data-action="approve"]').waitFor();
      await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector("a.skip")).focus());
      await reach('[data-action="approve"]');
      assert.ok(await isOutlined(), "the answer is outlined");
      await page.keyboard.press("Enter");
      await until("the run is over", () => page.evaluate(() => globalThis.thread.view.run?.state === "finished"));
      if (width === 360) {
        await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector("a.skip")).focus());
        await reach("#panel-toggle");
        await page.keyboard.press("Enter");
        assert.equal(await page.evaluate(() => document.activeElement?.id), "panel-close", "the sheet takes the focus");
      }
      await reach("#lanes");
      assert.ok(await isOutlined(), "the picture is outlined");
      await page.keyboard.press("+");
      assert.equal(await page.locator("#lanes-title").textContent(), "Last 10 seconds");
      await reach("#naive summary");
      await page.keyboard.press("Enter");
      assert.equal(await page.locator("#naive").evaluate((/** @type {HTMLDetailsElement} */ details) => details.open), true);
      await reach('[data-fault="offline"]');
      await page.keyboard.press("Space");
      await until("the page is offline", async () => (await state(page)) === "offline");
      await page.keyboard.press("Space");
      await live(page);
      await reach("#session-open");
      if (width === 360) {
        await page.keyboard.press("Escape");
        assert.equal(await page.evaluate(() => document.activeElement?.id), "panel-toggle", "the focus comes back");
      }
    } finally {
      await own.close();
    }
  });
}

test("a screen reader is told whole sentences while an answer streams, and what was decided", async () => {
  const following = await world.follow();
  const { page } = following;
  await page.evaluate(() => {
    const region = /** @type {HTMLElement} */ (document.querySelector("#announcer"));
    Object.assign(globalThis, { heard: [] });
    new MutationObserver(() => /** @type {any} */ (globalThis).heard.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
  });
  const heard = () => page.evaluate(() => /** @type {string[]} */ (/** @type {any} */ (globalThis).heard));
  const { deltas } = await following.stats();
  const { run, active } = await following.startAndHold("/plain", 30);
  await until("something of the answer is told", async () => (await heard()).length > 0);
  const [first = ""] = await heard();
  assert.ok(active.text.includes(first) && active.text.length > first.length, `"${first}" is the sentences so far and not the beginning of the next`);
  await following.finish(run);
  await until("the end is told", async () => (await heard()).some((text) => /finished/i.test(text)));
  const told = await heard();
  const streamed = (await following.stats()).deltas - deltas;
  assert.ok(told.length * 8 <= streamed, `${told.length} announcements of ${streamed} Deltas`);
  for (const text of told) assert.match(text, /[.!?…]$/, "an announcement ends with a sentence");
  assert.equal(await page.locator("[aria-live]:not(#announcer)").count(), 0, "nothing else speaks");
  await following.converged();
});
