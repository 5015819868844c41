// @ts-check
// A person's session, played: says things, answers what a run waits for, and at checkpoints holds the agent and compares
// the page's text with what the host has sent by then, before any of it is committed.

import { until } from "./until.mjs";

/** @typedef {import("./host.mjs").Host} Host */
/** @typedef {import("./host.mjs").Sent} Sent */
/** @typedef {import("playwright-core").Page} Page */

/**
 * @typedef {object} Turn
 * @property {string} say
 * @property {number} [cancelAt] Press Stop at this checkpoint.
 * @property {number} [atLeast] How many checkpoints the run must have; 5 when absent.
 * @property {number} [every] Deltas between the first checkpoints.
 * @property {number} [later] Deltas between those behind them.
 */

/** What the scripted agent can do, one turn for each. @type {readonly Turn[]} */
export const SCRIPT = Object.freeze([
  { say: "/plain" },
  { say: "/reason" },
  { say: "/tools" },
  { say: "/approve" },
  { say: "/client-tool" },
  { say: "/pause" },
  { say: "/length" },
  { say: "/fail-mid" },
  { say: "/fail" },
  { say: "/slow", cancelAt: 5 },
  { say: "/unicode" },
  { say: "/steer" },
]);

/** Checkpoints this close together until there are enough; then the run may hurry. */
const EVERY = 1;
const LATER = 12;

export class Session {
  /** Checkpoints that held. */
  checkpoints = 0;
  /** How often following was taken up again after the client had stopped with a status. */
  retries = 0;
  #lastRetry = 0;

  /**
   * @param {Host} host
   * @param {Page} page
   * @param {string} thread
   * @param {{ patience?: number, live?: boolean, log?: (line: string) => void }} [options] `live: false` leaves out the
   *   checkpoints.
   */
  constructor(host, page, thread, { patience = 8000, live = true, log = () => {} } = {}) {
    Object.assign(this, { host, page, thread, patience, live, log });
    this.host = host;
    this.page = page;
    this.thread = thread;
    this.patience = patience;
    this.live = live;
    this.log = log;
  }

  /** Plays a turn to its end and returns its run. @param {Turn} turn */
  async play(turn) {
    const { host, thread } = this;
    const atLeast = this.live ? (turn.atLeast ?? 5) : 0;
    const known = (await this.#runs()).length;
    if (this.live) await host.hold(thread, turn.every ?? EVERY);
    await this.say(turn.say);
    const run = await until(`the host has a run for ${turn.say}`, async () => (await this.#runs())[known]);
    let last = "";
    let held = 0;
    let answered = -1;
    for (;;) {
      const sent = this.live ? await host.sent(thread) : null;
      if (sent?.held && sent.active && identity(sent.active) !== last) {
        last = identity(sent.active);
        await this.checkpoint(sent.active, sent.frontier);
        held += 1;
        if (held === turn.cancelAt) await this.page.locator("#stop").click();
        else await host.hold(thread, held < 8 ? (turn.every ?? EVERY) : (turn.later ?? LATER));
        continue;
      }
      const row = await host.run(thread, run);
      if (typeof row.state === "object") break;
      if (row.state === "Awaiting" && row.seq !== answered) {
        answered = row.seq;
        await this.answer(row);
      }
      await this.tend();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await host.release(thread);
    await until(`the page shows the end of ${turn.say}`, async () => {
      await this.tend();
      return this.page.evaluate((run) => globalThis.thread.view.items.some((item) => item.run_id === run && /^finished|^failed/.test(item.kind)), run);
    }, this.patience * 2);
    if (held < atLeast) throw new Error(`${turn.say} had ${held} checkpoints, and needs ${atLeast}`);
    this.log(`${turn.say}: ${held} checkpoints`);
    return run;
  }

  /** Types and sends, as a person does. @param {string} text */
  async say(text) {
    await this.page.locator("#draft").fill(text);
    await this.page.locator("#draft").press("Enter");
  }

  /** The page shows exactly what was sent, as a preview, and nothing of it is committed. @param {Sent} sent @param {number | null} frontier */
  async checkpoint(sent, frontier) {
    /** @type {any} */
    let shown;
    const where = `checkpoint at ${sent.step}.${sent.response} after ${sent.count} Deltas`;
    await until(
      () => `${where}: the page shows ${JSON.stringify(shown)}, and the host has sent ${JSON.stringify(sent)}`,
      async () => {
        await this.tend();
        shown = await this.page.evaluate(
          ([run, step, response]) => judge.response(run, step, response),
          /** @type {const} */ ([sent.run_id, sent.step, sent.response]),
        );
        return isPrefix(shown, sent);
      },
      this.patience,
    );
    const after = await this.host.sent(this.thread);
    if (!after.held || after.frontier !== frontier || after.active?.count !== sent.count) {
      throw new Error(`${where}: the host did not hold while the page was looked at`);
    }
    this.checkpoints += 1;
  }

  /** Answers what the run waits for by the page's own buttons. @param {{ run_id: string, seq: number, resume_ticket?: any }} row */
  async answer(row) {
    const target = row.resume_ticket?.target ?? {};
    const reason = target.ToolCall?.reason ?? target.RemoteInput?.reason;
    const action = reason === "Permission" ? "approve" : reason ? "answer" : "go-on";
    const button = this.page.locator(`[data-kind="awaiting"][data-seq="${row.seq}"] [data-action="${action}"]`);
    await until(`the page asks for ${action}`, async () => {
      await this.tend();
      return button.isVisible();
    }, this.patience);
    await button.click();
    this.log(`  answered with ${action}`);
  }

  /** Where the client has stopped with a status, as it must after some faults, presses "Try again". */
  async tend() {
    const stopped = await this.page.evaluate(
      () => ["failed", "unauthorized"].includes(thread.view.status.state) && thread.view.items.length > 0,
    );
    if (!stopped || performance.now() - this.#lastRetry < 300) return;
    this.#lastRetry = performance.now();
    this.retries += 1;
    await this.page.locator("#notice-action").click({ timeout: 2000 }).catch(() => {});
  }

  /** The thread's runs, as the audit projection tells them: faults don't strike there. @returns {Promise<string[]>} */
  async #runs() {
    const response = await fetch(`${this.host.origin}/v1/threads/${encodeURIComponent(this.thread)}/audit`);
    if (response.status === 404) return [];
    const { records } = await response.json();
    return records.filter((/** @type {any} */ record) => record.kind === "run_started").map((/** @type {any} */ record) => record.run_id);
  }
}

/** @param {Sent} sent */
function identity(sent) {
  return JSON.stringify(sent);
}

/**
 * Whether a page shows exactly what was sent: all of it, and nothing else.
 * @param {any} shown
 * @param {Sent} sent
 */
export function isPrefix(shown, sent) {
  if (!shown) return sent.text === "" && sent.reasoning === "" && sent.calls.length === 0;
  const calls = shown.calls.map((/** @type {any} */ call) => [call.id, call.raw]);
  return (
    shown.origin.every((/** @type {string} */ origin) => origin === "preview") &&
    shown.seq === null &&
    sameText(shown.text, sent.text) &&
    sameText(shown.view, sent.text) &&
    sameText(shown.reasoning, sent.reasoning) &&
    JSON.stringify(calls) === JSON.stringify(sent.calls.map((call) => [call.id, call.args]))
  );
}

/** Half a character at the end waits for its other half, where the host tells it as U+FFFD. @param {string} shown @param {string} sent */
function sameText(shown, sent) {
  return shown === sent || (sent.endsWith("\ufffd") && shown === sent.slice(0, -1));
}
