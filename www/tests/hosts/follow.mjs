// @ts-check
// A page of the demo on a dsh session, and what must be true of it.

import { live, ready, stats, view } from "../support/browser.mjs";
import { until } from "../support/until.mjs";
import { difference, visible } from "../../../tests/dsh/shown.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./world.mjs").World} World */

export class Following {
  /** @param {World} world @param {Page} page @param {string} session */
  constructor(world, page, session) {
    this.world = world;
    this.page = page;
    this.session = session;
    /** What stands on the page's console: what was odd, by its code. @type {string[]} */
    this.said = [];
    /** @type {string[]} */
    this.thrown = [];
    /** Signs of life that were asked of the host over the socket, and its answers. */
    this.knocks = 0;
    this.answers = 0;
  }

  /** Opens the page on a session. @param {World} world @param {string} session @param {{ more?: string, address?: URL }} [options] */
  static async open(world, session, { more = "", address = new URL(`${world.door.origin}/?source=dsh&session=${session}${more}`) } = {}) {
    const page = await world.context.newPage();
    const following = new Following(world, page, session);
    page.on("console", (message) => following.said.push(message.text()));
    page.on("pageerror", (error) => following.thrown.push(String(error.stack ?? error)));
    page.on("websocket", (socket) => {
      const knocks = (/** @type {{ payload: string | Buffer }} */ { payload }) => Number(String(payload).includes('"streamId":"knock-'));
      socket.on("framesent", (frame) => (following.knocks += knocks(frame)));
      socket.on("framereceived", (frame) => (following.answers += knocks(frame)));
    });
    await page.goto(address.href);
    await ready(page);
    await page.evaluate(() => judge.watch());
    return following;
  }

  live() {
    return live(this.page);
  }

  view() {
    return view(this.page);
  }

  stats() {
    return stats(this.page);
  }

  retry() {
    return this.page.evaluate(() => thread.retry());
  }

  /** Says something as a person does. @param {string} text */
  async say(text) {
    await this.page.locator("#draft").fill(text);
    await this.page.locator("#draft").press("Enter");
  }

  /** The previews that are visible: what the view says and what the page shows. */
  async previews() {
    return this.page.evaluate(() => {
      const previews = thread.view.items.filter((item) => item.kind === "assistant" && item.origin !== "committed");
      const parts = (/** @type {any[]} */ all) => ({
        text: all.filter(({ type }) => type === "text").map(({ text }) => text).join(""),
        reasoning: all.filter(({ type }) => type === "reasoning").map(({ text }) => text).join(""),
        calls: all.filter(({ type }) => type === "tool_call").map(({ id, call_id, name, args, raw }) => ({ id: id ?? call_id, name, args: raw ?? args })),
      });
      return previews.map((item) => {
        const element = document.querySelector(`[data-key="${CSS.escape(item.key)}"]`);
        return { origin: item.origin, view: parts([...item.parts]), page: element ? parts(judge.parts(element)) : null };
      });
    });
  }

  /** While the model holds, the page shows exactly what the model has said, and nothing of it is committed. */
  async checkpoint() {
    const sent = await this.world.model.held(this.session);
    const expected = JSON.stringify({ text: sent.text, reasoning: sent.reasoning, calls: sent.calls });
    let found = "";
    await until(() => `the page shows ${expected} live, and not ${found}`, async () => {
      const previews = await this.previews();
      found = JSON.stringify(previews);
      if (sent.count === 0) return previews.length === 0;
      return previews.length === 1 && JSON.stringify(previews[0].view) === expected && JSON.stringify(previews[0].page) === expected && previews[0].origin === "preview";
    });
    this.world.checkpoints += 1;
    return sent;
  }

  /** The page shows what a cold read of the log says, in the view and on the page, and broke nothing on the way. */
  async converged({ patience = 30_000, lost = false } = {}) {
    let why = "";
    await until(() => `the page of ${this.session} shows the log: ${why}`, async () => {
      const log = visible(await this.world.host.log(this.session));
      const found = await this.page.evaluate(() => JSON.stringify({ view: thread.view, page: judge.items() }));
      const { view, page } = JSON.parse(found);
      // What the host forgot when it died was said in vain, and that is shown.
      const inVain = (/** @type {any} */ item) => lost && item.kind === "user" && item.send?.state === "failed";
      const previews = view.items.filter((/** @type {any} */ item) => item.origin !== "committed" && !inVain(item));
      const keys = (/** @type {any[]} */ items) => items.map(({ key, kind }) => [key, kind]);
      why = difference(log, visible(view)) ?? (previews.length > 0 ? `${JSON.stringify(previews)} stays` : (difference(keys(view.items), keys(page)) ?? ""));
      return why === "" && view.status.state === "live";
    }, patience);
    const broken = [...this.thrown, ...(await this.page.evaluate(() => judge.broken))];
    // What was announced and lost with the host had been committed, and vanishes.
    const wrong = broken.filter((what) => !(lost && / was committed and (vanished|is)/.test(what)));
    if (wrong.length > 0) throw new Error(`the page of ${this.session}: ${[...new Set(wrong)].slice(0, 5).join("; ")}`);
    this.world.converged += 1;
  }

  /** The last turn is over, and shown so. @param {string[]} kinds */
  async over(...kinds) {
    await until(`the page shows a run that is ${kinds.join(" or ")}`, async () => {
      const { items, run } = await this.view();
      const last = items.at(-1);
      return last && run && kinds.includes(last.kind) && last.run_id === run.run_id && ["finished", "failed"].includes(run.state);
    }, 40_000);
  }

  /** Opens the stream's page again, as a person does. */
  async reload() {
    await this.page.reload();
    await ready(this.page);
    await this.page.evaluate(() => judge.watch());
  }
}
