// Measures, and writes what was found; `cargo xtask bench` calls it.
// Flags: --quick, --only NAME…, --rounds N, --where node|chromium…. Variables: CHROME, BENCH_OUT (a folder for the JSON).

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CASES, SERIES } from "./src/cases.js";
import { figure } from "./src/figures.js";
import { markdown, screen, svg } from "./src/report.js";
import { Chromium } from "./src/chromium.mjs";

const folder = new URL(".", import.meta.url);
const flags = parse(process.argv.slice(2));
const rounds = Number(flags.rounds?.[0] ?? (flags.quick ? 3 : 7));
// The browser first: it is what the package is for.
const places = flags.where ?? ["chromium", "node"];
const wanted = ({ name }) => !flags.only || flags.only.includes(name);
const partial = flags.only || flags.where;

const chromium = places.includes("chromium") ? await Chromium.launch() : null;
const report = {
  machine: {
    what: `${os.cpus()[0].model}, ${os.cpus().length} cores, Node ${process.version}${chromium ? `, Chromium ${chromium.version}` : ""}`,
    rounds,
    when: new Date().toISOString().slice(0, 10),
    versions: versions(),
  },
  cases: [],
  series: [],
  frame: null,
};
try {
  for (const where of places) {
    const run = where === "node" ? inNode : (task) => chromium.run(task);
    const here = ({ places }) => !places || places.includes(where);
    for (const measured of CASES.filter(wanted).filter(here)) {
      report.cases.push({ case: measured, where, figures: await compare(measured, run, where) });
      save();
    }
    for (const measured of SERIES.filter(wanted).filter(here)) {
      report.series.push({ series: measured, where, figures: await follow(measured, run, where) });
      save();
    }
  }
  if (chromium && (!flags.only || flags.only.includes("frame"))) report.frame = await chromium.frame(flags.quick ? 5 : 30);
  save();
} finally {
  await chromium?.close();
}
console.log(partial ? "\n(a part of the run: docs/ is left as it is)" : "\ndocs/bench.md and docs/bench.svg are written");
console.log(`\n${screen(report)}`);

/** Writes what there is so far, so that a run that is ended leaves what it found. */
function save() {
  writeFileSync(join(process.env.BENCH_OUT ?? "target", "bench.json"), `${JSON.stringify(report, null, 1)}\n`);
  if (partial) return;
  writeFileSync(new URL("../docs/bench.md", folder), markdown(report));
  writeFileSync(new URL("../docs/bench.svg", folder), svg(report));
}

/** Each contender once a round, in an order that turns around with each round. */
async function compare({ name, task, contenders }, run, where) {
  const samples = Object.fromEntries(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of round % 2 ? contenders.toReversed() : contenders) {
      const { ms } = await run({ ...task, contender });
      samples[contender].push(ms);
      progress(`${where} ${name} ${round + 1}/${rounds} ${contender}: ${ms.toFixed(1)} ms`);
    }
  }
  return Object.fromEntries(contenders.map((contender) => [contender, figure(samples[contender])]));
}

async function follow({ name, points, task, unit, most = rounds }, run, where) {
  const samples = points.map(() => []);
  for (let round = 0; round < Math.min(rounds, most); round += 1) {
    const order = points.map((_, at) => at);
    for (const at of round % 2 ? order.reverse() : order) {
      const { ms, bytes, text } = await run({ ...task(points[at]), contender: "threadfold" });
      const value = unit === "MB" ? (bytes - (text ?? 0)) / 1e6 : unit === "µs" ? ms * 1000 : ms;
      samples[at].push(value);
      progress(`${where} ${name} ${round + 1} at ${points[at]}: ${value.toFixed(2)} ${unit}`);
    }
  }
  return samples.map(figure);
}

async function inNode(task) {
  const script = new URL("src/child.mjs", folder).pathname;
  const options = { maxBuffer: 1 << 26, timeout: 300_000 };
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--no-warnings", script, JSON.stringify(task)], options);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

function versions() {
  const { dependencies } = JSON.parse(readFileSync(new URL("package.json", folder)));
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`).join(", ");
}

function parse(words) {
  const flags = {};
  let last;
  for (const word of words) {
    if (word.startsWith("--")) flags[(last = word.slice(2))] = [];
    else flags[last].push(word);
  }
  return flags;
}

function progress(line) {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}`);
  else console.log(line);
}
