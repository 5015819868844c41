// The parts that a transport reads, of a transcoder that writes what the test says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "../../pkg/src/adapters/turns.js";

/** Turns, and what writes for them. */
async function made() {
  let told;
  const thread = {
    view: { status: { state: "live" } },
    connect: async () => {},
    subscribe: () => () => {},
    facts: () => [],
    transcode(handlers) {
      told = handlers;
      return new ReadableStream();
    },
  };
  const wire = { opens: ({ run }) => run, keeps: () => true, join: () => undefined };
  const turns = new Turns(thread, wire, async () => ({ delta: (chunks) => chunks }));
  turns.follow();
  await new Promise((resolve) => setTimeout(resolve));
  return { turns, write: (...chunks) => told.delta(chunks) };
}

async function all(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

test("a run that was cut is written anew in its place, though another came between", async () => {
  const { turns, write } = await made();
  const part = { first: 0, last: 0 };
  await turns.command(async () => {
    const early = all(turns.read("a", part));
    write({ run: "a" }, { text: "hal" }, "cut", { run: "b" }, "end");
    await assert.rejects(early, (error) => error.code === "cut");
    write({ run: "a" }, { text: "hello" }, "end");
    assert.deepEqual(await all(turns.read("a", part)), [{ run: "a" }, { text: "hello" }]);
    assert.deepEqual(await all(turns.read("b", part)), [{ run: "b" }]);
  });
});
