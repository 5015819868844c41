// @ts-check
// Firefox by its own driver, behind as much of Playwright's words as the tests say: Playwright drives a Firefox of its own
// making alone, and what people have is another one.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { until } from "./until.mjs";

const OBSERVE = await readFile(new URL("observe.js", import.meta.url), "utf8");
/** Tells errors of the page's scripts with the next look at the page. */
const ERRORS = `
  window.said ??= [];
  window.addEventListener("error", ({ error, message }) => window.said.push(message + "\\n" + error?.stack));
  window.addEventListener("unhandledrejection", ({ reason }) => window.said.push(reason + "\\n" + reason?.stack));`;
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const ENTER = "\uE007";

/** A session of the driver: one command at a time, each in the window that it is meant for. */
class Driver {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  #window = "";

  /** @param {import("node:child_process").ChildProcess} child @param {string} base @param {string} session */
  constructor(child, base, session) {
    this.child = child;
    this.base = base;
    this.session = session;
  }

  static async start() {
    const { GECKODRIVER = "geckodriver", FIREFOX = "/usr/bin/firefox-esr" } = process.env;
    const args = ["--host", "127.0.0.1", "--port", "0", "--allow-hosts", "127.0.0.1", "--allow-system-access", "--websocket-port", "0"];
    const child = spawn(GECKODRIVER, args, { stdio: ["ignore", "pipe", "inherit"] });
    const port = await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => reject(new Error(`geckodriver ended with ${code}`)));
      createInterface({ input: /** @type {any} */ (child.stdout) }).on("line", (line) => {
        const found = /Listening on 127\.0\.0\.1:(\d+)/.exec(line);
        if (found) resolve(found[1]);
      });
    });
    const base = `http://127.0.0.1:${port}`;
    const prefs = { "network.dns.disableIPv6": true, "app.update.enabled": false };
    const capabilities = { alwaysMatch: { "moz:firefoxOptions": { binary: FIREFOX, args: ["-headless"], prefs } } };
    const made = await ask(`${base}/session`, "POST", { capabilities });
    return new Driver(child, base, made.sessionId);
  }

  /**
   * @param {string | null} window Null where it does not matter.
   * @param {string} method @param {string} path @param {object} [body]
   * @returns {Promise<any>}
   */
  tell(window, method, path, body) {
    const turn = this.#last.then(async () => {
      const place = `${this.base}/session/${this.session}`;
      if (window !== null && window !== this.#window) {
        await ask(`${place}/window`, "POST", { handle: window });
        this.#window = window;
      }
      return ask(`${place}/${path}`, method, body);
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  async stop() {
    await ask(`${this.base}/session/${this.session}`, "DELETE").catch(() => {});
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill();
    await ended;
  }
}

/** @param {string} address @param {string} method @param {object} [body] */
async function ask(address, method, body) {
  const init = method === "POST" ? { method, body: JSON.stringify(body ?? {}), headers: { "content-type": "application/json" } } : { method };
  const response = await fetch(address, init);
  const { value } = /** @type {any} */ (await response.json());
  if (!response.ok) throw new Error(`Firefox: ${value.error}: ${value.message}`);
  return value;
}

/** Firefox, with one context. */
export async function launch() {
  const driver = await Driver.start();
  const first = await driver.tell(null, "GET", "window");
  const context = new Context(driver, first);
  return /** @type {any} */ ({ newContext: async () => context, close: () => driver.stop() });
}

class Context {
  /** @type {Set<Page>} */
  #pages = new Set();

  /** @param {Driver} driver @param {string} first A window that stays, for a browser without one ends. */
  constructor(driver, first) {
    this.driver = driver;
    this.first = first;
  }

  /** What observes a page is put into it once it is loaded. */
  async addInitScript() {}

