// @ts-check
// Recorded dsh sessions, followed by the crate and judged by the oracle: at each line the live text is the blocks of the
// attempt that is open, and at the end the view is that of the durable log.
//
// `node tests/dsh/replay.mjs FILE…` prints one line of JSON per file,
// `{"file","equal","facts","frames","events","reopens"}` and, where it is not equal, `"why"`; exit code 1 then. The
// program of `examples/dsh_replay.rs` is named by THREADFOLD_REPLAY.

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { canonical, durable, followers, read } from "./oracle.mjs";
import { difference, live, visible } from "./shown.mjs";

/** @typedef {{ file: string, equal: boolean, facts: number, frames: number, events: number, reopens: number, why?: string }} Judgement */

/** Judges a recording. @param {string} file @param {any[]} [lines] @returns {Promise<Judgement>} */
export async function judge(file, lines = read(file)) {
  const program = new Program();
  try {
    const said = { file: path.basename(file), equal: true, facts: 0, frames: 0, events: 0, reopens: 0 };
    for (const follower of followers(lines)) {
      const { events } = durable(lines, follower.session);
      const why = await one(program, follower, events, said);
      if (why !== null) return { ...said, equal: false, why: `${follower.conn}: ${why}` };
    }
    return said;
  } finally {
    program.end();
  }
}

/**
 * Plays what one follower saw; what is wrong with what is shown, if anything.
 * @param {Program} program @param {import("./oracle.mjs").Follower} follower @param {import("./oracle.mjs").LogEvent[]} durable
 * @param {Judgement} said
 */
async function one(program, { session, steps, window }, durable, said) {
  program.tell({ op: "session", session });
  const optedIn = steps.some(({ value }) => value?.assistantStream);
  let last = null;
  for (const { line, kind, value, preview } of steps) {
    // A follow that is given up by its client is no loss; there is nothing to look at after it.
    if (kind === "lost" && steps.at(-1)?.line === line) break;
    // The client asks for frames, so a snapshot without their baseline would be a host's fault.
    const sent = kind === "item" && value.type === "snapshot" && !optedIn ? { ...value, assistantStream: { revision: 0 } } : value;
    const { view, calls } = await program.ask({ op: kind, value: sent });
    if (value?.type === "event") said.events += 1;
    if (value?.type === "assistant-stream") said.frames += 1;
    if (calls.length > 0) return `line ${line}: it asked for ${calls.join(", ")}`;
    const wrong = difference(live(preview), live(view));
    if (wrong) return `line ${line}: live ${wrong}`;
    last = view;
  }
  const { facts, stats, anomalies } = await program.ask({ op: "close" });
  said.facts += facts.length;
  said.reopens += stats.reopens;
  if (stats.reopens > 0) return `it opened the stream ${stats.reopens} times more than the host made it`;
  const odd = difference(oddities(steps), anomalies);
  if (odd) return `of what is odd ${odd}`;
  const from = window[0]?.seq ?? 0;
  const expected = durable.filter((event) => event.seq >= from);
  const wrong = difference(visible(expected), visible(last));
  if (wrong) return `at the end ${wrong}`;
  // And it is what somebody sees who opens the session now.
  program.tell({ op: "session", session });
  await program.ask({ op: "open" });
  const records = expected.map((event) => ({ type: "event", event }));
  const { header } = steps.find(({ value }) => value?.type === "snapshot")?.value ?? {};
  const cold = { type: "snapshot", header, cursor: expected.at(-1)?.seq ?? -1, records, hasMore: from > 0, assistantStream: { revision: 0 } };
  const { view } = await program.ask({ op: "item", value: cold });
  return JSON.stringify(view.items) === JSON.stringify(last.items) ? null : `a cold view is another: ${difference(visible(view), visible(last)) ?? "in its keys or numbers"}`;
}

/** What has to be told of as odd: a host that comes back with less than it had announced, or with something else. @param {import("./oracle.mjs").Step[]} steps */
function oddities(steps) {
  const told = [];
  /** @type {Map<number, string>} What was announced, by its seq. */
  let before = new Map();
  for (const { value } of steps) {
    if (value?.type === "event") before.set(value.event.seq, canonical(value.event));
    if (value?.type !== "snapshot") continue;
    const now = new Map(value.records.map((/** @type {any} */ { event }) => [event.seq, canonical(event)]));
    if (before.size > 0 && Math.max(...before.keys()) > value.cursor) told.push("log_regressed");
    if ([...before].some(([seq, event]) => now.has(seq) && now.get(seq) !== event)) told.push("log_rewritten");
    before = now;
  }
  return told;
}

/** The program that follows. */
class Program {
  constructor() {
    const program = process.env.THREADFOLD_REPLAY;
    if (!program) throw new Error("THREADFOLD_REPLAY names no program; run this by `cargo xtask replay`");
    this.child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  /** @param {unknown} line */
  tell(line) {
    this.child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  /** @param {unknown} line */
  async ask(line) {
    this.tell(line);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`the program ended at ${JSON.stringify(line).slice(0, 200)}`);
    return JSON.parse(value);
  }

  end() {
    this.child.stdin.end();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let equal = true;
  for (const file of process.argv.slice(2)) {
    const said = await judge(file);
    equal &&= said.equal;
    if (!process.stdout.write(`${JSON.stringify(said)}\n`)) await once(process.stdout, "drain");
  }
  process.exitCode = equal ? 0 : 1;
}
