// The AI SDK's own reader of its stream, versions 6 and 7.

import assert from "node:assert/strict";
import { resultOf, textOf, wireIds } from "../expected.mjs";
import { versionOf } from "../version.mjs";

const media = (block) => {
  const { url, data, media_type } = block.source ?? {};
  return media_type && { url: url ?? `data:${media_type};base64,${data}`, mediaType: media_type };
};
const isPart = (block) => block.type === "search_result" || (["image", "document"].includes(block.type) && media(block));

/** By run, the parts of its message without empty steps. */
export function expected(facts) {
  const wire = wireIds(facts);
  const messages = new Map();
  let step;
  for (const placed of facts) {
    const { fact, run_id, coordinate, position } = placed;
    if (!messages.has(run_id)) {
      messages.set(run_id, []);
      step = undefined;
    }
    const parts = messages.get(run_id);
    if (coordinate && coordinate.step !== step) {
      step = coordinate.step;
      parts.push({ type: "step-start" });
    }
    const id = coordinate && `${run_id}-${coordinate.step}-${coordinate.response}`;
    if (fact.type === "assistant_thinking") parts.push({ type: "reasoning", text: fact.text, state: "done" });
    if (fact.type === "assistant_message") {
      const text = textOf(fact.content, (block) => !isPart(block));
      if (text !== "") parts.push({ type: "text", text, state: "done" });
      fact.content.forEach((block, n) => {
        if (!isPart(block)) return;
        const source = { sourceId: `${id}-source-${n}`, title: block.title };
        if (block.type !== "search_result") parts.push({ type: "file", ...media(block) });
        else if (block.source.includes("://")) parts.push({ type: "source-url", ...source, url: block.source });
        else parts.push({ type: "source-document", ...source, mediaType: "text/plain", filename: block.source });
      });
    }
    if (fact.type === "tool_call") {
      const part = { type: "dynamic-tool", toolCallId: wire(position), toolName: fact.name, input: fact.input };
      const result = resultOf(facts, position)?.fact;
      const onlyText = result?.content.every((block) => block.type === "text");
      if (result?.is_error) Object.assign(part, { state: "output-error", errorText: textOf(result.content) });
      else if (result) Object.assign(part, { state: "output-available", output: onlyText ? textOf(result.content) : result.content });
      else if (fact.disposition === "pending_builtin") part.state = "approval-requested";
      else if (fact.disposition === "unresolved") Object.assign(part, { state: "output-error", errorText: "The run ended before this call was answered." });
      else part.state = "input-available";
      const by = facts.some((p) => p.fact.type === "awaiting" && p.fact.reason === "client_execution" && p.call?.seq === position.seq && p.call.index === position.index);
      part.providerExecuted = !by;
      parts.push(part);
    }
  }
  return messages;
}

/** What the client holds, without what no Fact says: undefined keys, empty steps, the name of an approval. */
export function plain(all, bare) {
  const parts = JSON.parse(JSON.stringify(all));
  return parts
    .filter((part, n) => part.type !== "step-start" || (n + 1 < parts.length && parts[n + 1].type !== "step-start"))
    .map((part) => {
      delete part.approval;
      // A preview whose stream says no coordinate has an id of its own, which stays.
      if (part.sourceId && bare) part.sourceId = part.sourceId.replace(/.*-source-/, "");
      if (part.type === "reasoning") delete part.id;
      return part;
    });
}

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
    const wanted = expected(facts);
    const bare = inputs.some((input) => input.type === "delta" && !input.coordinate);
    const all = (entries) => Object.fromEntries(entries.map(([run, parts]) => [run, plain(parts, bare)]));
    assert.deepEqual(all([...messages].map(([run, message]) => [run, message.parts])), all([...wanted]));
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
  return { protocol: "ai-sdk", options: { version }, client: `ai ${versionOf(name)}`, judge: judge(await import(name)), ...rows };
}
