// @ts-check
// Plays the scenarios on a real dsh host and prints a table; exit code 1 when one of them is not ok. Arguments are
// beginnings of names; without any all are played.

import { ASKING, killed, SCENARIOS } from "./scenarios.mjs";
import { World } from "./world.mjs";

const KILLS = 50;
const wanted = process.argv.slice(2);
const isWanted = (/** @type {string} */ name) => wanted.length === 0 || wanted.some((beginning) => name.startsWith(beginning));

/** @type {{ name: string, ok: boolean, seconds: number, looks: number, said: string }[]} */
const rows = [];

/** @param {World} world @param {string} name @param {() => Promise<string | void>} play */
async function scenario(world, name, play) {
  const start = performance.now();
  const looks = world.checkpoints;
  let [ok, said] = [true, ""];
  try {
    said = (await play()) ?? "";
  } catch (error) {
    [ok, said] = [false, String(error instanceof Error ? error.message : error).slice(0, 2000)];
  }
  await world.clear();
  rows.push({ name, ok, seconds: (performance.now() - start) / 1000, looks: world.checkpoints - looks, said });
  console.log(`${ok ? "ok  " : "FAIL"} ${name}${said ? `: ${said}` : ""}`);
}

/** @param {Record<string, import("./scenarios.mjs").Scenario>} scenarios @param {Parameters<typeof World.start>[0]} [options] */
async function group(scenarios, options) {
  const names = Object.keys(scenarios).filter(isWanted);
  if (names.length === 0) return;
  const world = await World.start(options);
  try {
    for (const name of names) await scenario(world, name, () => scenarios[name](world));
  } finally {
    await world.stop();
  }
}

await group(SCENARIOS);
await group(ASKING, { permissions: "read-only" });
await group({ kills: (world) => killed(world, KILLS, (line) => console.log(`     ${line}`)) }, { whole: true });

const width = Math.max(...rows.map(({ name }) => name.length));
console.log(`\n${"scenario".padEnd(width)}  result  looks     time`);
for (const { name, ok, seconds, looks, said } of rows) {
  console.log(`${name.padEnd(width)}  ${(ok ? "ok" : "FAIL").padEnd(6)}  ${String(looks).padStart(5)}  ${seconds.toFixed(1).padStart(5)} s  ${said.split("\n")[0].slice(0, 160)}`);
}
const failed = rows.filter(({ ok }) => !ok).length;
console.log(`\n${rows.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 || rows.length === 0 ? 1 : 0);
