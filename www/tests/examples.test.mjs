// @ts-check
// The example pages: a stock `useChat` page of either version on threadfold, the same on the SDK's default transport, and
// `useThread`. What the page shows is compared with the log; how often React rendered is counted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { errors, watch } from "./support/browser.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

const world = await World.start({ deltaMs: 2, pingMs: 300 });
const { host } = world;

/** @typedef {import("playwright-core").Page} Page */

/** Opens an example on a thread. @param {string} name @param {string} thread @param {string} [more] */
async function open(name, thread, more = "") {
  const page = await world.context.newPage();
  watch(page);
  await page.goto(`${host.origin}/examples/${name}.html?thread=${thread}${more}`);
  await page.locator("#draft").waitFor();
  return page;
}

/** @param {Page} page @param {string} text */
async function say(page, text) {
  await page.locator("#draft").fill(text);
  await page.locator("#send").click();
}

/** @param {Page} page @param {string} status */
const rests = (page, status = "ready") => until(`the chat is ${status}`, async () => (await page.locator("main").getAttribute("data-status")) === status);

/** The messages on the page. @param {Page} page @returns {Promise<{ id: string, role: string, text: string }[]>} */
const shown = (page) =>
  page.locator("article").evaluateAll((all) =>
    all.map((element) => {
      const { message, key, role } = /** @type {HTMLElement} */ (element).dataset;
      const texts = [...element.querySelectorAll('[data-part="text"]')].map((part) => part.textContent);
      return { id: String(message ?? key), role: String(role), text: texts.join("") };
    }),
  );

/** How often React rendered each message so far. @param {Page} page @returns {Promise<Record<string, number>>} */
const renders = (page) => page.evaluate(() => Object.fromEntries(/** @type {any} */ (window).renders));

/** Runs and texts of the log. @param {string} thread */
async function log(thread) {
  const response = await fetch(`${host.origin}/v1/threads/${thread}/committed?limit=1000`);
  const { messages, runs } = /** @type {any} */ (await response.json());
  const text = (/** @type {any} */ message) => message.content.map((/** @type {any} */ block) => (block.type === "text" ? block.text : "")).join("");
  return {
    answer: messages.filter((/** @type {any} */ row) => row.message.role === "Assistant").map((/** @type {any} */ row) => text(row.message)).join(""),
    run: runs.at(-1)?.run_id,
    state: runs.at(-1)?.state,
  };
}

