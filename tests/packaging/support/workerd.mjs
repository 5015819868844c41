// A Worker as Cloudflare's platform runs it, on this machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";

/**
 * Serves a bundled Worker that imports its modules from a folder `wasm` beside it.
 * @param {string} tool The program workerd.
 * @param {string} worker
 * @param {string} wasm The folder of the modules.
 */
export async function serveWorker(tool, worker, wasm) {
  const port = await freePort();
  const folder = path.dirname(worker);
  const modules = (await readdir(wasm)).filter((name) => name.endsWith(".wasm"));
  const config = path.join(folder, "config.capnp");
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .worker)],
      sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
    );
    const worker :Workerd.Worker = (
      modules = [
        (name = "worker.js", esModule = embed "${path.relative(folder, worker)}"),
        ${modules.map((name) => `(name = "./wasm/${name}?module", wasm = embed "${path.relative(folder, path.join(wasm, name))}")`).join(", ")}
      ],
      compatibilityDate = "2026-01-01"
    );`,
  );
  const child = spawn(tool, ["serve", config], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  process.on("exit", end);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const address = `http://127.0.0.1:${port}/`;
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null) throw new Error(`workerd ended with ${child.exitCode}: ${said}`);
    if (await fetch(address).then((answer) => answer.body?.cancel() ?? true, () => false) !== false) break;
    if (tries > 300) throw new Error(`workerd does not answer: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    address,
    stop: async () => {
      process.off("exit", end);
      const ended = once(child, "exit");
      end();
      await ended;
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
