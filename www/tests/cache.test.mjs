// @ts-check
// Leaving the page and coming back by the browser's own button.

import assert from "node:assert/strict";
import { test } from "node:test";
import { live, ready } from "./support/browser.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

// Playwright switches Chromium's back-forward cache off, for it can't follow pages there. Firefox has its own on, and keeps
// a page in it that has no stream open when it is left.
const KEEPS = process.env.BROWSER === "firefox";

const world = await World.start({ pingMs: 200 });
const { host } = world;
// What the host serves is not to be stored, and so not kept either; this door's files are.
const door = await world.proxy();

/** @param {import("./support/world.mjs").Following} page */
async function leave({ page }) {
  await page.evaluate(() => {
    Object.assign(window, { kept: false });
    addEventListener("pageshow", ({ persisted }) => Object.assign(window, { kept: persisted }));
  });
  await page.goto(`${door.origin}/pkg/package.json`);
}

/** Comes back; says whether it is the page that was left. @param {import("./support/world.mjs").Following} page */
async function comeBack({ page }) {
  await page.goBack();
  const kept = (await page.evaluate(() => /** @type {any} */ (globalThis).kept)) === true;
  if (!kept) await ready(page);
  await live(page);
  return kept;
}

test("a page that was left in the middle of an answer goes on where the host stands when it is come back to", async () => {
  const page = await world.follow({ through: door });
  const { run } = await page.startAndHold("/plain", 8);
  await page.caughtUp();
  await leave(page);
  await page.more(8);
  await comeBack(page);
  await page.caughtUp();
  await page.more(8);
  await page.caughtUp();
  assert.deepEqual((await page.finish(run)).state, { Ended: "NaturalEnd" });
});

test("an answer that was committed while the page was left is there when it is come back to", async () => {
  const page = await world.follow({ through: door });
  const { run } = await page.startAndHold("/plain", 8);
  await page.caughtUp();
  await leave(page);
  await host.release(page.thread);
  await host.rested(page.thread, run);
  await comeBack(page);
  await page.converged();
});

test("a page that was left without a network, and kept, follows again when it is shown with one", async () => {
  const page = await world.follow({ through: door });
  const { run } = await page.startAndHold("/plain", 8);
  await page.caughtUp();
  await world.context.setOffline(true);
  await until("the page is offline", async () => (await page.view()).status.state === "offline");
  door.cut();
  await until("no stream is open", async () => (await host.sent(page.thread)).followers === 0);
  // The browser counts a request as open for a moment longer.
  await new Promise((resolve) => setTimeout(resolve, 500));
  // Chromium loads nothing without a network, so it gets one back before it leaves.
  if (!KEEPS) await world.context.setOffline(false);
  await leave(page);
  await world.context.setOffline(false);
  await page.more(8);
  assert.equal(await comeBack(page), KEEPS);
  await page.caughtUp();
  await page.finish(run);
});
