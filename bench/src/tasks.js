// What is measured besides the conversations: whole logs, recovery, start-up, memory. Each task gives { ms } or { bytes }.

import { countItems, fold, init, sliceItems, ThreadClient } from "#threadfold";
import { log } from "./conversation.js";
import { clock, collect, median } from "./sample.js";

/** Runs `once`, which gives its own time, until the figures are steady; the first run is not counted. */
async function steady(once, most = 9) {
  await once();
  const times = [];
  for (let spent = 0; times.length < most && spent < 1500; spent += times.at(-1)) times.push(await once());
  return { ms: median(times) };
}

/** Facts of so many messages, beside JSON.parse of the same text. */
export async function foldLog({ contender, messages }) {
  await init();
  const text = JSON.stringify(log(messages));
  return steady(() => timed(() => (contender === "floor" ? JSON.parse(text) : fold(text))));
}

/** The first view of so many messages with its last items looked at, 200 or as many as are said, beside JSON.parse of the same text. */
export async function firstRead({ contender, messages, shown = 200 }) {
  await init();
  const text = JSON.stringify(log(messages));
  return steady(async () => {
    if (contender === "floor") return timed(() => JSON.parse(text).messages.slice(-shown).map(({ message }) => message.content.length));
    globalThis.gc?.();
    const start = clock();
    const client = new ThreadClient({ source: silent, initial: text });
    while (countItems(client.view) === 0) await null;
    const looked = sliceItems(client.view, -shown).map((item) => item.parts?.length ?? 0);
    const time = clock() - start;
    if (looked.length !== shown) throw new Error("the view is too short");
    client.close();
    return time;
  });
}

/**
 * From the loss of the stream to a view with so many new messages, on a thread of so many. The same client loses its
 * stream again and again; the median counts.
 */
export async function recovery({ messages, fresh, rounds = 9 }) {
  await init();
  let { frontier } = log(messages);
  let page = "";
  let sink;
  let opened;
  let asked;
  const source = {
    openLive: (given) => {
      sink = given;
      sink.accepted();
      sink.event("opened", { contract: "threadfold/1", epoch: "e", frontier, revision: 0, active: null });
      // Something that is applied, so that the next loss is the first in a row and not answered by a longer pause.
      sink.event("start", { attempt: "a", revision: 1, started_after: frontier, run_id: "run-live", step: 0, response: 0 });
      sink.event("end", { attempt: "a", revision: 2, index: 0, outcome: { kind: "abandoned" } });
      opened?.();
    },
    readCommitted: ({ after }) => {
      const answer = page || JSON.stringify({ ...log(0), frontier: after });
      if (page) asked();
      page = "";
      return answer;
    },
  };
  const client = new ThreadClient({ source, initial: JSON.stringify(log(messages)) });
  await client.connect();
  const times = [];
  for (let round = 0; round <= rounds; round += 1) {
    await settled();
    // Of everything it would go on in the background, the longer the longer the thread, and be counted as recovery.
    collect();
    const more = fresh > 0 ? log(fresh, frontier + 1) : { ...log(0), frontier };
    frontier = more.frontier;
    page = JSON.stringify(more);
    const again = new Promise((resolve) => (opened = resolve));
    const read = new Promise((resolve) => (asked = resolve));
    const start = clock();
    sink.closed();
    if (fresh > 0) await until(client, () => client.view.run.seq === frontier);
    else await read;
    times.push(clock() - start);
    if (fresh > 0 && sliceItems(client.view, -1)[0].seq !== frontier) throw new Error("the view lacks the new messages");
    await again;
  }
  client.close();
  return { ms: median(times.slice(1)) };
}

/**
 * One Delta with a frame of its own, after so many messages of history, so many bytes of arguments, beside so many calls:
 * the median of batches. Nothing waits: the page's frame is this loop. With each frame the page looks at the last item, or at
 * the list of all. The same on clients before it has compiled what a page has compiled after its first answers; else that
 * would be most of what is measured, with what it comes to by chance.
 */
export async function delta(given) {
  await init();
  for (let warm = 0; warm < 4; warm += 1) await deltas(given);
  return deltas(given);
}

