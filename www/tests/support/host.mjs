// @ts-check
// The reference host as a process of its own, and what a test may ask of it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until } from "./until.mjs";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PROGRAM = process.env.THREADFOLD_HOST ?? path.join(ROOT, "target/debug/threadfold-host");

/** Hosts that run now: whatever ends this process ends them too. @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.once(signal, () => process.exit(1));

/** @typedef {{ run_id: string, step: number, response: number, count: number, text: string, reasoning: string, calls: { id: string, name: string, args: string }[] }} Sent */

export class Host {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  /** @type {string | undefined} */
  #folder;
  port = 0;

  /** @param {string} db @param {string[]} args */
  constructor(db, args) {
    this.db = db;
    this.args = args;
    /** @type {string[]} What it said on standard error, for a failed test's message. */
    this.said = [];
  }

  /**
   * Starts a host on a free port.
   * @param {{ db?: string, deltaMs?: number, pingMs?: number, origins?: string[], token?: string, replay?: string[], extra?: string[] }} [options]
   */
  static async start({ db, deltaMs = 2, pingMs = 500, origins = [], token, replay = [], extra = [] } = {}) {
    const folder = db ? undefined : await mkdtemp(path.join(tmpdir(), "threadfold-test-"));
    const args = ["--www", "www", "--pkg", "pkg", "--allow-faults", "--delta-ms", String(deltaMs), "--ping-ms", String(pingMs)];
    args.push("--retry-ms", "100", ...origins.flatMap((origin) => ["--origin", origin]), ...extra);
    if (token !== undefined) args.push("--token", token);
    if (replay.length > 0) args.push("--replay", ...replay);
    const host = new Host(db ?? path.join(/** @type {string} */ (folder), "threads.sqlite"), args);
    host.#folder = folder;
    await host.begin();
    return host;
  }

  /** Starts the process; after a kill, on the same port and file. */
  async begin() {
    const child = spawn(PROGRAM, ["--port", String(this.port), "--db", this.db, ...this.args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    running.add(child);
    child.on("exit", () => running.delete(child));
    createInterface({ input: /** @type {import("node:stream").Readable} */ (child.stderr) }).on("line", (line) => this.said.push(line));
    const lines = createInterface({ input: /** @type {import("node:stream").Readable} */ (child.stdout) });
    const address = await Promise.race([
      (async () => {
        for await (const line of lines) {
          const found = /^threadfold host: (http:\S+)/.exec(line);
          if (found) return found[1];
        }
        throw new Error(`the host ended before it was ready: ${this.said.join("\n")}`);
      })(),
      new Promise((_, reject) => setTimeout(() => reject(new Error("the host was not ready in 60 s")), 60_000).unref()),
    ]);
    this.port = Number(new URL(String(address)).port);
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid() {
    return this.#process?.pid;
  }

  /** As a power cut: nothing is settled, nobody is told. */
  async kill() {
    await this.#end("SIGKILL");
  }

  /** Ends the host and takes its files away. */
  async stop() {
    await this.#end("SIGTERM");
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
  }

  /** @param {NodeJS.Signals} signal */
  async #end(signal) {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), 3000);
    await ended;
    clearTimeout(late);
  }

  // ------------------------------------------------------------------------------------------------- its doors

  /** @param {string} path @param {unknown} [body] @param {string} [method] */
  async #ask(path, body, method = body === undefined ? "GET" : "POST") {
    const response = await fetch(`${this.origin}${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /** Lets the thread's agent send so many more Deltas, and then hold. @param {string} thread @param {number} deltas */
  hold(thread, deltas) {
    return this.#ask(`/admin/threads/${encodeURIComponent(thread)}/hold`, { after_deltas: deltas });
  }

  /** @param {string} thread */
  release(thread) {
    return this.#ask(`/admin/threads/${encodeURIComponent(thread)}/release`, {});
  }

  /** @param {string} thread @returns {Promise<{ held: boolean, active: Sent | null, followers: number, frontier: number | null }>} */
  sent(thread) {
    return this.#ask(`/admin/threads/${encodeURIComponent(thread)}/sent`);
  }

  /** What was sent, once the agent holds. @param {string} thread */
  async held(thread) {
    return until(`the agent of ${thread} holds`, async () => {
      const sent = await this.sent(thread);
      return sent.held && sent.active ? { ...sent, active: sent.active } : undefined;
    });
  }

  /** @param {string} spec @param {{ thread?: string, seed?: number, times?: number }} [more] */
  fault(spec, more = {}) {
    return this.#ask("/admin/faults", { spec, seed: 7, ...more });
  }

  clearFaults() {
    return this.#ask("/admin/faults", undefined, "DELETE");
  }

  /** What was injected so far, by the fault's name. @returns {Promise<Record<string, number>>} */
  async injected() {
    return (await this.#ask("/admin/faults")).injected;
  }

  /** Breaks every live connection. */
  cut() {
    return this.#ask("/admin/cut", {});
  }

  /** Asks for another token from now on; null lets everybody in. @param {string | null} token */
  token(token) {
    return this.#ask("/admin/token", { token });
  }

  /** @param {string} thread @param {string} what @param {unknown} [body] */
  admin(thread, what, body = {}) {
    return this.#ask(`/admin/threads/${encodeURIComponent(thread)}/${what}`, body);
  }

  /** Says something without a page. @param {string} thread @param {string} text */
  async send(thread, text) {
    const id = crypto.randomUUID();
    const input = { message_id: `m-${id}`, content: [{ type: "text", text }] };
    return this.#ask(`/v1/threads/${encodeURIComponent(thread)}/runs`, { input, idempotency_key: id });
  }

  /** The run's latest row. @param {string} thread @param {string} run */
  run(thread, run) {
    return this.#ask(`/v1/threads/${encodeURIComponent(thread)}/runs/${encodeURIComponent(run)}`);
  }

  /** The run's row once it waits or is over. @param {string} thread @param {string} run */
  rested(thread, run) {
    return until(`the run ${run} rests`, async () => {
      const row = await this.run(thread, run);
      return row.state === "Running" ? undefined : row;
    });
  }
}
