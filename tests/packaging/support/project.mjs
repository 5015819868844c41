// A project as a person would begin it: outside of the repository, with the packed package installed by npm.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const PACKAGE = process.env.THREADFOLD_PACKAGE ?? path.join(ROOT, "target/pack/threadfold.tgz");
/** Where the bundlers are installed; projects are made below it, so that they find them. */
export const TOOLS = process.env.THREADFOLD_TOOLS ?? path.join(ROOT, "tests/packaging");

/** A tool's installed version. */
export const versionOf = (tool) => createRequire(path.join(TOOLS, "package.json"))(`./node_modules/${tool}/package.json`).version;

/** Servers that run now: whatever ends this process ends them too. */
const running = new Set();
process.on("exit", () => running.forEach(kill));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

/** A bundler's server has children of its own, so each is a group. */
function kill(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

export class Project {
  #servers = [];

  /**
   * @param {string} name
   * @param {Record<string, string>} files By path.
   * @param {object} [manifest] More of its package.json.
   */
  static async make(name, files, manifest = {}) {
    const project = new Project();
    project.folder = await mkdtemp(path.join(TOOLS, `project-${name}-`));
    await project.write({ "package.json": JSON.stringify({ name, private: true, type: "module", ...manifest }), ...files });
    await project.run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE]);
    return project;
  }

  path(...parts) {
    return path.join(this.folder, ...parts);
  }

  async write(files) {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(this.path(name)), { recursive: true });
      await writeFile(this.path(name), text);
    }
  }

  /** Runs a program to its end and gives what it printed. What it says is the error's message when it fails. */
  run(program, args, env = {}) {
    return new Promise((resolve, reject) => {
      const options = { cwd: this.folder, env: environment(env), maxBuffer: 1 << 26 };
      execFile(program, args, options, (error, stdout, stderr) => {
        if (error) reject(new Error(`${path.basename(program)} ${args.join(" ")}\n${stdout}\n${stderr}`));
        else resolve(stdout);
      });
    });
  }

  /** Runs a tool by the name of its command, or by its file where another version has the name. */
  tool(name, args, env) {
    return this.run(command(name), args, env);
  }

  /** Starts a tool that serves, and waits until it prints its address. */
  async serve(name, args, env = {}) {
    const options = { cwd: this.folder, env: environment(env), detached: true, stdio: ["ignore", "pipe", "pipe"] };
    const child = spawn(command(name), args, options);
    running.add(child);
    this.#servers.push(child);
    return addressOf(child, name);
  }

  async remove() {
    for (const child of this.#servers) {
      running.delete(child);
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      kill(child);
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const command = (name) => path.join(TOOLS, "node_modules", name.includes("/") ? name : `.bin/${name}`);

/** A bundler asks nobody and tells nobody. */
const environment = (more) => ({
  ...process.env,
  NODE_ENV: undefined,
  NO_COLOR: "1",
  FORCE_COLOR: undefined,
  NEXT_TELEMETRY_DISABLED: "1",
  NODE_TEST_CONTEXT: undefined,
  ...more,
});

/** The first loopback address that a server prints. */
export function addressOf(child, name) {
  let said = "";
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => reject(new Error(`${name} was not ready in 120 s: ${said}`)), 120_000);
    const hear = (chunk) => {
      said += chunk;
      const found = /http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/.exec(said);
      if (!found) return;
      clearTimeout(patience);
      resolve(`http://127.0.0.1:${found[1]}`);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => {
      clearTimeout(patience);
      reject(new Error(`${name} ended with ${code}: ${said}`));
    });
  });
}
