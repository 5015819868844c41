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

/** The page's files, as they stand in the documentation. @param {number} port The backend's, which is a free one here. */
async function documented(port) {
  const text = await readFile(path.join(ROOT, "docs/getting-started.md"), "utf8");
  const block = (info) => new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text)[1];
  const config = block("js run vite\\.config\\.mjs");
  assert.ok(config.includes(":8787"));
  return { "index.html": block("html run"), "main.js": block("js run"), "vite.config.mjs": config.replace("8787", String(port)) };
}

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

/** The documented backend, as `node strict.mjs` starts it in the project. */
async function backend(project, port) {
  const child = spawn("node", ["strict.mjs"], { cwd: project.folder, env: { ...process.env, PORT: String(port), PACE_MS: "20" }, stdio: ["ignore", "pipe", "inherit"] });
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
  const project = await step("npm install of the tarball", () => Project.make("newcomer", {}));
  ending.push(() => project.remove());

  let server = await step("the documented backend, copied and started", async () => {
    for (const name of ["strict.mjs", "agent.mjs"]) await project.write({ [name]: await readFile(path.join(ROOT, "examples/backend", name), "utf8") });
    return backend(project, 0);
  });
  ending.push(() => server.kill());
  const { port } = server;

  const address = await step("the page's three files, copied, and vite", async () => {
    await project.write(await documented(port));
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
