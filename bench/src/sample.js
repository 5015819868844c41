// One sample: a contender goes through a case in a process, worker or page of its own.

import * as conversations from "./conversation.js";

/** How long a sample warms up, and how long it is repeated for the median of its repetitions, in ms. */
const WARM = 1000;
const ENOUGH = 400;
/** How often at most. */
const MOST = 9;

/**
 * The median time of the case in ms. Short runs of the same kind come before it, so that what a page has compiled after
 * its first answers is compiled; a cold sample is the very first run. Throws when what the contender ended with is not
 * what was said.
 */
export async function sample({ contender, workload: [kind, first, ...given], size, frames, cold }) {
  const conversation = conversations[kind](first, ...given);
  const small = conversations[kind](Math.min(first, 1000), ...given);
  for (let warm = 0; !cold && warm < WARM; ) warm += await once(contender, small, { size, frames });
  const times = [];
  let spent = 0;
  while (times.length < (cold ? 1 : MOST) && spent < ENOUGH) {
    const time = await once(contender, conversation, { size, frames });
    times.push(time);
    spent += time;
  }
  return { ms: median(times), fragments: conversation.fragments };
}

/**
 * Milliseconds: of this process's own work where the platform counts it, so that others on the machine don't count; else
 * of the wall's clock.
 */
export function clock() {
  if (typeof globalThis.process?.cpuUsage !== "function") return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Clears away what the preparation left. Only the young generation: a collection of everything throws away the machine
 * code that was compiled for objects of which none is alive just then, and between two answers that is all of a stream's
 * and a client's. Compiling it once more took longer than the whole answer, for any contender, and no page does it for
 * each answer.
 */
export const collect = () => globalThis.gc?.({ type: "minor" });

async function once(contender, conversation, options) {
  const input = await contender.prepare(conversation, options);
  const opened = await contender.open?.(input);
  collect();
  const start = clock();
  const result = await contender.run(input, opened);
  const time = clock() - start;
  same(contender.final(result, input), conversations.expected(conversation), contender.name);
  contender.close?.(result);
  return time;
}

function same(found, wanted, name) {
  const a = JSON.stringify(found);
  const b = JSON.stringify(wanted);
  if (a === b) return;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  throw new Error(`${name} ended with something else:\n  ${a.slice(Math.max(0, at - 80), at + 80)}\ninstead of\n  ${b.slice(Math.max(0, at - 80), at + 80)}`);
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
