// One client over all that it is given: random sequences, and what was recorded of the host. Prints its report as JSON.
// Arguments: the client's row, the number of random sequences, the file of recorded paths, a folder for scratch files.

import { readFileSync } from "node:fs";
import { CLIENTS } from "./clients.mjs";
import { dice, lagging, rejoined, sequence } from "./sequences.mjs";
import { shortest, shown, transcode } from "./transcoder.mjs";

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
    const made = { path: "random", number: seed, history: 0, ...sequence(seed) };
    const d = dice(seed ^ 0x5eed);
    if (d.chance(0.25)) {
      made.inputs = lagging(made.inputs, d);
      made.follows = true;
      lags += 1;
    }
    if (d.chance(0.35)) {
      const at = d.below(made.inputs.length);
      // What the page saw before it was reloaded is judged too, as far as it came.
      yield { ...made, seed: `seed ${seed}, before the reload`, path: "before a reload", inputs: made.inputs.slice(0, at), facts: undefined };
      const live = made.inputs.length - at;
      made.inputs = rejoined(made.inputs, at);
      made.history = made.inputs.length - live;
      rejoins += 1;
    }
    // A page that follows what others do, where it could not do anything itself: its stream outruns the log.
    made.follows ||= d.chance(0.3);
    yield { ...made, seed: `seed ${seed}` };
    lengths.push(made.inputs.length);
    divergent += made.divergent ? 1 : 0;
    for (const [name, n] of Object.entries(made.rows)) rows[name] = (rows[name] ?? 0) + n;
  }
  lengths.sort((a, b) => a - b);
  report.random = { count: lengths.length, median: lengths[lengths.length >> 1], lags, rejoins, divergent, rows };
}

function* all() {
  yield* JSON.parse(readFileSync(recorded, "utf8"));
  yield* random();
}

/** Counts one case of a path, and keeps the first failure of it: one shortest sequence is enough to read. */
async function tell(name, made, judge) {
  const path = (report.paths[name] ??= { ok: 0, failed: 0 });
  try {
    await judge(made.inputs);
    path.ok += 1;
  } catch (first) {
    path.failed += 1;
    if (path.failed > 1) return;
    const { inputs, error } = await shortest(judge, made.inputs, first);
    report.failures.push(`${client.protocol}, ${name}, ${made.seed}: ${error.stack}\n${shown(client, inputs)}`);
  }
}

async function judge(cases) {
  const chunks = transcode(client, cases.map(({ inputs }) => inputs));
  for (const [number, made] of cases.entries()) {
    for (const chunk of chunks[number].flat()) {
      const word = client.says(chunk);
      report.written[word] = (report.written[word] ?? 0) + 1;
    }
    const written = (inputs) => (inputs === made.inputs ? chunks[number] : transcode(client, [inputs])[0]);
    await tell(made.path, made, (inputs) => client.judge(inputs, written(inputs), made.facts));
  }
  if (!client.chat) return;
  // Pages wait for timers, so many are open at once.
  const queue = cases.filter(({ path }) => path === "random");
  const page = async () => {
    for (let made = queue.pop(); made; made = queue.pop()) await tell("random, AbstractChat", made, (inputs) => client.chat({ ...made, inputs }));
  };
  await Promise.all(Array.from({ length: 64 }, page));
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
