// The newcomer's path, as the first page of the documentation has it: from `npm install` to a chat that recovers, in
// Chromium, with each step's time printed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "../packaging/support/chromium.mjs";
import { Project } from "../packaging/support/project.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>chat</title><div id="log"></div><form><input name="text"><button>Send</button></form><script type="module" src="/main.js"></script></html>';

const ending = [];
after(async () => {
  for (const end of ending.reverse()) await end();
});

const steps = [];
async function step(name, action) {
  const start = performance.now();
  const value = await action();
  steps.push([name, (performance.now() - start) / 1000]);
  return value;
}

/**
 * The documented backend, as `node strict.mjs` starts it in the project. Vite's proxy does not pass on that a backend died, so
 * it is noticed by the heartbeat, which is made quicker here.
 */
async function backend(project, port) {
  const child = spawn("node", ["strict.mjs"], { cwd: project.folder, env: { ...process.env, PORT: String(port), PACE_MS: "20", PING_MS: "1000" }, stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, "line");
  return {
    port: Number(new URL(line).port),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("a newcomer comes from npm install to a chat that recovers", async () => {
  const documented = await readFile(path.join(ROOT, "docs/getting-started.md"), "utf8");
  const [, script] = /^```js run\n([\s\S]*?)^```$/m.exec(documented);
  const project = await step("npm install of the tarball", () => Project.make("newcomer", {}));
  ending.push(() => project.remove());

  let server = await step("the documented backend, copied and started", async () => {
    for (const name of ["strict.mjs", "agent.mjs"]) await project.write({ [name]: await readFile(path.join(ROOT, "examples/backend", name), "utf8") });
    return backend(project, 0);
  });
  ending.push(() => server.kill());
  const { port } = server;

  const address = await step("the page, its script copied, and vite dev", async () => {
    const config = `export default { server: { proxy: { "/v1": "http://127.0.0.1:${port}" } } };`;
    await project.write({ "index.html": PAGE, "main.js": script, "vite.config.js": config });
    return project.serve("vite", ["--host", "127.0.0.1", "--port", "0"]);
  });
  const browser = await launch();
  ending.push(() => browser.close());
  const page = await browser.newPage();
  const said = [];
  page.on("pageerror", (error) => said.push(String(error)));
  const shows = (text) => page.waitForFunction((text) => document.querySelector("#log").innerText.includes(text), text, { timeout: 90_000 });
  const send = async (text) => {
    await page.fill("input", text);
    await page.click("button");
  };

  await step("a first answer", async () => {
    await page.goto(`${address}/?thread=new`);
    await page.waitForFunction(() => document.querySelector("#log"));
    await send("hello");
    await shows("You said: hello");
    await shows("finished:");
  });

  await step("a reload in the middle of an answer", async () => {
    await send("/long");
    await page.waitForFunction(() => document.querySelectorAll("p").length >= 5 && document.querySelector("#log").innerText.length > 150);
    await page.reload();
    await page.waitForFunction(() => document.querySelector("#log").innerText.match(/finished:/g)?.length === 2, undefined, { timeout: 90_000 });
  });
  const text = await page.innerText("#log");
  const once8 = text.match(/Recovery is simple/g).length;
  assert.equal(once8, 1 + 8, "each sentence stands there once");

  await step("the backend killed in the middle of an answer, and started again", async () => {
    await send("/long");
    await page.waitForFunction(() => document.querySelector("#log").innerText.match(/Recovery is simple/g).length > 10);
    await server.kill();
    server = await backend(project, port);
    await shows("failed:");
  });
  assert.deepEqual(said, []);
  const total = steps.reduce((sum, [, seconds]) => sum + seconds, 0);
  console.log(`\n${steps.map(([name, seconds]) => `${name.padEnd(62)} ${seconds.toFixed(1).padStart(5)} s`).join("\n")}`);
  console.log(`${steps.length} steps, ${(total / 60).toFixed(1)} minutes on this machine\n`);
});
