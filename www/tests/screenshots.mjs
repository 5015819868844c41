// @ts-check
// Writes the pictures of www/screenshots/ anew: `node www/tests/screenshots.mjs`, with what the tests in a browser need.

import { mkdir } from "node:fs/promises";
import { context, launch, live, open } from "./support/browser.mjs";
import { Host } from "./support/host.mjs";
import { until } from "./support/until.mjs";

const OUT = new URL("../screenshots/", import.meta.url);

const LOOKS = [
  { name: "wide", options: { colorScheme: /** @type {const} */ ("light") }, panel: false, fault: false },
  { name: "dark", options: { colorScheme: /** @type {const} */ ("dark") }, panel: false, fault: false },
  { name: "fault", options: { colorScheme: /** @type {const} */ ("light") }, panel: false, fault: true },
  { name: "phone", options: { colorScheme: /** @type {const} */ ("light"), viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 }, panel: false, fault: false },
  { name: "phone-wire", options: { colorScheme: /** @type {const} */ ("dark"), viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 }, panel: true, fault: false },
];

await mkdir(OUT, { recursive: true });
const host = await Host.start({ deltaMs: 12 });
const browser = await launch();
try {
  for (const { name, options, panel, fault } of LOOKS) {
    const own = await context(browser, options);
    const { run_id } = await host.send(name, "/reason");
    await host.rested(name, run_id);
    const page = await open(own, host, name);
    await live(page);
    if (fault) await page.locator("#naive summary").click();
    await page.evaluate(() => void globalThis.thread.send("/tools"));
    await until("the tools are done", () => page.evaluate(() => globalThis.thread.view.items.filter((item) => item.kind === "finished").length === 2));
    await host.hold(name, fault ? 30 : 1000);
    await page.evaluate((word) => void globalThis.thread.send(word), fault ? "/slow" : "/approve");
    if (fault) {
      await host.held(name);
      await host.cut();
      await until("the naive client doubles", async () => ((await page.locator("#naive-text").textContent()) ?? "").split("A log is a promise").length > 2);
      await host.hold(name, 8);
      await until("it is found out", async () => ((await page.locator("#naive-verdict").textContent()) ?? "").includes("wrong"));
      await host.held(name);
      await host.fault("status-503", { thread: name, times: 100 });
      await host.cut();
      await until("the page waits", () => page.evaluate(() => globalThis.thread.view.status.state === "waiting"));
    } else await page.locator('[data-kind="awaiting"] [data-action="approve"]').waitFor();
    // All of it took a few seconds.
    await page.locator("#lanes-closer").evaluate((button) => button.click());
    if (panel) await page.locator("#panel-toggle").click();
    await page.waitForTimeout(600);
    await page.screenshot({ path: new URL(`${name}.png`, OUT).pathname });
    await host.clearFaults();
    await host.release(name);
    await own.close();
  }
} finally {
  await browser.close();
  await host.stop();
}
