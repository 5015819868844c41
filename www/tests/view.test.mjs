// @ts-check
// What stays: keys and elements from the first fragment to the commit, settled items while others stream, the view itself
// whatever happens to the wire.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ready } from "./support/browser.mjs";
import { World } from "./support/world.mjs";

const world = await World.start();
const { host } = world;

for (const word of ["/plain", "/reason", "/tools", "/length", "/unicode"]) {
  test(`${word}: an answer keeps its key and its element from the first fragment to the commit`, async () => {
    const page = await world.follow();
    await page.page.evaluate(() => judge.watch());
    const { run, active } = await page.startAndHold(word, 3);
    await page.caughtUp();
    const key = await page.page.evaluate(
      ([run, step, response]) => {
        const { key } = judge.response(run, step, response);
        const element = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
        Object.assign(window, { kept: [element, element?.querySelector("[data-part]")] });
        return key;
      },
      /** @type {const} */ ([active.run_id, active.step, active.response]),
    );
    await page.finish(run);
    const same = await page.page.evaluate((key) => {
      const element = /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${CSS.escape(key)}"]`));
      return [element === window.kept[0], element?.querySelector("[data-part]") === window.kept[1], element?.dataset.origin];
    }, key);
    assert.deepEqual(same, [true, true, "committed"]);
    const reloaded = (await page.view()).items.map((item) => item.key);
    await page.page.reload();
    await ready(page.page);
    await page.converged();
    assert.deepEqual((await page.view()).items.map((item) => item.key), reloaded, "a reload gives the same keys");
  });
}

test("settled items are not touched while another answer streams and is committed", async () => {
  const page = await world.follow();
  await page.page.evaluate(() => {
    judge.settled();
    Object.assign(window, { before: [...thread.view.items] });
  });
  const { run } = await page.startAndHold("/reason", 20);
  await page.caughtUp();
  await page.finish(run);
  assert.deepEqual(await page.page.evaluate(() => judge.touched), []);
  assert.ok(await page.page.evaluate(() => window.before.every((item, at) => thread.view.items[at] === item)), "they are the same objects");
});

test("a new epoch, a cut and a lost host never leave the view blank", async () => {
  const page = await world.follow();
  await page.page.evaluate(() => judge.watch());
  await host.admin(page.thread, "epoch", {});
  await page.converged();
  const { run } = await page.startAndHold("/plain", 8);
  await page.caughtUp();
  await host.cut();
  await page.caughtUp();
  await page.finish(run);
  await host.kill();
  await host.begin();
  await page.converged();
});

test("a log that lost commits is shown as it is now, in one change", async () => {
  const page = await world.follow();
  await host.rested(page.thread, (await host.send(page.thread, "/reason")).run_id);
  await page.converged();
  await host.admin(page.thread, "epoch", { lose_commits: 2 });
  await page.page.waitForFunction(() => thread.view.items.length === 3);
  await page.converged();
});

test("the same view object until something changes, and one that JSON tells whole", async () => {
  const page = await world.follow();
  const said = await page.page.evaluate(async () => {
    const one = thread.view;
    await new Promise((resolve) => setTimeout(resolve, 700));
    const { items } = thread.view;
    return [one === thread.view, Object.isFrozen(items) || Array.isArray(items), JSON.parse(JSON.stringify(thread.view)).items.length];
  });
  assert.deepEqual(said, [true, true, 3]);
});

test("three thousand Deltas are shown to the last one", async () => {
  const page = await world.follow();
  const { run } = await page.startAndHold("/long 3000", 3_000);
  await page.caughtUp();
  await page.finish(run);
});
