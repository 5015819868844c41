// The transcoders, in a program of their own, and the loop over many sequences.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rejoined, sequence, dice } from "./sequences.mjs";

/** The chunks of each input, for each of these input lists. */
export function transcode(protocol, lists) {
  const program = process.env.THREADFOLD_TRANSCODE;
  if (!program) throw new Error("THREADFOLD_TRANSCODE names the program of examples/transcode.rs");
  const input = lists.map((inputs) => `${JSON.stringify({ protocol, inputs })}\n`).join("");
  const run = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (run.status !== 0) throw new Error(`the transcoder failed: ${run.error ?? run.stderr}`);
  return run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/**
 * Judges sequences by `judge(inputs, chunks, facts)`, which throws. A failure is made as short as it gets by leaving
 * out live fragments, and printed.
 */
export async function judgeAll(protocol, version, judge) {
  const count = Number(process.env.PEERS_COUNT ?? 1_500);
  const rows = {};
  const lengths = [];
  let rejoins = 0;
  let divergent = 0;
  for (let first = 0; first < count; first += 500) {
    const cases = [];
    for (let seed = first; seed < Math.min(count, first + 500); seed += 1) {
      const made = sequence(seed);
      const d = dice(seed ^ 0x5eed);
      const rejoins_ = d.chance(0.35);
      if (rejoins_) {
        const at = d.below(made.inputs.length);
        // What the page saw before it was reloaded is judged too, as far as it came.
        cases.push({ ...made, inputs: made.inputs.slice(0, at), facts: undefined });
        made.inputs = rejoined(made.inputs, at);
        rejoins += 1;
      }
      cases.push(made);
      lengths.push(made.inputs.length);
      divergent += made.divergent ? 1 : 0;
      for (const [row, n] of Object.entries(made.rows)) rows[row] = (rows[row] ?? 0) + n;
    }
    const chunks = transcode(protocol, cases.map((made) => made.inputs));
    for (const [number, made] of cases.entries()) {
      try {
        await judge(made.inputs, chunks[number], made.facts);
      } catch (error) {
        throw await shortest(protocol, made, judge, error);
      }
    }
  }
  lengths.sort((a, b) => a - b);
  const median = lengths[lengths.length >> 1];
  console.log(`${protocol} (${version}): ${count} sequences ok, median ${median} inputs, ${rejoins} rejoined, ${divergent} divergent`);
  console.log(Object.entries(rows).map(([row, n]) => `${row} ${n}`).join(", "));
  // What was judged is what was meant to be judged.
  assert.ok(median >= 40 && rejoins >= 0.3 * count && divergent >= 0.1 * count, "the sequences are too tame");
  if (count >= 1_500) assert.deepEqual(Object.entries(rows).filter(([, n]) => n < 100), [], "rows that were hardly hit");
}

async function shortest(protocol, made, judge, first) {
  const fails = async (inputs) => {
    try {
      await judge(inputs, transcode(protocol, [inputs])[0], made.facts);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  let { inputs } = made;
  let error = first;
  for (let at = inputs.length - 1; at >= 0; at -= 1) {
    if (!["delta", "reset"].includes(inputs[at].type)) continue;
    const shorter = inputs.toSpliced(at, 1);
    const now = await fails(shorter);
    if (now) [inputs, error] = [shorter, now];
  }
  const chunks = transcode(protocol, [inputs])[0];
  const lines = inputs.map((input, at) => `${JSON.stringify(input)}\n${chunks[at].map((c) => `    ${JSON.stringify(c)}\n`).join("")}`);
  return new Error(`${protocol}, sequence ${made.seed}: ${error.stack}\n${lines.join("")}`);
}
