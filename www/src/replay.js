// @ts-check
// A recorded session, played again without a host: its committed pages are the log, and each answer is streamed anew
// before its record comes.

/** @typedef {import("../../pkg/index.js").Page} Page */
/** @typedef {import("../../pkg/index.js").Row} Row */
/** @typedef {import("../../pkg/index.js").MessageRow} MessageRow */
/** @typedef {import("../../pkg/index.js").Block} Block */
/** @typedef {import("../../pkg/index.js").Delta} Delta */
/** @typedef {import("../../pkg/index.js").LiveSink} LiveSink */

const PACE = 24;
const PAUSE = 400;
const PIECE = 7;

/**
 * A source that plays a session from its beginning.
 * @param {Page} session
 * @returns {import("../../pkg/index.js").CustomSource}
 */
export function replaySource(session) {
  const rows = [...session.messages, ...session.runs].sort((a, b) => a.seq - b.seq);
  /** @type {Set<LiveSink>} */
  const sinks = new Set();
  let frontier = (rows[0]?.seq ?? 0) - 1;
  let revision = 0;
  /** @type {any} */
  let active = null;
  let begun = false;

  /** @param {string} name @param {unknown} data */
  const tell = (name, data) => sinks.forEach((sink) => sink.event(name, data));

  async function play() {
    for (const commit of commits(rows)) {
      const answer = commit.find(isAnswer);
      if (answer) await stream(answer);
      else await pause(PAUSE);
      frontier = /** @type {Row} */ (commit.at(-1)).seq;
      tell("committed", { frontier, records: commit });
      if (!answer) continue;
      const { attempt, next } = active;
      active = null;
      tell("end", { attempt, revision: ++revision, index: next, outcome: { kind: "committed", seq: answer.seq } });
    }
  }

  /** @param {MessageRow} row */
  async function stream({ run_id, step = 0, response = 0, seq, message }) {
    const attempt = `replay-${seq}`;
    const started = { attempt, started_after: frontier, run_id, step, response };
    active = { ...started, next: 0, deltas: [] };
    tell("start", { ...started, revision: ++revision });
    for (const delta of message.content.flatMap(fragments)) {
      await pause(PACE);
      active.deltas.push(delta);
      tell("delta", { attempt, revision: ++revision, index: active.next++, delta });
    }
  }

  return {
    threadId: session.thread_id,
    openLive(sink, signal) {
      sinks.add(sink);
      signal.addEventListener("abort", () => sinks.delete(sink));
      sink.event("opened", { contract: session.contract, epoch: session.epoch, frontier, revision, active });
      if (!begun) void play();
      begun = true;
    },
    readCommitted({ after, limit }) {
      const seen = rows.filter((row) => row.seq > after && row.seq <= frontier).slice(0, limit);
      /** @type {MessageRow[]} */
      const messages = seen.filter((row) => "message" in row);
      const runs = seen.filter((row) => "state" in row);
      return { ...session, frontier, has_more: (seen.at(-1)?.seq ?? frontier) < frontier, messages, runs };
    },
  };
}

/** Rows that were committed together, as far as that can be told: up to a run's state, or before the next answer. @param {readonly Row[]} rows */
function commits(rows) {
  /** @type {Row[][]} */
  const found = [];
  let whole = true;
  for (const row of rows) {
    if (whole || isAnswer(row)) found.push([]);
    found.at(-1)?.push(row);
    whole = "state" in row;
  }
  return found;
}

/** @param {Row} row @returns {row is MessageRow} */
function isAnswer(row) {
  return "message" in row && row.message.role === "Assistant" && row.run_id !== null;
}

/** What a block was streamed as. @param {Block} block @returns {Delta[]} */
function fragments(block) {
  /** @param {unknown} text */
  const cut = (text) => String(text).match(new RegExp(`[^]{1,${PIECE}}`, "gu")) ?? [];
  if (block.type === "text") return cut(block.text).map((delta) => ({ type: "text_delta", delta }));
  if (block.type === "thinking") return cut(block.text).map((delta) => ({ type: "reasoning_delta", delta }));
  if (block.type !== "tool_use") return [];
  const { id, name, input } = /** @type {{ id: string, name: string, input: unknown }} */ (block);
  return ["", ...cut(JSON.stringify(input))].map((args_delta) => ({ type: "tool_call_delta", id, name, args_delta }));
}

/** @param {number} ms @returns {Promise<void>} */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
