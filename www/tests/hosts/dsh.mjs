// @ts-check
// The dsh host as a process of its own, in a home of its own, and what a test may ask of it without a browser.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = process.env.THREADFOLD_DSH ?? "";
const WHOLE = fileURLToPath(new URL("whole/patch.yml", import.meta.url));

/** Hosts that run now: whatever ends this process ends them too. @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.once(signal, () => process.exit(1));

/** @typedef {{ type: string, seq: number, time: number, data: any, surfaceOp?: any }} LogEvent */

export class Dsh {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  #cookie = "";
  port = 0;
  token = "";

  /** @param {string} folder @param {{ origin: string }} model @param {string} permissions @param {boolean} whole */
  constructor(folder, model, permissions, whole) {
    this.folder = folder;
    this.model = model;
    this.permissions = permissions;
    this.whole = whole;
    /** @type {string[]} What it said on standard error. */
    this.said = [];
  }

  /**
   * `whole`: with what its own page needs and its package lacks.
   * @param {{ origin: string }} model @param {{ permissions?: "danger-full-access" | "read-only", whole?: boolean }} [options]
   */
  static async start(model, { permissions = "danger-full-access", whole = false } = {}) {
    if (PROGRAM === "") throw new Error("THREADFOLD_DSH names no program; run this by `cargo xtask test --hosts`");
    const host = new Dsh(await mkdtemp(path.join(tmpdir(), "threadfold-dsh-")), model, permissions, whole);
    await host.begin();
    return host;
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  get project() {
    return path.join(this.folder, "project");
  }

  /** Starts the process; after its end, on the same port and home. */
  async begin() {
    for (const name of ["dsh", "project"]) await mkdir(path.join(this.folder, name), { recursive: true });
    const more = this.whole ? ["--patch", WHOLE] : [];
    const child = spawn(PROGRAM, ["web", ...more, "--no-open", "--host", "127.0.0.1", "--port", String(this.port)], {
      cwd: this.project,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        // The host unpacks its native parts below HOME once, so that is not the test's folder.
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        LANG: "C.UTF-8",
        TZ: "UTC",
        DSH_HOME: path.join(this.folder, "dsh"),
        DSH_PERMISSION_MODE: this.permissions,
        DSH_TELEMETRY_MODE: "DISABLED",
        DSH_TELEMETRY_DISABLED: "1",
        DEEPSEEK_API_KEY: "none",
        DEEPSEEK_BASE_URL: this.model.origin,
        NO_PROXY: "127.0.0.1,localhost",
      },
    });
    this.#process = child;
    running.add(child);
    child.on("exit", () => running.delete(child));
    const { stdout, stderr } = /** @type {{ stdout: import("node:stream").Readable, stderr: import("node:stream").Readable }} */ (/** @type {unknown} */ (child));
    createInterface({ input: stderr }).on("line", (line) => this.said.push(line));
    const late = setTimeout(() => child.kill("SIGKILL"), 120_000);
    for await (const line of createInterface({ input: stdout })) {
      const found = /^dsh web: (http:\S+)/.exec(line);
      if (!found) continue;
      clearTimeout(late);
      const address = new URL(found[1]);
      this.port = Number(address.port);
      this.token = address.searchParams.get("token") ?? "";
      // Read on, so that the host is never stopped by a full pipe.
      stdout.resume();
      return;
    }
    throw new Error(`the dsh host ended before it was ready: ${this.said.join("\n")}`);
  }

  /** As a power cut. */
  async kill() {
    await this.#end("SIGKILL");
  }

  /** As an administrator stops it. */
  async terminate() {
    await this.#end("SIGTERM");
  }

  /** Ends the host and takes its files away. */
  async stop() {
    await this.#end("SIGTERM");
    await rm(this.folder, { recursive: true, force: true });
  }

  /** @param {NodeJS.Signals} signal */
  async #end(signal) {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(late);
  }

  // ------------------------------------------------------------------------------------------------- its calls

  /** A unary call. @param {string} method @param {unknown} args @returns {Promise<any>} */
  async call(method, args) {
    if (!this.#cookie) await this.#login();
    const response = await fetch(`${this.origin}/api/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: this.#cookie },
      body: JSON.stringify({ type: "client-request", rpcId: crypto.randomUUID(), method, payload: { args } }),
    });
    if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
    const { result } = await response.json();
    if (!result.ok) throw Object.assign(new Error(`${method}: ${result.error.message}`), { code: result.error.code });
    return result.value;
  }

  async #login() {
    const response = await fetch(`${this.origin}/?token=${this.token}`, { redirect: "manual" });
    this.#cookie = (response.headers.get("set-cookie") ?? "").split(";")[0];
    if (!this.#cookie) throw new Error(`the dsh host let nobody in: ${response.status}`);
  }

  /** A new session's id. @returns {Promise<string>} */
  async create() {
    // Its own page lists the sessions of workspaces alone.
    const { workspace } = this.whole ? await this.call("workspace/create", { request: { path: this.project } }) : {};
    const place = workspace ? { workspaceId: workspace.workspaceId } : { cwd: this.project };
    return (await this.call("session/create", { request: place })).sessionId;
  }

  /** @param {string} sessionId @param {string} text @param {"queue" | "steer"} [mode] */
  prompt(sessionId, text, mode = "queue") {
    return this.call("session/prompt", { request: { requestId: crypto.randomUUID(), sessionId, mode, content: [{ type: "text", text }] } });
  }

  /** @param {string} sessionId */
  cancel(sessionId) {
    return this.call("session/cancel", { request: { sessionId } });
  }

  /** The session's log, read cold from its first event to its last. @param {string} sessionId @returns {Promise<LogEvent[]>} */
  async log(sessionId) {
    const address = { kind: "session", sessionId };
    const through = await this.#cursor(address);
    /** @type {LogEvent[]} */
    const events = [];
    for (let beforeSeq = through + 1; ; ) {
      const { records, hasMore } = await this.call("session/page", { request: { address, throughSeq: through, beforeSeq, maxMessages: 500 } });
      events.unshift(...records.map((/** @type {any} */ record) => record.event));
      if (!hasMore || records.length === 0) return events;
      beforeSeq = records[0].event.seq;
    }
  }

  /** The log's last seq: the host says it when it is asked for one beyond. @param {unknown} address @returns {Promise<number>} */
  async #cursor(address) {
    try {
      await this.call("session/page", { request: { address, throughSeq: Number.MAX_SAFE_INTEGER, maxMessages: 1 } });
    } catch (error) {
      const found = /past cursor (-?\d+)/.exec(String(error));
      if (found) return Number(found[1]);
      throw error;
    }
    throw new Error("the dsh host knows no cursor");
  }
}
