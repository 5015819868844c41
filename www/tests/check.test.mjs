// @ts-check
// The checks can fail: a row that was altered, a client that only reads what was committed, a view that shows other text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { verdict } from "./support/judge.mjs";
import { isPrefix } from "./support/session.mjs";
import { tamper } from "./support/tamper.mjs";
import { World } from "./support/world.mjs";

const world = await World.start();
const { host } = world;

test("the judge sees one altered character of a committed row", async () => {
  const page = await world.follow();
  await page.converged();
  await tamper(host.db, page.thread);
  const { equal, differences } = await verdict(page.page, host.db, page.thread, 0);
  assert.equal(equal, false);
  assert.ok(differences.some((line) => line.startsWith("view:")), differences.join("\n"));
  assert.ok(differences.some((line) => line.startsWith("page:")), differences.join("\n"));
  assert.ok(differences.some((line) => line.startsWith("facts:")), differences.join("\n"));
});

test("the judge sees visible text that differs from the view", async () => {
  const page = await world.follow();
  await page.converged();
  await page.page.evaluate(() => document.querySelector('[data-kind="assistant"] [data-part="text"]')?.append("!"));
  const { differences } = await verdict(page.page, host.db, page.thread, 0);
  assert.equal(differences.filter((line) => line.startsWith("page:")).length, 1, differences.join("\n"));
});

test("a client that gets no live stream and only reads fails at the first checkpoint", async () => {
  const proxy = await world.proxy();
  const page = await world.follow({ through: proxy });
  proxy.instead = (request) => (request.url?.includes("/live") ? { status: 503 } : undefined);
  proxy.cut();
  await page.startAndHold("/plain", 10);
  page.patience = 1500;
  await assert.rejects(page.caughtUp(), /checkpoint at 0\.0 after 10 Deltas/);
  await host.release(page.thread);
});

test("less than what was sent, more of it, and a settled item are no prefix", () => {
  const sent = { run_id: "r", step: 0, response: 0, count: 2, text: "ab", reasoning: "", calls: [] };
  const shown = { origin: ["preview", "preview"], seq: null, text: "ab", view: "ab", reasoning: "", calls: [] };
  assert.ok(isPrefix(shown, sent));
  for (const wrong of [{ text: "a" }, { text: "abab" }, { view: "a" }, { origin: ["committed", "committed"] }, { seq: "3" }, { reasoning: "x" }]) {
    assert.ok(!isPrefix({ ...shown, ...wrong }, sent), JSON.stringify(wrong));
  }
  assert.ok(!isPrefix(null, sent));
});
