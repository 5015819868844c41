// @ts-check
// Chromium, and pages of the demo in it.

import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { until } from "./until.mjs";

const ARGS = [
  "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const OBSERVE = await readFile(new URL("observe.js", import.meta.url), "utf8");

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./host.mjs").Host} Host */

/** One browser; a test file has one of its own. `BROWSER` says which; Chromium where it does not. @param {string[]} [more] For Chromium. */
export async function launch(more = []) {
  if (process.env.BROWSER === "firefox") return /** @type {import("playwright-core").Browser} */ ((await import("./firefox.mjs")).launch());
  const executablePath = process.env.CHROME ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: [...ARGS, ...more] });
}

/** A context whose pages can be observed. @param {import("playwright-core").Browser} browser */
export async function context(browser, options = {}) {
  const made = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await made.addInitScript(OBSERVE);
  return made;
}

/** What a page said on its console that it should not have said. @type {WeakMap<Page, string[]>} */
const complaints = new WeakMap();

/** Errors of the page's own scripts so far. @param {Page} page */
export function errors(page) {
  return complaints.get(page) ?? [];
}

/** Notes what goes wrong in a page's scripts from now on. @param {Page} page */
export function watch(page) {
  /** @type {string[]} */
  const said = [];
  complaints.set(page, said);
  page.on("pageerror", (error) => said.push(String(error.stack ?? error)));
  return page;
}

/**
 * Opens the demo on a thread. Resolves once the page's client is there, connected or not.
 * @param {import("playwright-core").BrowserContext} context
 * @param {Host} host
 * @param {string} thread
 * @param {string} [more] Of the address: `&transport=fetch`, say.
 */
export async function open(context, host, thread, more = "") {
  const page = watch(await context.newPage());
  await page.goto(`${host.origin}/?thread=${encodeURIComponent(thread)}${more}`);
  await ready(page);
  return page;
}

/** The page's client is there. @param {Page} page */
export async function ready(page) {
  await page.waitForFunction(() => /** @type {any} */ (globalThis).thread !== undefined, undefined, { timeout: 60_000 });
  await page.evaluate(() => /** @type {any} */ (globalThis).judge.listen());
}

/** The client follows live. @param {Page} page */
export function live(page) {
  return until("the page is live", () => page.evaluate(() => thread.view.status.state === "live"));
}

/** @param {Page} page @returns {Promise<import("../../../pkg/index.js").View>} */
export async function view(page) {
  return JSON.parse(await page.evaluate(() => JSON.stringify(thread.view)));
}

/** @param {Page} page @returns {Promise<import("../../../pkg/index.js").Stats>} */
export function stats(page) {
  return page.evaluate(() => ({ ...thread.stats() }));
}

/** The page shows the run as this, committed. @param {Page} page @param {string} run @param {string[]} states */
export function shows(page, run, states, patience = 30_000) {
  return until(
    `the page shows ${run} as ${states.join(" or ")}`,
    () =>
      page.evaluate(
        ([run, states]) =>
          thread.view.items.some((item) => item.run_id === run && states.includes(item.kind) && !("resolved" in item && item.resolved)) ? true : undefined,
        /** @type {const} */ ([run, states]),
      ),
    patience,
  );
}
