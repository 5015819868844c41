// @ts-check
// What `cargo xtask demo --check` runs: host, page and package from end to end, with a script in a person's place.
//
//   node www/tests/check.mjs [--replay FILE…] [--fault NAME] [--tamper]
//
// The environment names Chromium (CHROME), the host's program (THREADFOLD_HOST), a database file that doesn't exist yet
// (THREADFOLD_DB) and the picture to write (THREADFOLD_SCREENSHOT). Progress goes to standard error; the last line of
// standard output is JSON, and the exit code is 0 only if the page shows what was committed.

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { context, errors, launch, live, open, stats } from "./support/browser.mjs";
import { faultSpec } from "./support/faults.mjs";
import { Host, ROOT } from "./support/host.mjs";
import { verdict } from "./support/judge.mjs";
import { SCRIPT, Session } from "./support/session.mjs";
import { tamper } from "./support/tamper.mjs";

const THREAD = "check";

const { values, positionals } = parseArgs({
  options: { replay: { type: "string", multiple: true }, fault: { type: "string" }, tamper: { type: "boolean" } },
  allowPositionals: true,
});
// `--replay A B C`: what follows the first file is a file as well.
const replay = values.replay ? [...values.replay, ...positionals] : [];

/** @param {string} line */
const say = (line) => console.error(`   ${line}`);

/** Everything that was started, to be ended in the reverse order. @type {(() => Promise<unknown>)[]} */
const ending = [];

async function check() {
  const host = await Host.start({ db: process.env.THREADFOLD_DB, replay });
  ending.push(() => host.stop());
  const browser = await launch();
  ending.push(() => browser.close());
  const fault = values.fault ? faultSpec(values.fault) : undefined;
  if (fault && !fault.openings) await host.fault(fault.spec, { thread: THREAD });
  const page = await open(await context(browser), host, THREAD);
  say(`host ${host.origin}, Chromium ${browser.version()}${fault ? `, fault ${fault.spec}` : ""}`);

  const session = new Session(host, page, THREAD, { log: say, patience: fault ? (fault.patience ?? 30_000) : 8000 });
  const turns = replay.length > 0 ? replay.map((file) => ({ say: `Replay ${path.basename(file)}`, atLeast: 0 })) : SCRIPT;
  for (const [number, turn] of turns.entries()) {
    if (number === 1 && fault?.openings) {
      // The thread is there and followed by now: the refusal strikes a stream that has to come back.
      await host.fault(fault.spec, { thread: THREAD });
      await host.admin(THREAD, "bye");
    }
    await session.play(turn);
  }
  if (!fault) await live(page);

  let said = await verdict(page, host.db, THREAD, fault ? 30_000 : 15_000);
  say(`the judge read ${said.items} items and ${said.facts} Facts from the database: ${said.equal ? "the page shows them" : "the page differs"}`);
  const problems = [...said.differences, ...errors(page)];
  const counted = await stats(page);
  if (fault?.strikesReads !== true) problems.push(...tooManyReads(counted, said.commits, session.retries));
  await picture(page);
  if (values.tamper && problems.length === 0) {
    say(`tampered with: ${await tamper(host.db, THREAD)}`);
    said = await verdict(page, host.db, THREAD, 2000);
    problems.push(...said.differences);
  }
  if (fault) say(`the host injected ${JSON.stringify(await host.injected())}; following was taken up again ${session.retries} times`);
  say(`${session.checkpoints} checkpoints before a commit`);
  for (const problem of problems) say(`WRONG ${problem}`);
  return {
    converged: problems.length === 0,
    runs: said.runs,
    facts: said.facts,
    deltas: counted.deltas,
    gaps: counted.gaps,
    reopens: counted.reopens,
    reads: counted.reads,
    commits: said.commits,
  };
}

/**
 * Committed reads are bounded (C3.9): a client that polls would have more.
 * @param {import("../../pkg/index.js").Stats} counted
 * @param {number} commits
 * @param {number} retries Each is an opening that a person asked for.
 */
function tooManyReads(counted, commits, retries) {
  const bound = commits + counted.reopens + (counted.losses ?? 0) + retries + 2;
  return counted.reads <= bound ? [] : [`${counted.reads} committed reads, and at most ${bound} are needed`];
}

/** @param {import("playwright-core").Page} page */
async function picture(page) {
  const file = process.env.THREADFOLD_SCREENSHOT ?? path.join(ROOT, "target/demo.png");
  await mkdir(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file });
}

/** @type {Record<string, unknown>} */
let outcome = { converged: false, runs: 0, facts: 0, deltas: 0, gaps: 0, reopens: 0, reads: 0, commits: 0 };
try {
  outcome = await check();
} catch (error) {
  say(`WRONG ${error instanceof Error ? error.stack : error}`);
} finally {
  for (const end of ending.reverse()) await end().catch((error) => say(`while ending: ${error}`));
}
console.log(JSON.stringify(outcome));
process.exitCode = outcome.converged ? 0 : 1;