async function deltas({ history = 0, before = 0, calls = 0, batches = 40, batch = 100, all = false }) {
  const paint = frames();
  let sink;
  const { frontier } = log(history);
  const source = { openLive: (given) => void (sink = given), readCommitted: ({ after }) => JSON.stringify({ ...log(0), frontier: after ?? -1 }) };
  const client = new ThreadClient({ source, initial: JSON.stringify(log(history)) });
  const connected = client.connect();
  while (!sink) await settled();
  sink.accepted();
  sink.event("opened", { contract: "threadfold/1", epoch: "e", frontier, revision: 0, active: null });
  await connected;
  let looked = 0;
  client.subscribe(() => (looked += (all ? client.view.items.at(-1) : sliceItems(client.view, -1)[0]).parts.length));
  sink.event("start", { attempt: "a", revision: 1, started_after: frontier, run_id: "run-live", step: 0, response: 0 });
  let index = 0;
  const event = (piece) => `{"attempt":"a","revision":${index + 2},"index":${index++},"delta":${JSON.stringify(piece)}}`;
  const text = { type: "text_delta", delta: "a word " };
  const args = (call, args_delta) => ({ type: "tool_call_delta", id: `c-${call}`, name: "write", args_delta });
  const many = calls || (before ? 1 : 0);
  for (let call = 0; call < many; call += 1) sink.event("delta", event(args(call, `{"text":"${"x".repeat(before)}`)));
  const times = [];
  for (let at = 0; at < batches; at += 1) {
    const events = Array.from({ length: batch }, (_, number) => event(many ? args(number % many, "a word ") : text));
    await settled();
    const start = clock();
    for (const data of events) {
      sink.event("delta", data);
      paint();
      // The listeners are called in a microtask.
      await null;
    }
    times.push((clock() - start) / batch);
  }
  const { parts } = client.view.items.at(-1);
  const shown = parts.reduce((sum, part) => sum + (part.text ?? part.args).length, 0);
  const wanted = many * ('{"text":"'.length + before) + batches * batch * 7;
  if (shown !== wanted || looked === 0) throw new Error(`${shown} characters are shown, not ${wanted}`);
  client.close();
  return { ms: median(times) };
}

/** From nothing to the first Fact: compile, instantiate, fold. */
export async function start() {
  const begin = clock();
  await init();
  const compiled = clock();
  const facts = fold(log(4));
  const time = clock() - begin;
  if (facts[0].fact.type !== "run_started") throw new Error("no first Fact");
  return { ms: time, init: compiled - begin };
}

/**
 * Bytes held after so many Deltas of one message, whose text is as long however many bring it, and comes in as many frames:
 * the buffer that it grows in is up to twice as long, and the ones before that were too short are room that the module
 * keeps, so a longer text would be measured, not more Deltas. The text, which the module and the page hold, is told with it.
 */
export async function memoryOfDeltas({ deltas }) {
  await init();
  const wasm = await memory();
  const length = 1_000_000;
  const piece = "a".repeat(length / deltas);
  const paint = frames();
  let sink;
  const source = { openLive: (given) => void (sink = given), readCommitted: () => JSON.stringify({ ...log(0), frontier: -1 }) };
  const client = new ThreadClient({ source });
  const connected = client.connect();
  await settled();
  sink.accepted();
  sink.event("opened", { contract: "threadfold/1", epoch: "e", frontier: -1, revision: 0, active: null });
  await connected;
  sink.event("start", { attempt: "a", revision: 1, started_after: -1, run_id: "r", step: 0, response: 0 });
  for (let index = 0; index < deltas; index += 1) {
    sink.event("delta", `{"attempt":"a","revision":${index + 2},"index":${index},"delta":{"type":"text_delta","delta":"${piece}"}}`);
    if ((index + 1) % (deltas / 1000) > 0) continue;
    paint();
    await settled();
  }
  while ((client.view.items.at(-1)?.parts[0]?.text.length ?? 0) < length) await settled();
  const bytes = held(wasm);
  client.close();
  return { bytes, text: 2 * length };
}

/** Bytes held after so many clients were opened and closed. */
export async function memoryOfCycles({ cycles }) {
  await init();
  const wasm = await memory();
  const text = JSON.stringify(log(40));
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const client = new ThreadClient({ source: silent, initial: text });
    client.connect().catch(() => {});
    while (client.view.items.length === 0) await null;
    client.close();
    if (cycle % 100 === 99) await settled();
  }
  await settled();
  return { bytes: held(wasm) };
}

/** The page's frames from now on: each when it is asked for. */
function frames() {
  let frame = null;
  globalThis.requestAnimationFrame = (flush) => ((frame = flush), 1);
  globalThis.cancelAnimationFrame = () => void (frame = null);
  return () => {
    const flush = frame;
    frame = null;
    flush?.();
  };
}

/** Resolves with the change of the view after which the condition holds. */
function until(client, holds) {
  return new Promise((resolve) => {
    const leave = client.subscribe(() => {
      if (!holds()) return;
      leave();
      resolve();
    });
  });
}

const silent = { openLive: () => new Promise(() => {}), readCommitted: () => new Promise(() => {}) };

const settled = () => new Promise((resolve) => setTimeout(resolve));

async function timed(action) {
  globalThis.gc?.();
  const start = clock();
  await action();
  return clock() - start;
}

/** The module's memory, which the glue keeps to itself: asked of the module once more, which is there already. */
async function memory() {
  const glue = await import("#glue");
  return (await glue.default()).memory;
}

function held(wasm) {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed + wasm.buffer.byteLength;
}
