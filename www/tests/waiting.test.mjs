// @ts-check
// Runs that wait: for a permission, for this page's own tool, for somebody to go on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { live, ready } from "./support/browser.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

const world = await World.start();
const { host } = world;

/** Starts a run that waits, and waits for its question. @param {import("./support/world.mjs").Following} page @param {string} text */
async function waiting(page, text) {
  const run = await page.page.evaluate(async (text) => String((await thread.send(text)).run_id), text);
  const row = await host.rested(page.thread, run);
  await page.converged();
  assert.equal((await page.view()).run?.state, "awaiting");
  return { run, row };
}

/** The next row after `seq` at which the run rests. @param {string} thread @param {string} run @param {number} seq */
function next(thread, run, seq) {
  return until("the run went on and rests", async () => {
    const row = await host.run(thread, run);
    return row.state !== "Running" && row.seq > seq ? row : undefined;
  });
}

test("a permission that is pending over a reload can still be given", async () => {
  const page = await world.follow();
  const { run, row } = await waiting(page, "/approve");
  await page.page.reload();
  await ready(page.page);
  await page.converged();
  await page.answer(row);
  assert.deepEqual((await next(page.thread, run, row.seq)).state, { Ended: "NaturalEnd" });
  await page.converged();
  const text = await page.page.locator("#items").innerText();
  assert.match(text, /the mail was sent to ada@example\.org/);
});

test("a permission that is refused is a result that says so", async () => {
  const page = await world.follow();
  const { run, row } = await waiting(page, "/approve");
  await page.page.locator('[data-kind="awaiting"] [data-action="deny"]').click();
  await next(page.thread, run, row.seq);
  await page.converged();
  assert.match(await page.page.locator("#items").innerText(), /I did not send the mail/);
});

test("the page's own tool is answered by the page", async () => {
  const page = await world.follow();
  const { run, row } = await waiting(page, "/client-tool");
  const { parts } = /** @type {any} */ ((await page.view()).items.find((item) => item.kind === "assistant" && item.run_id === run));
  assert.equal(parts.find((/** @type {any} */ part) => part.type === "tool_call").state, "pending_client");
  await page.page.evaluate((call) => thread.resume(call, { content: "indigo" }), row.resume_ticket.target.ToolCall.call_id);
  await next(page.thread, run, row.seq);
  await page.converged();
  assert.match(await page.page.locator("#items").innerText(), /The title is indigo now/);
});

test("a second pause after a resume waits again, and the first stays resolved", async () => {
  const page = await world.follow();
  const { run, row } = await waiting(page, "/two-pauses");
  await page.answer(row);
  const second = await next(page.thread, run, row.seq);
  assert.equal(second.state, "Awaiting");
  await page.converged();
  await page.page.reload();
  await ready(page.page);
  await page.converged();
  const rests = (await page.view()).items.filter((item) => item.kind === "awaiting").map((item) => [item.reason, item.resolved]);
  assert.deepEqual(rests, [["manual_pause", true], ["budget_reached", false]]);
  await page.answer(second);
  assert.deepEqual((await next(page.thread, run, second.seq)).state, { Ended: "NaturalEnd" });
  await page.converged();
});

test("of two tabs that answer, the first wins and the other is told", async () => {
  const one = await world.follow();
  const two = await world.follow({ thread: one.thread, first: null });
  await live(two.page);
  const { run, row } = await waiting(one, "/approve");
  await two.converged();
  const codes = await Promise.all(
    [one, two].map(({ page }, index) =>
      page.evaluate(
        ([call, approve]) => thread.resume(/** @type {string} */ (call), { approve: /** @type {boolean} */ (approve) }).then(() => "accepted", (error) => error.code),
        [row.resume_ticket.target.ToolCall.call_id, index === 0],
      ),
    ),
  );
  assert.equal(codes.filter((code) => code === "accepted").length, 1, String(codes));
  assert.ok(codes.some((code) => ["already_resolved", "nothing_pending"].includes(code)), String(codes));
  await next(one.thread, run, row.seq);
  await one.converged();
  await two.converged();
});

test("a run that is cancelled in the middle keeps what was seen, and says that it was cancelled", async () => {
  const page = await world.follow();
  const { run } = await page.startAndHold("/plain", 10);
  const { text } = await page.caughtUp();
  await page.page.locator("#stop").click();
  await host.rested(page.thread, run);
  await page.converged();
  const shown = await page.page.locator("#items").innerText();
  assert.ok(shown.includes(text) && /cancelled/i.test(shown), shown);
});
