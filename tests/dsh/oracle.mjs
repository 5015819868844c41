// @ts-check
// What a follower of a recorded dsh session has to show, worked out from the recording alone: none of the crate's code
// is used here, so that the two can be compared.
//
// A recording is a file of JSON lines `{t, dir, ch, conn, frame}` (see tests/fixtures/dsh/README.md). A *follower* is
// one client's view of one session: the streams that it opened one after the other, each later one after the socket of
// the one before was lost.

import { readFileSync } from "node:fs";

/** @typedef {{ type: string, seq: number, time: number, data: any, surfaceOp?: any }} LogEvent */
/** @typedef {{ time: number, chunk: any }} Chunk */
/** @typedef {{ type: "text" | "reasoning", text: string } | { type: "tool-call", id: string, name: string, arguments: string }} Block */
/** @typedef {{ attemptId: string, startedAfterSeq: number, turn: number, step: number, chunks: Chunk[] }} Attempt */
/**
 * What happened to a follower at one line of the recording, and what it has to show from then on.
 * @typedef {object} Step
 * @property {number} line Counted from 1.
 * @property {"open" | "item" | "lost"} kind
 * @property {any} [value] The item, as the host sent it.
 * @property {Block[] | null} preview The blocks of the open attempt; null without one.
 * @property {number} last The last seq that is shown; -1 without any.
 * @property {boolean} [held] The last seq is a settlement that waits for its attempt's end, and is not shown yet.
 */
/** @typedef {{ session: string, conn: string, open: any, steps: Step[], window: LogEvent[], over: boolean, lost: boolean }} Follower */

