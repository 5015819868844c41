// @ts-check
// The oracle itself, held against what the recordings say in a second place: the settlement of an attempt repeats the
// live chunks, and the pages repeat the events.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assemble, canonical, durable, expand, followers, read } from "./oracle.mjs";

const FOLDER = fileURLToPath(new URL("../fixtures/dsh/", import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl")).sort();

/** Files in which no page of the whole session is read. */
const OTHER_ORACLES = new Map([["i_page.jsonl", "pages"], ["p_errors.jsonl", "snapshot"], ["q_heartbeat.jsonl", "nothing"]]);

for (const name of FILES) {
  test(`${name}: what each follower saw is what the host says at the end`, () => {
    const lines = read(FOLDER + name);
    const found = followers(lines);
    for (const { session, window } of found) {
      const { oracle, events } = durable(lines, session);
      assert.equal(oracle, OTHER_ORACLES.get(name) ?? "page");
      assert.equal(canonical(window), canonical(events.slice(window[0]?.seq)));
    }
    if (found.length === 0) assert.equal(OTHER_ORACLES.get(name), "nothing");
  });

  test(`${name}: each settlement expands to the chunks that were sent live`, () => {
    for (const { steps } of followers(read(FOLDER + name))) {
      /** @type {any[] | null} */
      let live = null;
      let settlement = null;
      for (const { value } of steps) {
        if (value?.type === "snapshot") live = value.assistantStream?.activeAttempt ? expand(value.assistantStream.activeAttempt.stream) : null;
        if (value?.type === "event") settlement = value.event;
        if (value?.frame?.type === "start") live = [];
        if (value?.frame?.type === "chunk") live?.push({ time: value.frame.time, chunk: value.frame.chunk });
        if (value?.frame?.type !== "end") continue;
        assert.equal(settlement.seq, value.frame.outcome.seq);
        assert.equal(canonical(expand(settlement.data.stream)), canonical(live));
        assert.equal(live?.length, value.frame.index);
        live = null;
      }
    }
  });
}

test("the blocks of an answer are those of its message, and at each point a beginning of them", () => {
  for (const name of ["a_plain.jsonl", "b_reasoning.jsonl", "c_tool.jsonl", "d_second_client.jsonl"]) {
    for (const { steps, window } of followers(read(FOLDER + name))) {
      const messages = window.filter((event) => event.type === "assistant/message");
      assert.ok(messages.length > 0);
      for (const message of messages) assert.deepEqual(assemble(expand(message.data.stream)), message.data.message.content);
      for (const { preview, last } of steps) {
        const settlement = messages.find((message) => message.seq > last);
        for (const [at, block] of (preview ?? []).entries()) {
          const whole = settlement?.data.message.content[at];
          const [shown, all] = block.type === "tool-call" ? [block.arguments, whole.arguments] : [block.text, whole.text];
          assert.ok(all.startsWith(shown), `${name}: ${shown} begins no ${all}`);
        }
      }
    }
  }
});

test("a run of deltas with a difference too many is refused", () => {
  const run = { type: "text-chunks", time0: 5, index: 0, dt: [-2, 3], texts: ["a", "b", "c"] };
  assert.deepEqual(expand([run]).map(({ time }) => time), [5, 3, 6]);
  assert.throws(() => expand([{ ...run, dt: [1] }]));
});

test("a file with a damaged line is told from a whole one", () => {
  const lines = read(`${FOLDER}a_plain.jsonl`);
  const chunk = lines.findIndex(({ frame }) => frame?.value?.frame?.type === "chunk" && frame.value.frame.chunk.type === "text-delta");
  const shown = (/** @type {any[]} */ given) => canonical(followers(given).map(({ steps }) => steps.map(({ preview }) => preview)));
  assert.notEqual(shown(lines.toSpliced(chunk, 1)), shown(lines));
});
