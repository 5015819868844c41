// @ts-check
// What a test file needs: one browser, one host, and everything ended at its end.

import { after, afterEach } from "node:test";
import { context, errors, launch, live, open, stats, view } from "./browser.mjs";
import { Host } from "./host.mjs";
import { converged } from "./judge.mjs";
import { Proxy } from "./proxy.mjs";
import { Session } from "./session.mjs";
import { until } from "./until.mjs";

let number = 0;

export class World {
  /** @type {(() => Promise<unknown>)[]} */
  #ending = [];

  /** @param {Parameters<typeof Host.start>[0]} [options] @param {string[]} [chromium] Arguments for Chromium. */
  static async start(options, chromium) {
    const world = new World();
    after(() => world.stop());
    // A browser opens six streams to one host, and pages of finished tests would hold them.
    afterEach(() => Promise.all(world.context.pages().map((page) => page.close())));
    world.browser = await launch(chromium);
    world.#ending.push(() => world.browser.close());
    world.host = await world.add(() => Host.start(options));
    world.context = await context(world.browser);
    return world;
  }

  /** @type {import("playwright-core").Browser} */
  browser = /** @type {any} */ (undefined);
  /** @type {Host} */
  host = /** @type {any} */ (undefined);
  /** @type {import("playwright-core").BrowserContext} */
  context = /** @type {any} */ (undefined);

  /**
   * Starts something that is stopped with this world.
   * @template {{ stop(): Promise<unknown> }} T
   * @param {() => Promise<T>} start
   */
  async add(start) {
    const started = await start();
    this.#ending.push(() => started.stop());
    return started;
  }

  proxy(host = this.host) {
    return this.add(() => Proxy.start(host));
  }

  async stop() {
    for (const end of this.#ending.reverse()) await end().catch((error) => console.error("while ending:", error));
  }

  /** A name that no other test has. */
  thread(word = "t") {
    number += 1;
    return `${word}-${number}`;
  }

  /** A thread with one settled run. */
  async settled() {
    const thread = this.thread();
    await this.host.rested(thread, (await this.host.send(thread, "/plain")).run_id);
    return thread;
  }

  /** A page of the host without the demo, with the package as `window.threadfold`. @param {{ origin: string }} through */
  async bare(through = this.host) {
    const page = await this.context.newPage();
    await page.goto(`${through.origin}/pkg/src/ids.js`);
    await page.evaluate(async () => {
      const threadfold = await import(/** @type {any} */ ("/pkg/index.js"));
      const client = (/** @type {string} */ threadId, more = {}) =>
        new threadfold.ThreadClient({ source: threadfold.threadfold({ base: "/v1", threadId, ...more }) });
      Object.assign(window, { threadfold, client });
    });
    return page;
  }

  /**
   * A thread with one settled run, and a page that follows it live.
   * @param {{ thread?: string, host?: Host, through?: { origin: string }, first?: string | null, address?: string }} [options]
   */
  async follow({ thread = this.thread(), host = this.host, through = host, first = "/plain", address = "" } = {}) {
    if (first !== null) {
      const { run_id } = await host.send(thread, first);
      await host.rested(thread, run_id);
    }
    const page = await open(this.context, /** @type {Host} */ (through), thread, address);
    if (first !== null) await live(page);
    return new Following(host, page, thread);
  }
}

/** A page on a thread. */
export class Following extends Session {
  /** The page shows what was committed, its scripts threw nothing, and it never broke what it must not break. */
  async converged(patience = 15_000) {
    const said = await converged(this.page, this.host.db, this.thread, patience);
    const broken = [...errors(this.page), ...(await this.page.evaluate(() => judge.broken))];
    if (broken.length > 0) throw new Error(`the page of ${this.thread}: ${[...new Set(broken)].slice(0, 10).join("; ")}`);
    return said;
  }

  view() {
    return view(this.page);
  }

  stats() {
    return stats(this.page);
  }

  /** Begins a run by the page's client, and holds its agent after so many Deltas. @param {string} text @param {number} deltas */
  async startAndHold(text, deltas) {
    await this.host.hold(this.thread, deltas);
    const run = await this.page.evaluate(async (text) => String((await thread.send(text)).run_id), text);
    const { active, frontier } = await this.host.held(this.thread);
    return { run, active, frontier };
  }

  /** Lets the agent send so many Deltas more, and hold. @param {number} deltas */
  async more(deltas) {
    const before = JSON.stringify((await this.host.sent(this.thread)).active);
    await this.host.hold(this.thread, deltas);
    await until("the agent went on and holds", async () => {
      const { held, active } = await this.host.sent(this.thread);
      return held && active && JSON.stringify(active) !== before;
    });
  }

  /** Waits for some pings: they teach the client how long silence may last. */
  async pinged(pings = 8) {
    const { frames } = await this.stats();
    await until("the client has seen some pings", async () => (await this.stats()).frames >= frames + pings);
  }

  /** The page shows all that was sent, live. */
  async caughtUp() {
    const { active, frontier } = await this.host.held(this.thread);
    await this.checkpoint(active, frontier);
    return active;
  }

  /** Lets the agent go on, and waits until the run is over and shown so. @param {string} run */
  async finish(run) {
    await this.host.release(this.thread);
    const row = await this.host.rested(this.thread, run);
    await this.converged();
    return row;
  }
}
