// One client over all that it is given: random sequences, and what was recorded of the host. Prints its report as JSON.
// Arguments: the client's row, the number of random sequences, the file of recorded paths, a folder for scratch files.

import { readFileSync } from "node:fs";
import { CLIENTS } from "./clients.mjs";
import { dice, lagging, rejoined, sequence } from "./sequences.mjs";
import { shortest, transcode } from "./transcoder.mjs";

const [row, count, recorded, scratch] = process.argv.slice(2);
const client = await CLIENTS[row]();
const report = { row, client: client.client, paths: {}, written: Object.fromEntries(client.words.map((word) => [word, 0])), failures: [], notes: [] };

function* random() {
  const rows = {};
  const lengths = [];
  let lags = 0;
  let rejoins = 0;
  let divergent = 0;
  for (let seed = 0; seed < Number(count); seed += 1) {
    const made = { path: "random", ...sequence(seed) };
    const d = dice(seed ^ 0x5eed);
    if (d.chance(0.25)) {
      made.inputs = lagging(made.inputs, d);
      lags += 1;
    }
    if (d.chance(0.35)) {
      const at = d.below(made.inputs.length);
      // What the page saw before it was reloaded is judged too, as far as it came.
      yield { ...made, seed: `seed ${seed}, before the reload`, path: "before a reload", inputs: made.inputs.slice(0, at), facts: undefined };
      made.inputs = rejoined(made.inputs, at);
      rejoins += 1;
    }
    yield { ...made, seed: `seed ${seed}` };
    lengths.push(made.inputs.length);
    divergent += made.divergent ? 1 : 0;
    for (const [name, n] of Object.entries(made.rows)) rows[name] = (rows[name] ?? 0) + n;
  }
  lengths.sort((a, b) => a - b);
  report.random = { count: lengths.length, median: lengths[lengths.length >> 1], lags, rejoins, divergent, rows };
}

function* all() {
  for (const path of JSON.parse(readFileSync(recorded, "utf8"))) {
    // The simulator's host says what no real one does (messages of one id, results of nobody's calls), which the other
    // judges don't know yet.
    if (path.path !== "simulated" || row.startsWith("ai-sdk")) yield path;
  }
  yield* random();
}

async function judge(cases) {
  const chunks = transcode(client, cases.map(({ inputs }) => inputs));
  for (const [number, made] of cases.entries()) {
    const path = (report.paths[made.path] ??= { ok: 0, failed: 0 });
    for (const chunk of chunks[number].flat()) {
      const word = client.says(chunk);
      report.written[word] = (report.written[word] ?? 0) + 1;
    }
    try {
      await client.judge(made.inputs, chunks[number], made.facts);
      path.ok += 1;
    } catch (error) {
      path.failed += 1;
      // One shortest sequence for each path is enough to read.
      if (path.failed === 1) report.failures.push(await shortest(client, made, error));
    }
  }
}

let cases = [];
for (const made of all()) {
  if (cases.push(made) === 250) await judge(cases.splice(0));
}
await judge(cases);
try {
  const note = client.finish?.(scratch);
  if (note) report.notes.push(note);
} catch (error) {
  report.failures.push(error.message);
}
process.stdout.write(JSON.stringify(report));
