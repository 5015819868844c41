// @ts-check
// Recorded answers of real models, replayed through the host: clean, and with a fifth of the frames lost and as many
// doubled.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT } from "./support/host.mjs";
import { World } from "./support/world.mjs";

const ALL = path.join(ROOT, "../shared/recordings/openai-chat");
const FEW = path.join(ROOT, "tests/fixtures/openai-chat");
const folder = existsSync(ALL) ? ALL : FEW;
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort().map((name) => path.join(folder, name));

/** The text that a recording says: of its first choice, where contents are strings or lists of parts. @param {string} file */
function textOf(file) {
  const chunks = readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const contents = chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? "");
  const text = (/** @type {any} */ content) => (typeof content === "string" ? content : content.map((/** @type {any} */ part) => (part.type === "text" ? part.text : "")).join(""));
  return contents.map(text).join("");
}

/** The text of the last run's first answer, as the view has it. @param {import("./support/world.mjs").Following} page */
async function firstAnswer(page) {
  const { items, run } = await page.view();
  const answer = items.find((item) => item.kind === "assistant" && item.run_id === run?.run_id);
  assert.ok(answer?.kind === "assistant");
  return answer.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

for (const fault of ["", "drop:0.2,duplicate:0.2"]) {
  test(`${files.length} recordings${fault ? ` with ${fault}` : ""}`, async (t) => {
    const world = await World.start({ deltaMs: 0, pingMs: 250, replay: files });
    const page = await world.follow({ first: null });
    page.patience = 30_000;
    if (fault) await world.host.fault(fault, { thread: page.thread });
    for (const file of files) {
      await page.play({ say: `Replay ${path.basename(file)}`, every: 1, later: 25, atLeast: 1 });
      if (!fault) await page.converged();
      assert.equal(await firstAnswer(page), textOf(file), "the answer is the recorded one");
      t.diagnostic(`${path.basename(file)}: ${page.checkpoints} checkpoints so far`);
    }
    await world.host.clearFaults();
    await page.converged(40_000);
    await world.stop();
  });
}
