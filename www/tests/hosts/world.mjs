// @ts-check
// A dsh host, its model, the door before it and a browser.

import { context, launch } from "../support/browser.mjs";
import { until } from "../support/until.mjs";
import { Door } from "./door.mjs";
import { Dsh } from "./dsh.mjs";
import { Following } from "./follow.mjs";
import { Model } from "./model.mjs";

export class World {
  /** Moments at which live text was compared before it was committed, and ends that were compared with the log. */
  checkpoints = 0;
  converged = 0;

  /**
   * @param {Model} model @param {Dsh} host @param {Door} door @param {import("playwright-core").Browser} browser
   * @param {import("playwright-core").BrowserContext} context
   */
  constructor(model, host, door, browser, context) {
    this.model = model;
    this.host = host;
    this.door = door;
    this.browser = browser;
    this.context = context;
  }

  /** @param {Parameters<typeof Dsh.start>[1]} [options] */
  static async start(options) {
    const model = await Model.start();
    const host = await Dsh.start(model, options);
    const door = await Door.start(host);
    const browser = await launch();
    const world = new World(model, host, door, browser, await context(browser));
    await world.enter();
    return world;
  }

  /** The browser gets its cookie, as it does when a person opens the host's address. */
  async enter() {
    const page = await this.context.newPage();
    await page.goto(`${this.door.origin}/?token=${this.host.token}`);
    await page.close();
  }

  async stop() {
    await this.browser.close();
    await this.door.stop();
    await this.host.stop();
    await this.model.stop();
  }

  /** Between scenarios: no page, no fault, no held answer. */
  async clear() {
    this.door.down = false;
    this.door.instead = () => undefined;
    this.door.fate = () => "pass";
    this.model.pause = 2;
    this.model.releaseAll();
    await Promise.all(this.context.pages().map((page) => page.close()));
  }

  /** A new session, and a page that follows it live. @param {{ more?: string }} [options] */
  async follow(options) {
    const following = await Following.open(this, await this.host.create(), options);
    await following.live();
    return following;
  }

  /** One more page on the same session. @param {Following} other */
  async also(other) {
    const following = await Following.open(this, other.session);
    await following.live();
    return following;
  }

  /** So many turns of the session are over. @param {string} session @param {number} turns */
  turnsOver(session, turns = 1) {
    return until(`${turns} turns of ${session} are over`, async () => {
      const log = await this.host.log(session);
      return log.filter(({ type }) => type === "turn/end").length >= turns;
    }, 60_000);
  }
}
