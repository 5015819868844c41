// @ts-check
// Opening, closing, several tabs, a network that goes and comes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { live } from "./support/browser.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

const world = await World.start();
const { host } = world;

test("connect, close, connect in one tick: the closed client stays closed, and a new one follows", async () => {
  const thread = await world.settled();
  const page = await world.bare();
  const said = await page.evaluate(async (id) => {
    const first = client(id);
    const connecting = first.connect().then(() => "live", (error) => error.code);
    first.close();
    const again = first.connect().then(() => "live", (error) => error.code);
    const second = client(id);
    const third = client(id);
    third.connect();
    third.close();
    const live = await second.connect().then(() => "live", (error) => error.code);
    const said = [await connecting, await again, live, first.view.status.state, second.view.status.state, second.view.items.length];
    second.close();
    return said;
  }, thread);
  assert.deepEqual(said, ["closed", "closed", "live", "closed", "live", 3]);
  await until("no stream is left open", async () => (await host.sent(thread)).followers === 0);
  assert.equal(await page.evaluate(() => held.sources.size), 0);
});

test("closing a client in each of its callbacks is safe", async () => {
  const thread = await world.settled();
  const page = await world.bare();
  const said = await page.evaluate(async (id) => {
    const one = client(id);
    one.subscribe(() => one.close());
    const first = await one.connect().then(() => "live", (error) => error.code);
    const two = client(id);
    let seen = 0;
    void two.connect().catch(() => {});
    for await (const event of two.events()) {
      seen += 1;
      if (event.type === "fact") two.close();
    }
    return [first, seen > 0, one.view.status.state, two.view.status.state];
  }, thread);
  assert.ok(["closed", "live"].includes(String(said[0])), String(said));
  assert.deepEqual(said.slice(1), [true, "closed", "closed"]);
  await until("no stream is left open", async () => (await host.sent(thread)).followers === 0);
});

test("N23: two tabs on one thread both show what either of them said, and converge", async () => {
  const one = await world.follow();
  const two = await world.follow({ thread: one.thread, first: null });
  await live(two.page);
  const { run } = await one.startAndHold("/reason", 9);
  await one.caughtUp();
  await two.caughtUp();
  for (const { page } of [one, two]) {
    assert.ok(await page.locator('[data-kind="user"]').last().innerText().then((text) => text.includes("/reason")));
  }
  await one.finish(run);
  await two.converged();
  const second = await two.startAndHold("/tools", 9);
  await one.caughtUp();
  await two.finish(second.run);
  await one.converged();
  assert.deepEqual((await one.view()).items, (await two.view()).items);
});

test("offline is a state, the view stays, and going online takes it up again", async () => {
  const page = await world.follow();
  const { run } = await page.startAndHold("/plain", 8);
  const { text } = await page.caughtUp();
  await world.context.setOffline(true);
  await until("the page is offline", async () => (await page.view()).status.state === "offline");
  assert.ok((await page.page.locator("#items").innerText()).includes(text));
  await world.context.setOffline(false);
  await page.more(8);
  await page.caughtUp();
  await page.finish(run);
});

test("a message that is said while the host is away is delivered once when it is back", async () => {
  const proxy = await world.proxy();
  const page = await world.follow({ through: proxy });
  proxy.down = true;
  proxy.cut();
  await page.say("/plain twice?");
  await until("the message is shown as being sent", async () => (await page.view()).items.some((item) => item.kind === "user" && item.send));
  proxy.down = false;
  await until("the answer is over", async () => {
    const { items, run } = await page.view();
    return items.filter((item) => item.kind === "finished").length === 2 && run?.state === "finished";
  }, 40_000);
  await page.converged();
  assert.equal((await page.view()).items.filter((item) => item.kind === "user").length, 2);
});
