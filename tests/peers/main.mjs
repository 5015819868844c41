// All clients over all paths, two at a time, and one table. Environment: THREADFOLD_TRANSCODE (the program of
// examples/transcode.rs), THREADFOLD_HOST, PEERS_COUNT (random sequences per protocol), PEERS_ONLY (a row's name) and
// PEERS_SIMULATED (a file that the simulator wrote, as `SIM_EVENTS` tells it to: what its pages were told is judged too).

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLIENTS } from "./clients.mjs";
import { paths } from "./record.mjs";
import { wire } from "./wire.mjs";

const COUNT = Number(process.env.PEERS_COUNT ?? 10_000);
const scratch = fileURLToPath(new URL("../../target/peers", import.meta.url));
mkdirSync(scratch, { recursive: true });
const recorded = join(scratch, "recorded.json");
const simulated = process.env.PEERS_SIMULATED ? readFileSync(process.env.PEERS_SIMULATED, "utf8").trim().split("\n").map((line) => JSON.parse(line)) : [];
writeFileSync(recorded, JSON.stringify([...(await paths()), ...simulated]));

const overBytes = await wire();
for (const failure of overBytes.failures) console.log(failure);

const judge = fileURLToPath(new URL("judge.mjs", import.meta.url));
const rows = Object.keys(CLIENTS).filter((row) => !process.env.PEERS_ONLY || row === process.env.PEERS_ONLY);
const reports = new Map();
// The slowest first, so that both cores have work to the end.
const queue = [...rows];
const worker = async () => {
  for (let row = queue.shift(); row; row = queue.shift()) {
    const begun = Date.now();
    const report = await promisify(execFile)("node", [judge, row, String(COUNT), recorded, scratch], { maxBuffer: 2 ** 30 })
      .then(({ stdout }) => JSON.parse(stdout), (error) => ({ row, client: "", paths: {}, notes: [], failures: [error.stderr || String(error)] }));
    if (overBytes.ok[row]) report.paths["host's bytes"] = overBytes.ok[row];
    reports.set(row, { ...report, seconds: (Date.now() - begun) / 1000 });
  }
};
await Promise.all([worker(), worker()]);

let passed = 0;
let failed = 0;
const names = [...new Set([...reports.values()].flatMap((report) => Object.keys(report.paths)))];
const cell = (found) => (found ? (found.failed ? `${found.failed} of ${found.ok + found.failed} FAILED` : `ok ${found.ok}`) : "-");
const table = [["protocol", "client", ...names, "time"]];
for (const row of rows) {
  const report = reports.get(row);
  table.push([row, report.client, ...names.map((name) => cell(report.paths[name])), `${report.seconds.toFixed(0)} s`]);
  for (const found of Object.values(report.paths)) {
    if (found.failed) failed += 1;
    else passed += 1;
  }
  for (const failure of report.failures) {
    console.log(failure);
    if (Object.keys(report.paths).length === 0 || !Object.values(report.paths).some((found) => found.failed)) failed += 1;
  }
  // What was judged is what was meant to be judged.
  const { random } = report;
  if (!random) continue;
  const { count, median, lags, rejoins, divergent } = random;
  // Rows of what is read, and of what this protocol's table has it write.
  const rare = Object.entries({ ...random.rows, ...report.written }).filter(([, n]) => count >= 3_000 && n < 100);
  if (median < 40 || lags < 0.2 * count || rejoins < 0.3 * count || divergent < 0.1 * count || rare.length > 0) {
    console.log(`${row}: the sequences are too tame: ${JSON.stringify({ ...random, rare })}`);
    failed += 1;
  }
}
const widths = table[0].map((_, column) => Math.max(...table.map((line) => String(line[column]).length)));
console.log(`\n${table.map((line) => line.map((text, column) => String(text).padEnd(widths[column])).join("  ").trimEnd()).join("\n")}`);
const { random } = [...reports.values()].find((report) => report.random) ?? {};
if (random) {
  console.log(`\n${random.count} random sequences per protocol: median ${random.median} events, ${random.lags} read late, ${random.rejoins} with a rejoin, ${random.divergent} divergent`);
  console.log(Object.entries(random.rows).map(([name, n]) => `${name} ${n}`).join(", "));
}
for (const { row, written = {} } of reports.values()) console.log(`${row} writes: ${Object.entries(written).map(([name, n]) => `${name} ${n}`).join(", ")}`);
for (const report of reports.values()) for (const note of report.notes) console.log(`${report.row}: ${note}`);
console.log(`ℹ pass ${passed}\nℹ fail ${failed}`);
process.exit(failed > 0 ? 1 : 0);
