// @ts-check
// Every recording is followed and comes out equal, and one that was tampered with does not.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { read } from "./oracle.mjs";
import { judge } from "./replay.mjs";

const FOLDER = fileURLToPath(new URL("../fixtures/dsh/", import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl")).sort();

for (const name of FILES) {
  test(`${name} is shown as it was`, async () => {
    const { equal, why, ...said } = await judge(FOLDER + name);
    assert.ok(equal, why);
    assert.equal(said.reopens, 0);
    assert.ok(said.facts > 0 || name === "p_errors.jsonl" || name === "q_heartbeat.jsonl");
  });
}

/** A recording with something changed in its last line that fits. @param {string} name @param {(line: any) => boolean} change */
function altered(name, change) {
  const lines = read(FOLDER + name);
  const at = lines.findLastIndex((line) => change(line));
  assert.notEqual(at, -1, "there is nothing to alter");
  return lines;
}

/** One character more at the end of the first block's text. @param {any} event */
function alter(event) {
  if (event?.type !== "assistant/message") return false;
  event.data.message.content[0].text += "!";
  return true;
}

const ALTERED = {
  "an altered final page": (/** @type {any} */ line) => {
    const records = line.ch === "rpc" && line.dir === "recv" && line.frame?.result?.value?.records;
    return Array.isArray(records) && records.some(({ event }) => alter(event));
  },
  "an altered settlement": (/** @type {any} */ line) => line.frame?.value?.type === "event" && alter(line.frame.value.event),
  "a final page without its last event": (/** @type {any} */ line) => {
    const records = line.ch === "rpc" && line.dir === "recv" && line.frame?.result?.value?.records;
    return Array.isArray(records) && records.length > 3 && records.splice(-4, 1).length > 0;
  },
};

for (const [what, change] of Object.entries(ALTERED)) {
  test(`${what} is caught`, async () => {
    assert.equal((await judge("altered", altered("a_plain.jsonl", change))).equal, false);
  });
}

test("the command prints one line for each file, and fails when one is not equal", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadfold-replay-"));
  try {
    const bad = path.join(folder, "altered.jsonl");
    const lines = altered("b_reasoning.jsonl", ALTERED["an altered final page"]);
    writeFileSync(bad, lines.map((line) => JSON.stringify(line)).join("\n"));
    const run = (/** @type {string[]} */ files) => spawnSync("node", [fileURLToPath(new URL("replay.mjs", import.meta.url)), ...files], { encoding: "utf8" });
    const good = `${FOLDER}a_plain.jsonl`;
    const both = run([good, bad]);
    assert.equal(both.status, 1);
    const said = both.stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(said.map(({ file, equal }) => [file, equal]), [["a_plain.jsonl", true], ["altered.jsonl", false]]);
    assert.deepEqual(said[0], { file: "a_plain.jsonl", equal: true, facts: 7, frames: 34, events: 18, reopens: 0 });
    assert.equal(run([good]).status, 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
