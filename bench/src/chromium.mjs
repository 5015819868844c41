// Chromium for the measurements: a cross-origin isolated page from loopback for each sample.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const root = new URL("../..", import.meta.url).pathname;
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const HTML = (script) => `<!doctype html><meta charset="utf-8"><title>bench</title><div id="root"></div><script type="module" src="${script}"></script>`;
const FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--enable-precise-memory-info", "--js-flags=--expose-gc"];

export class Chromium {
  static async launch() {
    const made = new Chromium();
    await made.#start();
    return made;
  }

  async #start() {
    const out = join(root, "target/bench");
    await build({
      entryPoints: ["page", "frame-threadfold", "frame-usechat"].map((name) => join(root, `bench/src/${name}.js`)),
      outdir: out,
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      conditions: ["browser"],
      target: "es2022",
      define: { "process.env.NODE_ENV": '"production"' },
      loader: { ".json": "json" },
      logLevel: "error",
    });
    this.server = createServer((request, response) => {
      const { pathname } = new URL(request.url, "http://localhost");
      const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
      const page = /^\/([a-z-]+)\.html$/.exec(pathname);
      try {
        // The bundle names the module beside itself.
        const file = pathname.endsWith(".wasm") ? join(root, "pkg/wasm/threadfold_bg.wasm") : join(out, pathname);
        const body = page ? HTML(`/${page[1]}.js`) : readFileSync(file);
        response.writeHead(200, { ...isolated, "content-type": TYPES[page ? ".html" : extname(pathname)] ?? "application/octet-stream" });
        response.end(body);
      } catch {
        response.writeHead(404, isolated).end();
      }
    });
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.base = `http://127.0.0.1:${this.server.address().port}`;
    this.browser = await chromium.launch({ executablePath: process.env.CHROME, args: FLAGS });
    this.version = this.browser.version();
  }

  /** One measurement in a page, and a process, of its own. */
  async run(task) {
    const context = await this.browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(`${this.base}/page.html`);
      await page.waitForFunction("typeof measure === 'function' && crossOriginIsolated");
      return await page.evaluate((given) => globalThis.measure(given), task);
    } finally {
      await context.close();
    }
  }

  /** What the main thread does while an answer streams into a long page, for threadfold and for `useChat`. */
  async frame(seconds) {
    const pages = [];
    for (const [name, script] of [["threadfold", "frame-threadfold"], ["useChat", "frame-usechat"]]) {
      const context = await this.browser.newContext();
      const page = await context.newPage();
      await page.goto(`${this.base}/${script}.html`);
      await page.waitForFunction("typeof ready !== 'undefined' && ready === true", null, { timeout: 60_000 });
      const session = await this.browser.newBrowserCDPSession();
      const events = [];
      session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
      await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline", "__metadata"] } });
      const shown = await page.evaluate((given) => globalThis.stream(given), seconds);
      const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
      await session.send("Tracing.end");
      await complete;
      await context.close();
      pages.push({ name, seconds, ...shown, ...mainThread(events) });
    }
    return pages;
  }

  async close() {
    await this.browser.close();
    this.server.close();
  }
}

/** Tasks of the busiest renderer's main thread. */
function mainThread(events) {
  const threads = new Map();
  for (const { name, ph, dur, pid, tid } of events) {
    if (ph !== "X" || name !== "RunTask") continue;
    const key = `${pid}/${tid}`;
    if (!threads.has(key)) threads.set(key, []);
    threads.get(key).push(dur / 1000);
  }
  const named = events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid}/${tid}`);
  const sums = named.map((key) => threads.get(key) ?? []).sort((a, b) => sum(b) - sum(a));
  const tasks = sums[0] ?? [];
  return { tasks: tasks.filter((ms) => ms > 16).length, longest: Math.max(0, ...tasks), busy: sum(tasks) };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
