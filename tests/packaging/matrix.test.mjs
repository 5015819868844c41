// Where the packed package works, from a fresh project each: one table at the end.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import next from "./cases/next.mjs";
import noBundler from "./cases/no-bundler.mjs";
import parcel from "./cases/parcel.mjs";
import plainBundlers from "./cases/plain-bundlers.mjs";
import typescript from "./cases/typescript.mjs";
import vite from "./cases/vite.mjs";
import webpack from "./cases/webpack.mjs";
import { WANTED } from "./support/app.mjs";
import { launch, visit } from "./support/chromium.mjs";
import { Project } from "./support/project.mjs";
import { site } from "./support/site.mjs";

const CASES = [...noBundler, ...vite, ...webpack, ...plainBundlers, ...parcel, ...next, ...typescript];

/** What a case may use; all of it ends with the case. */
class World {
  #ending = [];

  constructor(browser) {
    this.browser = browser;
  }

  async project(name, files, manifest) {
    const project = await Project.make(name, files, manifest);
    this.#ending.push(() => project.remove());
    return project;
  }

  async site(folder) {
    this.served = await site(folder);
    this.#ending.push(() => this.served.stop());
    return this.served.address;
  }

  visit(address) {
    return visit(this.browser, address);
  }

  async end() {
    for (const end of this.#ending.reverse()) await end();
  }
}

let browser;
before(async () => (browser = await launch()));

const rows = [];

for (const { name, version, run, why = "", shows = "" } of CASES) {
  test(`${shows}${name} ${version}`, async () => {
    const row = { name, version, verdict: "failed", wasm: "", why };
    rows.push(row);
    const world = new World(browser);
    try {
      const outcome = await run(world);
      if (outcome) assert.deepEqual(outcome.result, WANTED, outcome.said?.join("\n"));
      row.verdict = "ok";
      row.wasm = outcome ? (outcome.wasm ?? world.served?.wasm ?? "in the script") : "types alone";
    } finally {
      await world.end();
    }
  });
}

after(async () => {
  await browser?.close();
  const line = (name, version, verdict, wasm, why = "") => `${name.padEnd(34)} ${version.padEnd(14)} ${verdict.padEnd(7)} ${String(wasm).padStart(13)}  ${why}`.trimEnd();
  const table = [line("where", "version", "", "wasm, bytes"), ...rows.map((row) => line(row.name, row.version, row.verdict, row.wasm, row.why))];
  console.log(`\n${table.join("\n")}\n`);
});
