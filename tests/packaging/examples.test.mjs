// The examples for React, Vue, Svelte and no framework, in Chromium against the documented backend: each streams,
// asks, survives a reload, and leaves settled lines alone while others grow.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./support/chromium.mjs";
import { Project } from "./support/project.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const example = (name) => readFile(path.join(ROOT, "examples/web", name), "utf8");
const OPTIONS = '{ base: "/v1", threadId: new URLSearchParams(location.search).get("thread") }';
const PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>chat</title><div id="app"></div><script type="module" src="/main.jsx"></script></html>';

const FRAMEWORKS = {
  "no framework": { file: "vanilla.js", main: `import { chat } from "./vanilla.js"; chat(document.querySelector("#app"), ${OPTIONS});` },
  React: {
    file: "react.jsx",
    main: `import { createElement } from "react"; import { createRoot } from "react-dom/client"; import { Chat } from "./react.jsx";
      createRoot(document.querySelector("#app")).render(createElement(Chat, ${OPTIONS}));`,
    config: 'export default { esbuild: { jsx: "automatic" }, oxc: { jsx: { runtime: "automatic" } }',
    server: `import { createElement } from "react"; import { renderToString } from "react-dom/server"; import { Chat } from "./react.jsx";
      export const render = (options) => renderToString(createElement(Chat, options));`,
  },
  Vue: {
    file: "Chat.vue",
    main: `import { createApp } from "vue"; import Chat from "./Chat.vue"; createApp(Chat, ${OPTIONS}).mount("#app");`,
    config: 'import vue from "@vitejs/plugin-vue"; export default { plugins: [vue()]',
    server: `import { createSSRApp } from "vue"; import { renderToString } from "vue/server-renderer"; import Chat from "./Chat.vue";
      export const render = (options) => renderToString(createSSRApp(Chat, options));`,
  },
  Svelte: {
    file: "Chat.svelte",
    main: `import { mount } from "svelte"; import Chat from "./Chat.svelte"; mount(Chat, { target: document.querySelector("#app"), props: ${OPTIONS} });`,
    config: 'import { svelte } from "@sveltejs/vite-plugin-svelte"; export default { plugins: [svelte()]',
    server: `import { render as rendered } from "svelte/server"; import Chat from "./Chat.svelte";
      export const render = (props) => rendered(Chat, { props }).body;`,
  },
};

/** An example whose renderings of a text are counted, by that text. */
function counted(code) {
  const word = 'part.type === "text"';
  assert.equal(code.split(`${word} ?`).length, 2, "there is one place where text is rendered");
  return code.replace(word, `((globalThis.renderings ??= {})[part.text] = (globalThis.renderings[part.text] ?? 0) + 1, ${word})`);
}

let browser;
let backend;
const ending = [];
before(async () => {
  browser = await launch();
  ending.push(() => browser.close());
  const folder = await Project.make("backend", {});
  ending.push(() => folder.remove());
  const child = spawn("node", [path.join(ROOT, "examples/backend/strict.mjs")], { env: { ...process.env, PORT: "0", DATA: folder.path("threads"), PACE_MS: "10" }, stdio: ["ignore", "pipe", "inherit"] });
  ending.push(async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  backend = new URL(line).origin;
});
after(async () => {
  for (const end of ending.reverse()) await end();
});

test("each example is one file of at most 60 lines", async () => {
  for (const { file } of Object.values(FRAMEWORKS)) {
    assert.ok((await example(file)).trimEnd().split("\n").length <= 60, file);
  }
});

for (const [name, { file, main, config = "export default {" }] of Object.entries(FRAMEWORKS)) {
  test(`the example for ${name} streams, asks and recovers, and settled lines stay as they are`, async () => {
    const settings = `${config}${config.endsWith("{") ? "" : ","} server: { proxy: { "/v1": "${backend}" } } };`;
    const project = await Project.make("example", { "index.html": PAGE, "main.jsx": main, [file]: counted(await example(file)), "vite.config.js": settings });
    const page = await browser.newPage();
    page.setDefaultTimeout(90_000);
    try {
      const address = await project.serve("vite", ["--host", "127.0.0.1", "--port", "0"]);
      const said = [];
      page.on("pageerror", (error) => said.push(String(error.stack ?? error)));
      const send = async (text) => {
        await page.fill("input", text);
        await page.click("form button");
      };
      /** So many runs are over, and the page is live. */
      const ends = (runs) =>
        page.waitForFunction(
          (runs) => document.querySelectorAll("li.finished").length === runs && document.querySelector('[role="status"]')?.textContent === "live, the run is finished",
          runs,
          { timeout: 90_000 },
        );
      await page.goto(`${address}/?thread=${encodeURIComponent(name)}`);
      await page.waitForSelector("form button");
      await send("hello");
      await ends(1);

      // What is settled now is watched while another answer grows.
      await page.evaluate(() => {
        globalThis.changed = 0;
        const settled = [...document.querySelectorAll("li")];
        for (const line of settled) new MutationObserver((records) => (globalThis.changed += records.length)).observe(line, { subtree: true, childList: true, characterData: true, attributes: true });
        globalThis.before = { ...globalThis.renderings };
        globalThis.settled = settled;
      });
      await send("/long");
      await ends(2);
      const watched = await page.evaluate(() => ({
        changed: globalThis.changed,
        kept: globalThis.settled.every((line) => line.isConnected),
        // The question and its answer, so that something was counted at all.
        settled: [...document.querySelectorAll("li p")].slice(0, 2).filter(({ textContent }) => globalThis.before[textContent] > 0).length,
        again: Object.entries(globalThis.before).filter(([key, count]) => globalThis.renderings[key] !== count),
      }));
      assert.deepEqual(watched, { changed: 0, kept: true, settled: 2, again: [] });

      await send("/approve");
      await page.click("li button:text('Allow')");
      await ends(3);
      assert.equal(await page.locator("li button").count(), 0, "what is answered is not asked again");
      const text = await page.innerText("ol");
      assert.match(text, /The tool says/);

      await page.reload();
      await ends(3);
      assert.equal(await page.innerText("ol"), text, "the same after a reload");
      await page.evaluate(() => document.querySelector("form button").blur());
      await send("/long");
      await page.waitForFunction(() => document.querySelector("li:last-child")?.className.includes("preview"));
      await page.reload();
      await ends(4);
      assert.equal((await page.innerText("ol")).match(/Recovery is simple/g).length, 1 + 8 + 8, "each sentence stands there once");
      assert.deepEqual(said, []);
    } finally {
      await page.close();
      await project.remove();
    }
  });
}

for (const [name, { file, config, server }] of Object.entries(FRAMEWORKS)) {
  if (!server) continue;
  test(`the example for ${name} renders on a server, which asks nobody for anything`, async () => {
    const project = await Project.make("server", { [file]: await example(file), "server.js": server, "vite.config.js": `${config} };` });
    const asked = [];
    const kept = globalThis.fetch;
    globalThis.fetch = (...request) => (asked.push(request), Promise.reject(new Error("no")));
    try {
      await project.tool("vite", ["build", "--ssr", "server.js", "--outDir", "out", "--logLevel", "warn"]);
      const { render } = await import(pathToFileURL(project.path("out/server.js")).href);
      const html = (await render({ base: "/v1", threadId: "t1" })).replace(/<!--.*?-->/gs, "");
      assert.match(html, /<ol><\/ol>\s*<p role="status">idle/);
      // Whatever was begun would ask in a task of its own.
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.deepEqual(asked, []);
    } finally {
      globalThis.fetch = kept;
      await project.remove();
    }
  });
}
