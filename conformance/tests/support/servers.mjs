// Servers to be judged: the documented ones, the reference host, and a good one behind a way that breaks it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const HOST = process.env.THREADFOLD_HOST ?? path.join(ROOT, "target/debug/threadfold-host");

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

async function start(program, args, env = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), "threadfold-conformance-"));
  const child = spawn(program, args(folder), { cwd: ROOT, env: { ...process.env, PORT: "0", DATA: folder, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.on("exit", () => running.delete(child));
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  let origin;
  for await (const line of createInterface({ input: child.stdout })) {
    origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (origin) break;
  }
  child.stdout.resume();
  if (!origin) throw new Error(`${program} did not say where it serves: ${said}`);
  return {
    base: `${origin}/v1`,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The documented backends, by the name of their file. */
export const documented = (name) => start("node", () => [`examples/backend/${name}.mjs`], { PING_MS: "500", PACE_MS: "5" });

/** The documented backend on axum: `cargo build --package threadfold-host --example strict`. */
export const onAxum = () => start(process.env.THREADFOLD_AXUM ?? path.join(ROOT, "target/debug/examples/strict"), () => []);

export const referenceHost = () =>
  start(HOST, (folder) => ["--port", "0", "--db", path.join(folder, "t.sqlite"), "--www", "www", "--pkg", "pkg", "--delta-ms", "5", "--ping-ms", "500"]);

/**
 * A good server behind a way that breaks it.
 *
 * @param {{ base: string, stop(): Promise<void> }} good
 * @param {object} how
 * @param {(url: URL, body: any) => any} [how.request] Another body for the server.
 * @param {(url: URL, json: any) => any} [how.answer] Another answer for the client.
 * @param {() => (event: { name: string, data: any }) => { name: string, data: any }[]} [how.live] Other events, per stream.
 * @param {(base: string, url: URL) => Promise<unknown>} [how.left] When a client leaves a stream.
 */
export async function broken(good, { request = (_, body) => body, answer = (_, json) => json, live = () => (event) => [event], left = async () => {} }) {
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url, good.base);
    const body = incoming.method === "POST" ? JSON.stringify(request(url, JSON.parse(Buffer.concat(await incoming.toArray())))) : undefined;
    const stop = new AbortController();
    outgoing.on("close", () => stop.abort());
    const response = await fetch(url, { method: incoming.method, body, headers: body && { "content-type": "application/json" }, signal: stop.signal });
    const headers = Object.fromEntries(["content-type", "cache-control", "x-accel-buffering"].map((name) => [name, response.headers.get(name)]).filter(([, value]) => value));
    outgoing.writeHead(response.status, headers);
    if (!url.pathname.endsWith("/live")) return outgoing.end(JSON.stringify(answer(url, await response.json())));
    outgoing.on("close", () => left(good.base, url).catch(() => {}));
    const change = live();
    let rest = "";
    try {
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        rest += chunk;
        for (let end; (end = rest.indexOf("\n\n")) >= 0; rest = rest.slice(end + 2)) {
          const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(rest.slice(0, end)) ?? [];
          if (!name) continue;
          for (const event of change({ name, data: JSON.parse(data) })) outgoing.write(`event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`);
        }
      }
    } catch {
      // The client left.
    }
    outgoing.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    base: `http://127.0.0.1:${server.address().port}/v1`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
