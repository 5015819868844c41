// @ts-check
// Who may read, and what a page says when it may not, when nobody is there, or when something else answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { live, open, ready, shows } from "./support/browser.mjs";
import { Host } from "./support/host.mjs";
import { until } from "./support/until.mjs";
import { Following, World } from "./support/world.mjs";

const world = await World.start();
const { host } = world;

/**
 * A page of the host (or of a proxy) without the demo, with a client of the test's own as `thread`.
 * @param {{ origin: string }} through
 * @param {string} options JavaScript: the options of `threadfold()`, where `id` is the thread.
 * @param {{ thread: string, host?: Host }} about
 */
async function client(through, options, { thread, host: of = host }) {
  const page = await world.context.newPage();
  await page.goto(`${through.origin}/pkg/package.json`);
  await page.evaluate(
    async ([options, id]) => {
      const { ThreadClient, threadfold } = await import(/** @type {any} */ ("/pkg/index.js"));
      const make = new Function("threadfold", "id", `return threadfold(${options})`);
      Object.assign(window, { thread: new ThreadClient({ source: make(threadfold, id) }) });
      judge.listen();
      Object.assign(window, { connected: globalThis.thread.connect().then(() => "live", (/** @type {any} */ error) => `${error.code}: ${error.message}`) });
    },
    /** @type {const} */ ([options, thread]),
  );
  return new Following(of, page, thread);
}

/** The visible sentence about the connection, once there is one. @param {import("playwright-core").Page} page */
function notice(page) {
  return until("the page says what is wrong", async () => {
    const shown = page.locator("#notice");
    return (await shown.isVisible()) ? shown.innerText() : undefined;
  }, 20_000);
}

test("a thread that nobody wrote to is no failure, and comes to life with the first message", async () => {
  const page = await world.follow({ first: null });
  await until("the host was asked", async () => (await page.view()).status.state === "failed");
  assert.deepEqual((await page.view()).status, { state: "failed", code: "not_found" });
  assert.equal(await page.page.locator("#notice").isVisible(), false);
  await page.say("/plain");
  await until("the answer is over", async () => (await page.view()).run?.state === "finished");
  await live(page.page);
  await page.converged();
});

test("a thread that is not there is a typed error with a sentence", async () => {
  const page = await client(host, `{ base: "/v1", threadId: id }`, { thread: "nobody-wrote-this" });
  assert.match(await page.page.evaluate(() => connected), /^not_found: \S+ .*\./);
  assert.deepEqual((await page.view()).status, { state: "failed", code: "not_found" });
});

test("a thread that vanishes from the host keeps its view, and says what to do", async () => {
  const page = await world.follow();
  const before = (await page.view()).items;
  await host.fault("status-404*1@live,status-404*1@read", { thread: page.thread });
  await host.cut();
  assert.match(await notice(page.page), /does not know this thread/);
  assert.deepEqual((await page.view()).items, before);
  await page.page.locator("#notice-action").click();
  await live(page.page);
  await page.converged();
});

test("an expired token is a status, nothing is lost, and renewed headers go on by themselves", async () => {
  const guarded = await world.add(() => Host.start({ token: "first" }));
  const thread = "guarded";
  await guarded.token(null);
  const { run_id } = await guarded.send(thread, "/plain");
  await guarded.rested(thread, run_id);
  await guarded.token("first");
  const page = await client(guarded, `{ base: "/v1", threadId: id, headers: async () => { window.asked = (window.asked ?? 0) + 1; return { authorization: "Bearer " + (window.token ?? "first") }; } }`, { thread, host: guarded });
  assert.equal(await page.page.evaluate(() => connected), "live");
  const before = (await page.view()).items;
  const asked = await page.page.evaluate(() => window.asked);
  await guarded.token("second");
  await guarded.cut();
  await until("the client asked for new headers", () => page.page.evaluate((asked) => window.asked > asked, asked));
  assert.deepEqual((await page.view()).items, before, "the view keeps what it had");
  await page.page.evaluate(() => void (globalThis.token = "second"));
  await until("the client is live again", async () => {
    // Where the first new header was still the old one, the app says when there is a better one.
    if ((await page.view()).status.state === "unauthorized") await page.page.evaluate(() => globalThis.thread.retry());
    return (await page.view()).status.state === "live";
  });
  assert.equal(typeof (await page.page.evaluate(async () => (await globalThis.thread.send("/plain")).run_id)), "string");
});

test("headers that can't be renewed end in `unauthorized`, and `retry()` takes it up again", async () => {
  const guarded = await world.add(() => Host.start({ token: "good" }));
  const page = await client(guarded, `{ base: "/v1", threadId: id, headers: { authorization: "Bearer bad" } }`, { thread: "t", host: guarded });
  assert.match(await page.page.evaluate(() => connected), /^unauthorized: \S+ .*\./);
  assert.equal((await page.view()).status.state, "unauthorized");
  await guarded.token("bad");
  await page.page.evaluate(() => globalThis.thread.send("/plain"));
  await page.page.evaluate(() => globalThis.thread.retry());
  await until("live", async () => (await page.view()).status.state === "live");
});

test("another origin with credentials follows, sends and reads", async () => {
  const other = await world.proxy();
  const guarded = await world.add(() => Host.start({ token: "cookie", origins: [other.origin] }));
  await world.context.addCookies([{ name: "threadfold", value: "cookie", domain: "127.0.0.1", path: "/" }]);
  for (const transport of ["eventsource", "fetch"]) {
    const thread = `across-${transport}`;
    const page = await client(other, `{ base: "${guarded.origin}/v1", threadId: id, credentials: "include", transport: "${transport}" }`, { thread, host: guarded });
    await page.page.evaluate(() => globalThis.thread.send("/plain"));
    await page.page.evaluate(() => globalThis.thread.retry());
    await until("the run is over", async () => (await page.view()).run?.state === "finished");
    const { run_id } = /** @type {any} */ ((await page.view()).run);
    await shows(page.page, run_id, ["finished"]);
  }
  const without = await client(other, `{ base: "${guarded.origin}/v1", threadId: id, credentials: "omit", transport: "fetch" }`, { thread: "across-fetch", host: guarded });
  assert.match(await without.page.evaluate(() => connected), /^unauthorized/);
  await world.context.clearCookies();
});

test("HTML in the place of JSON is passed over, and what was shown stays", async () => {
  const page = await world.follow();
  const before = (await page.view()).items;
  await host.fault("html*2@live,html*2@read", { thread: page.thread });
  await host.cut();
  await until("the portal answered", async () => (await host.injected()).html >= 2);
  assert.deepEqual((await page.view()).items, before);
  const { run_id } = await host.send(page.thread, "/plain");
  await shows(page.page, run_id, ["finished"]);
  await page.converged();
  await live(page.page);
});

test("a host that is down at the start is waited for", async () => {
  const proxy = await world.proxy();
  const thread = world.thread();
  await host.rested(thread, (await host.send(thread, "/plain")).run_id);
  proxy.down = true;
  const page = new Following(host, await open(world.context, /** @type {any} */ (proxy), thread), thread);
  assert.match(await notice(page.page), /no usable answer .* keeps trying/is);
  assert.ok(["waiting", "connecting"].includes((await page.view()).status.state));
  proxy.down = false;
  await live(page.page);
  await page.converged();
});

test("a page that is reloaded while the host is away shows the thread when the host is back", async () => {
  const proxy = await world.proxy();
  const page = await world.follow({ through: proxy });
  proxy.down = true;
  proxy.cut();
  await page.page.reload();
  await ready(page.page);
  proxy.down = false;
  await live(page.page);
  await page.converged();
});
