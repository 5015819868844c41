// Chromium, and what a page in it comes to.

import { createRequire } from "node:module";
import path from "node:path";
import { TOOLS } from "./project.mjs";

const { chromium } = createRequire(path.join(TOOLS, "package.json"))("playwright-core");
const ARGS = [
  "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export const launch = () => chromium.launch({ executablePath: process.env.CHROME ?? "/usr/bin/chromium", args: ARGS });

/**
 * Opens a page and waits until its script has written JSON into the element `#result`.
 * @returns {Promise<{ result: any, wasm: number | null, said: string[] }>} With the size of the client's module, which is the larger one.
 */
export async function visit(browser, address) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const said = [];
    const modules = [];
    page.on("pageerror", (error) => said.push(String(error.stack ?? error)));
    page.on("console", (message) => message.type() === "error" && said.push(message.text()));
    // A worker's requests are the context's, not the page's.
    context.on("requestfailed", (request) => said.push(`${request.url()}: ${request.failure()?.errorText}`));
    context.on("response", (response) => {
      if (/\.wasm(\?|$)/.test(response.url())) modules.push(response.body().catch(() => null));
    });
    await page.goto(address);
    const filled = page.waitForFunction(() => document.querySelector("#result")?.textContent || undefined, undefined, { timeout: 90_000 });
    const text = await filled.then((handle) => handle.jsonValue()).catch(() => {
      throw new Error(`${address} shows no result. It said: ${said.join("\n") || "nothing"}`);
    });
    const sizes = (await Promise.all(modules)).filter(Boolean).map((bytes) => bytes.length);
    return { result: JSON.parse(text), wasm: sizes.length > 0 ? Math.max(...sizes) : null, said };
  } finally {
    await context.close();
  }
}