/** The lines of a recording. @param {string} file @returns {any[]} */
export function read(file) {
  return readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** A compact stream as the chunks that were sent live: same order, boundaries and times. @param {any[]} stream @returns {Chunk[]} */
export function expand(stream) {
  return stream.flatMap((record) => {
    if (record.type === "chunk") return [{ time: record.time, chunk: record.chunk }];
    const chunkOf = RUNS[record.type];
    if (!chunkOf) throw new Error(`a compact record of the type ${record.type}`);
    const members = record.texts ?? record.args;
    if (record.dt.length !== Math.max(members.length - 1, 0)) throw new Error(`${record.type}: ${members.length} members and ${record.dt.length} differences`);
    const times = [record.time0];
    for (const difference of record.dt) times.push(/** @type {number} */ (times.at(-1)) + difference);
    return members.map((/** @type {string} */ member, /** @type {number} */ at) => ({ time: times[at], chunk: chunkOf(record, member) }));
  });
}

/** @type {Record<string, (record: any, member: string) => any>} */
const RUNS = {
  "text-chunks": ({ index }, text) => ({ type: "text-delta", index, text }),
  "reasoning-chunks": ({ index }, text) => ({ type: "reasoning-delta", index, text }),
  "tool-call-chunks": (record, argumentsDelta) => {
    const named = record.name === undefined ? {} : { name: record.name };
    return { type: "tool-call-delta", index: record.index, id: record.id, ...named, argumentsDelta };
  },
};

/** The blocks that chunks make: in the order in which they were first seen, what `block-end` says being final. @param {Chunk[]} chunks @returns {Block[]} */
export function assemble(chunks) {
  /** @type {Map<number, { block: any, frozen: boolean }>} A map keeps the order of first sight. */
  const places = new Map();
  for (const { chunk } of chunks) {
    if (typeof chunk.index !== "number") continue;
    const place = places.get(chunk.index) ?? { block: undefined, frozen: false };
    places.set(chunk.index, place);
    if (place.frozen) continue;
    if (chunk.type === "block-end") Object.assign(place, { block: chunk.block, frozen: true });
    if (chunk.type === "text-delta") place.block = { type: "text", text: (place.block?.text ?? "") + chunk.text };
    if (chunk.type === "reasoning-delta") place.block = { type: "reasoning", text: (place.block?.text ?? "") + chunk.text };
    if (chunk.type === "tool-call-delta") {
      const { id, name, arguments: before } = place.block ?? { id: "", name: "", arguments: "" };
      place.block = { type: "tool-call", id: chunk.id || id, name: chunk.name ?? name, arguments: before + chunk.argumentsDelta };
    }
  }
  return [...places.values()].flatMap(({ block }) => (block ? [block] : []));
}

/** Whether an event settles an attempt. @param {LogEvent} event @param {Attempt | null} attempt */
function settles(event, attempt) {
  const settlement = event.type === "assistant/attempt" || (event.type === "assistant/message" && event.surfaceOp === "append");
  return settlement && attempt !== null && event.seq > attempt.startedAfterSeq && event.data.turn === attempt.turn && event.data.step === attempt.step;
}

/** All followers of a recording, each with what it saw, line by line. @param {any[]} lines @returns {Follower[]} */
export function followers(lines) {
  /** @type {Follower[]} */
  const all = [];
  /** @type {Map<string, Stream>} By connection and stream id. */
  const streams = new Map();
  const drop = (/** @type {(stream: Stream, key: string) => boolean} */ which, /** @type {number} */ line, lost = true) => {
    for (const [key, stream] of streams) {
      if (!which(stream, key)) continue;
      streams.delete(key);
      stream.over(line, lost);
    }
  };
  for (const [at, { dir, ch, conn, frame }] of lines.entries()) {
    const line = at + 1;
    // What kills the host takes all sockets with it, noted one by one.
    if (dir === "note" && (frame.event === "ws-close" || frame.event === "ws-open")) drop((stream) => stream.conn === conn, line);
    if (ch !== "ws" || typeof frame?.type !== "string") continue;
    const key = `${conn}/${frame.streamId}`;
    if (dir === "send" && frame.type === "open" && frame.endpoint === "session/follow") {
      const session = frame.payload.args.request?.address?.sessionId;
      if (session === undefined) continue;
      let follower = all.find((other) => other.session === session && other.lost && other.over);
      if (!follower) all.push((follower = { session, conn, open: frame, steps: [], window: [], over: false, lost: false }));
      streams.set(key, new Stream(follower, conn, line));
    }
    if (dir === "send" && frame.type === "cancel") drop((_, open) => open === key, line, false);
    if (dir !== "recv") continue;
    if (frame.type === "item") streams.get(key)?.item(line, frame.value);
    else drop((_, open) => open === key, line, false);
  }
  return all.filter((follower) => follower.steps.some((step) => step.kind === "item"));
}

/** One opening of a follower. */
class Stream {
  /** @type {Attempt | null} */
  #attempt = null;
  /** @type {LogEvent[]} What came since a settlement that is not shown before its attempt's end. */
  #held = [];

  /** @param {Follower} follower @param {string} conn @param {number} line */
  constructor(follower, conn, line) {
    this.follower = follower;
    this.conn = conn;
    Object.assign(follower, { over: false, lost: false });
    const before = follower.steps.at(-1);
    follower.steps.push({ line, kind: "open", preview: before?.preview ?? null, last: before?.last ?? -1 });
  }

  /** @param {number} line @param {any} value */
  item(line, value) {
    if (value.type === "snapshot") this.#snapshot(value);
    else if (value.type === "event") this.#event(value.event);
    else if (value.type === "assistant-stream") this.#frame(value.frame);
    else throw new Error(`line ${line}: an item of the type ${value.type}`);
    this.#step(line, "item", value);
  }

  /** @param {number} line @param {boolean} lost */
  over(line, lost) {
    this.#publish();
    Object.assign(this.follower, { over: true, lost });
    this.#step(line, "lost");
  }

  /** @param {number} line @param {"item" | "lost"} kind @param {any} [value] */
  #step(line, kind, value) {
    const last = this.follower.window.at(-1)?.seq ?? -1;
    this.follower.steps.push({ line, kind, value, preview: this.#attempt && assemble(this.#attempt.chunks), last, held: this.#held.length > 0 });
  }

  /** @param {any} snapshot */
  #snapshot({ records, assistantStream }) {
    this.follower.window = records.map((/** @type {any} */ record) => record.event);
    const active = assistantStream?.activeAttempt;
    this.#attempt = active ? { ...active, chunks: expand(active.stream) } : null;
    if (active && this.#attempt?.chunks.length !== active.nextIndex) throw new Error("the baseline is not as long as it says");
  }

  /** @param {LogEvent} event */
  #event(event) {
    if (this.#held.length > 0 || settles(event, this.#attempt)) this.#held.push(event);
    else this.follower.window.push(event);
  }

  /** @param {any} frame */
  #frame(frame) {
    if (frame.type === "start") this.#attempt = { ...frame, chunks: [] };
    if (frame.type === "chunk") this.#attempt?.chunks.push({ time: frame.time, chunk: frame.chunk });
    if (frame.type !== "end") return;
    this.#attempt = null;
    this.#publish();
  }

  #publish() {
    if (this.#held.length > 0) this.#attempt = null;
    this.follower.window.push(...this.#held.splice(0));
  }
}

/**
 * The durable truth about a session at the recording's end, and where the recording says it: in one page that was read of
 * all of it, in several pages that join on, or, where none was read, in the snapshot of the last follower.
 * @param {any[]} lines @param {string} session
 * @returns {{ oracle: "page" | "pages" | "snapshot", events: LogEvent[] }}
 */
export function durable(lines, session) {
  const pages = pagesOf(lines, session);
  const through = Math.max(...pages.map((page) => page.through));
  const latest = pages.filter((page) => page.through === through);
  const whole = latest.findLast(({ events }) => events[0]?.seq === 0 && events.at(-1)?.seq === through);
  if (whole) return { oracle: "page", events: whole.events };
  const bySeq = new Map(latest.flatMap(({ events }) => events.map((event) => [event.seq, event])));
  const joined = [...bySeq.values()].sort((one, other) => one.seq - other.seq);
  if (joined.length > 0 && joined.length === through + 1) return { oracle: "pages", events: joined };
  const follower = followers(lines).findLast((other) => other.session === session);
  const snapshot = follower?.steps.findLast((step) => step.value?.type === "snapshot")?.value;
  if (!snapshot) throw new Error(`the recording says nothing durable about ${session}`);
  return { oracle: "snapshot", events: snapshot.records.map((/** @type {any} */ record) => record.event) };
}

/** All pages that were read of a session. @param {any[]} lines @param {string} session @returns {{ through: number, events: LogEvent[] }[]} */
function pagesOf(lines, session) {
  /** @type {Map<string, any>} */
  const asked = new Map();
  return lines.flatMap(({ dir, ch, frame }) => {
    if (ch !== "rpc") return [];
    if (dir === "send") {
      if (frame?.method === "session/page") asked.set(frame.rpcId, frame.payload.args.request);
      return [];
    }
    const request = asked.get(frame?.rpcId);
    if (request?.address?.sessionId !== session || !frame.result.ok) return [];
    return [{ through: request.throughSeq, events: frame.result.value.records.map((/** @type {any} */ record) => record.event) }];
  });
}

/** JSON text that does not depend on the order of keys. @param {unknown} value */
export function canonical(value) {
  const sorted = (/** @type {unknown} */ part) => part && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part;
  return JSON.stringify(value, (_, part) => sorted(part));
}
