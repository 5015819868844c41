// The AI SDK's own reader of its stream, versions 6 and 7.

import assert from "node:assert/strict";
import { chatJudge } from "../chat.mjs";
import { plainParts, uiParts } from "../expected-ai-sdk.mjs";
import { versionOf } from "../version.mjs";

/** Reads the chunks as the client does, and compares with the Facts. */
function judge(ai) {
  const accepts = checker(ai.uiMessageChunkSchema());
  return async (inputs, chunks, facts) => {
    const messages = new Map();
    const errors = [];
    let stream = [];
    const cut = new Set();
    let open = false;
    const read = async () => {
      if (!stream.length) return;
      const run = stream[0].messageId;
      assert.equal(stream[0].type, "start", "a stream begins with start");
      assert.equal(stream.filter((chunk) => chunk.type === "start").length, 1, "one start in a stream");
      // What follows a cut carries the whole message.
      const message = cut.delete(run) ? undefined : structuredClone(messages.get(run));
      const source = new ReadableStream({
        start(controller) {
          stream.forEach((chunk) => controller.enqueue(chunk));
          controller.close();
        },
      });
      let last = message;
      const failed = [];
      for await (const state of ai.readUIMessageStream({ message, stream: source, onError: (error) => failed.push(error.message) })) last = state;
      const told = stream.filter((chunk) => chunk.type === "error").map((chunk) => chunk.errorText);
      assert.deepEqual(failed, told, "the client met an error that nobody told");
      errors.push(...told);
      if (last) messages.set(run, last);
      stream = [];
    };
    for (const chunk of chunks.flat()) {
      if (chunk === "end" || chunk === "cut") {
        open = false;
        const run = stream[0]?.messageId;
        await read();
        if (chunk === "cut") cut.add(run);
        continue;
      }
      assert.ok(await accepts(chunk), `refused: ${JSON.stringify(chunk)}`);
      open = true;
      stream.push(chunk);
    }
    assert.ok(!open, "a stream was left open");
    if (!facts) return;
    const wanted = uiParts(facts);
    const bare = inputs.some((input) => input.type === "delta" && !input.coordinate);
    const all = (entries) => Object.fromEntries(entries.map(([run, parts]) => [run, plainParts(parts, bare)]));
    const held = all([...messages].map(([run, message]) => [run, message.parts]));
    // A run that was cut and never came: its host lost it, and who reads again finds none.
    for (const run of cut) if (!wanted.has(run)) delete held[run];
    assert.deepEqual(held, all([...wanted]));
    const failures = facts.filter((p) => p.fact.type === "run_failed").map((p) => `${p.fact.code}: ${p.fact.message}`);
    assert.deepEqual(errors, failures, "a failed run is an error");
  };
}

/** The schema looks at names and types alone, so one chunk of each kind is enough. */
function checker(schema) {
  const known = new Map();
  return async (chunk) => {
    const kind = Object.entries(chunk).map(([key, value]) => `${key}:${["type", "finishReason"].includes(key) ? value : typeof value}`).join();
    if (!known.has(kind)) known.set(kind, (await schema.validate(chunk)).success);
    return known.get(kind);
  };
}

/** The rows of the table, by what is written. */
const says = (chunk) => (chunk.type === "finish" ? `finish ${chunk.finishReason}` : (chunk.type ?? chunk));
const words = [
  "start", "start-step", "text-start", "text-delta", "text-end", "reasoning-start", "reasoning-delta", "reasoning-end",
  "tool-input-start", "tool-input-delta", "tool-input-available", "tool-approval-request", "tool-output-available",
  "tool-output-error", "file", "source-url", "source-document", "finish-step", "finish stop", "finish length",
  "finish tool-calls", "finish error", "abort", "error", "end", "cut",
];

/** One version of the client. */
export async function aiSdk(version) {
  const name = `ai-${version}`;
  const rows = { says, words: version === 7 ? [...words, "reset-step"] : words };
  const ai = await import(name);
  return { protocol: "ai-sdk", options: { version }, client: `ai ${versionOf(name)}`, judge: judge(ai), chat: chatJudge(ai, version), ...rows };
}