for (const version of [6, 7]) {
  const ai = `&ai=${version}`;

  /** A page whose agent holds in the middle of its answer. @param {string} text @param {number} deltas */
  const streaming = async (text, deltas) => {
    const thread = world.thread("useChat");
    await host.rested(thread, (await host.send(thread, "/plain")).run_id);
    const page = await open("threadfold", thread, ai);
    await rests(page);
    await host.hold(thread, deltas);
    await say(page, text);
    const { active } = await host.held(thread);
    await until("the page shows what was sent", async () => (await shown(page)).at(-1)?.text === active.text);
    return { thread, page, active };
  };

  /** The run is over, and the page shows it so. @param {Page} page @param {string} thread */
  const settled = async (page, thread) => {
    await host.release(thread);
    await until("the run is over", async () => typeof (await log(thread)).state === "object");
    const { answer, run } = await log(thread);
    await until("the page shows the log", async () => {
      const assistant = (await shown(page)).filter(({ role }) => role === "assistant");
      return assistant.map(({ text }) => text).join("") === answer && assistant.at(-1)?.id === run;
    });
    await rests(page);
    assert.deepEqual(errors(page), []);
  };

  test(`useChat ${version}: ids do not change on commit, and a settled message is rendered no second time`, async () => {
    const { thread, page, active } = await streaming("/tools", 12);
    const before = await shown(page);
    assert.equal(before.at(-1)?.id, active.run_id);
    await settled(page, thread);
    assert.deepEqual((await shown(page)).map(({ id }) => id), before.map(({ id }) => id));
    const counted = await renders(page);
    await say(page, "/reason");
    await until("there is another answer", async () => (await shown(page)).length === before.length + 2);
    await settled(page, thread);
    await host.cut();
    await page.locator("#connection", { hasText: "live" }).waitFor();
    const { [before.at(-1)?.id ?? ""]: last, ...others } = counted;
    for (const [id, count] of Object.entries({ ...others, [active.run_id]: last })) assert.equal((await renders(page))[id], count, id);
  });

  test(`useChat ${version}: a cut in the middle of an answer is not seen`, async () => {
    const { thread, page, active } = await streaming("/plain", 12);
    await page.locator("#cut").click();
    await host.hold(thread, 5);
    await until("the answer goes on", async () => {
      const sent = await host.sent(thread);
      return sent.held && sent.active && sent.active.text !== active.text && (await shown(page)).at(-1)?.text === sent.active.text;
    });
    assert.equal(await page.locator("main").getAttribute("data-status"), "streaming");
    await settled(page, thread);
  });

  test(`useChat ${version}: a reload in the middle of an answer goes on where it was`, async () => {
    const { thread, page, active } = await streaming("/reason", 45);
    const before = await shown(page);
    await page.reload();
    await page.locator("#draft").waitFor();
    await until("all of it is there again", async () => JSON.stringify(await shown(page)) === JSON.stringify(before));
    assert.equal(before.at(-1)?.text, active.text);
    await settled(page, thread);
  });

  test(`useChat ${version}: the host is killed in the middle of an answer and started again`, async () => {
    const { thread, page } = await streaming("/plain", 12);
    await host.kill();
    await host.begin();
    await until("the run's end is known", async () => typeof (await log(thread)).state === "object");
    await rests(page, "error");
    const { answer, run } = await log(thread);
    assert.match(await page.locator('[role="alert"]').innerText(), /^indeterminate: /);
    const assistant = (await shown(page)).filter(({ role }) => role === "assistant");
    assert.deepEqual([assistant.map(({ text }) => text).join(""), assistant.at(-1)?.id], [answer, run]);
    await say(page, "/plain");
    await until("there is another answer", async () => (await shown(page)).length === 6);
    await settled(page, thread);
  });

  test(`useChat ${version}: a pending approval outlives a reload and is answered after it`, async () => {
    const thread = world.thread("approval");
    const page = await open("threadfold", thread, ai);
    await say(page, "/approve");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await rests(page);
    const before = await shown(page);
    await page.reload();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    assert.deepEqual(await shown(page), before);
    await page.getByRole("button", { name: "Allow" }).click();
    await until("the mail is sent", async () => /Done: the mail/.test((await shown(page)).at(-1)?.text ?? ""));
    await settled(page, thread);
    assert.equal((await shown(page)).length, 2);
  });

  test(`useChat ${version}: a client's tool is answered on the page`, async () => {
    const thread = world.thread("tool");
    const page = await open("threadfold", thread, ai);
    await say(page, "/client-tool");
    await page.getByRole("button", { name: "plum" }).click();
    await until("the colour is told", async () => /The title is plum now/.test((await shown(page)).at(-1)?.text ?? ""));
    await settled(page, thread);
  });

  test(`useChat ${version}: a run that failed while nobody looked is an error after the reload`, async () => {
    const { thread, page } = await streaming("/fail", 4);
    await page.goto("about:blank");
    await host.release(thread);
    await until("the run failed", async () => typeof (await log(thread)).state === "object");
    const again = await open("threadfold", thread, ai);
    await rests(again, "error");
    assert.match(await again.locator('[role="alert"]').innerText(), /^upstream_unavailable: /);
    assert.deepEqual((await shown(again)).map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
  });

  test(`useChat ${version}: an attempt that fails in the middle of its text leaves nothing behind`, async () => {
    const { thread, page } = await streaming("/fail-mid", 5);
    await settled(page, thread);
    assert.deepEqual(await page.locator('[role="alert"]').count(), 0);
  });

  test(`useChat ${version}: Stop ends the run for everybody`, async () => {
    const { thread, page } = await streaming("/slow", 5);
    await page.locator("#stop").click();
    await settled(page, thread);
    assert.deepEqual((await log(thread)).state, { Ended: "Cancelled" });
  });
}

for (const version of [6, 7]) {
  test(`useChat ${version} on the default transport: a cut leaves half an answer, and a reload nothing`, async () => {
    const thread = world.thread("stock");
    const page = await open("stock", thread, `&ai=${version}`);
    await host.hold(thread, 12);
    await say(page, "/plain");
    const { active } = await host.held(thread);
    await until("it shows", async () => (await shown(page)).at(-1)?.text === active.text);
    await page.locator("#cut").click();
    await rests(page, "error");
    await host.release(thread);
    await until("the run is over", async () => typeof (await log(thread)).state === "object");
    const { answer } = await log(thread);
    assert.equal((await shown(page)).at(-1)?.text, active.text);
    assert.notEqual(active.text, answer);
    await page.reload();
    await page.locator("#draft").waitFor();
    assert.deepEqual(await shown(page), []);
    // The thread has it all the same.
    const other = await open("threadfold", thread, `&ai=${version}`);
    await until("threadfold shows it", async () => (await shown(other)).at(-1)?.text === answer);
  });
}

test("useThread: a settled item is rendered no second time, and strict mode leaves one client open", async () => {
  const thread = world.thread("useThread");
  await host.rested(thread, (await host.send(thread, "/tools")).run_id);
  const page = await open("react", thread);
  await page.locator("#connection", { hasText: "live" }).waitFor();
  const states = () => page.evaluate(() => /** @type {any} */ (window).made.map((/** @type {any} */ client) => client.view.status.state));
  assert.deepEqual((await states()).filter((/** @type {string} */ state) => state === "live").length, 1);
  await until("one stream is open", async () => (await host.sent(thread)).followers === 1);
  const before = await renders(page);
  await host.hold(thread, 12);
  await say(page, "/reason");
  const { active } = await host.held(thread);
  await until("it streams", async () => (await page.locator('[data-part="reasoning"]').last().innerText()) === active.reasoning);
  const keys = (await shown(page)).map(({ id }) => id);
  await host.release(thread);
  await page.locator('[data-kind="finished"]').nth(1).waitFor({ state: "attached" });
  assert.deepEqual((await shown(page)).map(({ id }) => id).slice(0, keys.length), keys);
  await host.cut();
  await until("it is live again", async () => (await host.sent(thread)).followers === 1);
  const after = await renders(page);
  for (const [key, count] of Object.entries(before)) assert.equal(after[key], count, key);
  // Another thread, then none: no client is left behind.
  await page.evaluate((other) => /** @type {any} */ (window).show(other), world.thread("other"));
  await until("the first is left", async () => (await host.sent(thread)).followers === 0);
  await page.evaluate(() => /** @type {any} */ (window).show(null));
  await until("all are closed but those that never began", async () => (await states()).every((/** @type {string} */ state) => state === "closed" || state === "idle"));
  assert.deepEqual(errors(page), []);
});
