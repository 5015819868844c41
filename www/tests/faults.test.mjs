// @ts-check
// Fault by fault: a session in Chromium while the host breaks the wire on purpose. At its end the page shows what was
// committed; the table tells what the host injected and what the client counted.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FAULTS } from "./support/faults.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

const world = await World.start({ deltaMs: 3, pingMs: 250 });
const { host } = world;

/** What the client must have noticed, by the names of its counters: at least one of them is above zero. */
const NOTICED = Object.freeze({
  drop: ["gaps"],
  duplicate: ["duplicates"],
  reorder: ["gaps"],
  delay: [],
  cut: ["losses"],
  "cut-utf8": ["losses"],
  "cut-last": ["losses"],
  "half-open": ["losses"],
  "status-401": ["openings"],
  "status-404": ["openings"],
  "status-503": ["openings"],
  "status-204": ["openings"],
  html: ["openings"],
  stale: ["reads"],
  epoch: ["openings"],
});

/** @type {Record<string, string | number>[]} */
const table = [];
after(() => {
  const columns = ["fault", "injected", "gaps", "reopens", "openings", "losses", "duplicates", "reads", "malformed", "retries", "checkpoints"];
  const line = (/** @type {Record<string, string | number>} */ row) => columns.map((name, at) => String(row[name] ?? "").padStart(at ? 11 : 0).padEnd(at ? 0 : 12)).join("");
  console.log([Object.fromEntries(columns.map((name) => [name, name])), ...table].map(line).join("\n"));
});

for (const [name, { spec, openings, patience, strikesReads }] of Object.entries(FAULTS)) {
  test(`with ${spec} the page still converges to what was committed`, async () => {
    const page = await world.follow({ first: "/plain" });
    page.patience = patience ?? 30_000;
    if (name === "half-open") await page.pinged();
    /** @type {Record<string, number>} */
    const before = { ...(await page.stats()) };
    const injected = (await host.injected())[name] ?? 0;
    await host.fault(spec, { thread: page.thread });
    // What strikes an opening needs one.
    if (openings) await host.admin(page.thread, "bye");
    for (const say of ["/reason", "/tools", "/unicode"]) await page.play({ say, every: 5, atLeast: 3 });
    await until("the fault has struck", async () => {
      await page.tend();
      return ((await host.injected())[name] ?? 0) > injected;
    });
    if (/^(drop|duplicate|reorder|delay|stale)$/.test(name)) await host.fault("", { thread: page.thread });
    await until("the page is live", async () => {
      await page.tend();
      return (await page.view()).status.state === "live";
    }, 40_000);
    const { commits } = await page.converged(30_000);
    /** @type {Record<string, number>} */
    const counted = { ...(await page.stats()) };
    const grown = (/** @type {string} */ counter) => (counted[counter] ?? 0) - (before[counter] ?? 0);
    const row = { fault: name, injected: ((await host.injected())[name] ?? 0) - injected, retries: page.retries, checkpoints: page.checkpoints };
    for (const counter of ["gaps", "reopens", "openings", "losses", "duplicates", "reads", "malformed"]) Object.assign(row, { [counter]: grown(counter) });
    table.push(row);
    if (!strikesReads) {
      const bound = commits + grown("openings") + grown("losses") + 2;
      assert.ok(grown("reads") <= bound, `${grown("reads")} reads, and at most ${bound} are needed`);
    }
    for (const counter of NOTICED[/** @type {keyof typeof NOTICED} */ (name)]) assert.ok(grown(counter) > 0, `${counter} is ${grown(counter)}`);
    await page.page.close();
  });
}