  pages() {
    return [...this.#pages];
  }

  async newPage() {
    const { handle } = await this.driver.tell(this.first, "POST", "window/new", { type: "window" });
    const page = new Page(this.driver, handle, () => this.#pages.delete(page));
    this.#pages.add(page);
    return page;
  }

  /** @param {boolean} offline */
  async setOffline(offline) {
    await this.driver.tell(this.first, "POST", "moz/context", { context: "chrome" });
    try {
      await this.driver.tell(this.first, "POST", "execute/sync", { script: "Services.io.offline = arguments[0];", args: [offline] });
    } finally {
      await this.driver.tell(this.first, "POST", "moz/context", { context: "content" });
    }
  }
}

class Page {
  /** @type {(error: Error) => void} */
  #complain = () => {};

  /** @param {Driver} driver @param {string} handle @param {() => void} gone */
  constructor(driver, handle, gone) {
    this.driver = driver;
    this.handle = handle;
    this.gone = gone;
  }

  /** @param {string} method @param {string} path @param {object} [body] */
  #tell(method, path, body) {
    return this.driver.tell(this.handle, method, path, body);
  }

  /** @param {string} what @param {(error: Error) => void} listener */
  on(what, listener) {
    if (what === "pageerror") this.#complain = listener;
  }

  /** @param {string} url */
  async goto(url) {
    await this.#tell("POST", "url", { url });
    await this.#observe();
  }

  async reload() {
    await this.#tell("POST", "refresh");
    await this.#observe();
  }

  async goBack() {
    await this.#tell("POST", "back");
    await this.#observe();
  }

  #observe() {
    return this.#tell("POST", "execute/sync", { script: `if (!window.judge) { ${ERRORS}\n${OBSERVE} }`, args: [] });
  }

  /** @param {Function} action @param {unknown} [argument] */
  async evaluate(action, argument) {
    const script = `
      const done = arguments[1];
      const said = () => (window.said ?? []).splice(0);
      (async () => (${action})(arguments[0]))().then(
        (value) => done({ value, said: said() }),
        (error) => done({ error: error + "\\n" + error?.stack, said: said() }));`;
    const { value, error, said } = await this.#tell("POST", "execute/async", { script, args: [argument ?? null] });
    for (const line of said) this.#complain(new Error(line));
    if (error !== undefined) throw new Error(error);
    return value ?? undefined;
  }

  /** @param {Function} action @param {unknown} [argument] @param {{ timeout?: number }} [options] */
  waitForFunction(action, argument, { timeout = 15_000 } = {}) {
    return until("the page's function is true", () => this.evaluate(action, argument), timeout);
  }

  /** @param {string} selector */
  locator(selector) {
    return new Locator(this, selector, "first", (method, path, body) => this.#tell(method, path, body));
  }

  async close() {
    await this.#tell("DELETE", "window");
    this.gone();
  }
}

class Locator {
  /** @param {Page} page @param {string} selector @param {"first" | "last"} which @param {(method: string, path: string, body?: object) => Promise<any>} tell */
  constructor(page, selector, which, tell) {
    Object.assign(this, { page, selector, which, tell });
    this.page = page;
    this.selector = selector;
    this.which = which;
    this.tell = tell;
  }

  last() {
    return new Locator(this.page, this.selector, "last", this.tell);
  }

  async #id() {
    const found = await until(`there is ${this.selector}`, async () => {
      const all = await this.tell("POST", "elements", { using: "css selector", value: this.selector });
      return this.which === "last" ? all.at(-1) : all[0];
    });
    return found[ELEMENT];
  }

  /** @param {string} text */
  async fill(text) {
    const id = await this.#id();
    await this.tell("POST", `element/${id}/clear`);
    if (text !== "") await this.tell("POST", `element/${id}/value`, { text });
  }

  /** @param {string} key */
  async press(key) {
    if (key !== "Enter") throw new Error(`the key ${key} is not known here`);
    await this.tell("POST", `element/${await this.#id()}/value`, { text: ENTER });
  }

  /** @param {{ timeout?: number }} [options] */
  async click({ timeout = 15_000 } = {}) {
    // What is covered or not there yet may be there in a moment.
    await until(`${this.selector} can be clicked`, async () => this.tell("POST", `element/${await this.#id()}/click`).then(() => true, () => false), timeout);
  }

  async innerText() {
    const id = await this.#id();
    return this.tell("POST", "execute/sync", { script: "return arguments[0].innerText;", args: [{ [ELEMENT]: id }] });
  }

  isVisible() {
    return this.page.evaluate((/** @type {string} */ selector) => document.querySelector(selector)?.checkVisibility() ?? false, this.selector);
  }
}
