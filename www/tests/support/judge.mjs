// @ts-check
// Asks the judge (judge.py) whether a page shows what the database says.

import { execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PATIENCE } from "./until.mjs";

const JUDGE = fileURLToPath(new URL("../judge.py", import.meta.url));

/**
 * @typedef {object} Verdict
 * @property {boolean} equal
 * @property {string[]} differences
 * @property {string} epoch
 * @property {number} frontier
 * @property {number} commits
 * @property {number} runs
 * @property {number} facts
 * @property {number} items
 */

/** What the judge expects. @param {string} db @param {string} thread */
export async function expectation(db, thread) {
  const { stdout } = await promisify(execFile)("python3", [JUDGE, db, thread], { maxBuffer: 1 << 28 });
  return JSON.parse(stdout);
}

/** What a page shows: its view, its visible text and the Facts that it was told. @param {import("playwright-core").Page} page */
function shown(page) {
  // One evaluation, so that nothing changes in between.
  return page.evaluate(() =>
    JSON.stringify({ view: thread.view, page: judge.items(), facts: judge.facts(), problems: judge.problems, status: thread.view.status }),
  );
}

/** @param {string} db @param {string} thread @param {string} found JSON @returns {Promise<Verdict>} */
function ask(db, thread, found) {
  return new Promise((resolve, reject) => {
    const child = spawn("python3", [JUDGE, db, thread, "--against", "-"], { stdio: ["pipe", "pipe", "inherit"] });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0 || code === 1) resolve(JSON.parse(said));
      else reject(new Error(`the judge ended with ${code}`));
    });
    child.stdin.end(found);
  });
}

/**
 * The judge's verdict on a page, asked again until it is "equal" or patience is over: convergence may take a read.
 * @param {import("playwright-core").Page} page
 * @param {string} db
 * @param {string} thread
 */
export async function verdict(page, db, thread, patience = PATIENCE) {
  const end = performance.now() + patience;
  for (;;) {
    const found = await shown(page);
    const said = await ask(db, thread, found);
    const { problems, status } = JSON.parse(found);
    if (problems.length > 0) return { ...said, equal: false, differences: [...problems, ...said.differences] };
    if (said.equal || performance.now() > end) {
      if (!said.equal) said.differences.push(`status: ${JSON.stringify(status)}`);
      return said;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The page shows exactly what was committed. @param {import("playwright-core").Page} page @param {string} db @param {string} thread */
export async function converged(page, db, thread, patience = PATIENCE) {
  const said = await verdict(page, db, thread, patience);
  if (!said.equal) throw new Error(`the page of ${thread} differs from what was committed:\n  ${said.differences.join("\n  ")}`);
  return said;
}
