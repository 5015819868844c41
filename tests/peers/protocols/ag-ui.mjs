// The AG-UI client's own checks and its own fold.

import assert from "node:assert/strict";
import { defaultApplyEvents, enforceEvents, verifyEvents } from "@ag-ui/client";
import { EventSchema } from "@ag-ui/core/schemas";
import { from, lastValueFrom, toArray } from "rxjs";
import { textOf, wireIds } from "../expected.mjs";
import { agUiMessages, plainMessages } from "../expected-ag-ui.mjs";
import { versionOf } from "../version.mjs";

const schemas = new Map(EventSchema.options.map((schema) => [schema.shape.type.value, schema]));

/**
 * What people said, by the run that answers it (it stands before the run, or, where a log says so, right after its start),
 * or by the Fact that it stands before.
 */
export function saidBefore(inputs) {
  const said = new Map();
  let before = [];
  let run;
  let isSilent = false;
  for (const { type, message, run_id, position } of inputs) {
    if (type === "said" && message.role === "User") {
      const one = { id: message.id, text: textOf(message.content) };
      if (isSilent) said.get(run).push(one);
      else before.push(one);
    } else if (type === "fact") {
      isSilent = !said.has(run_id);
      said.set(isSilent ? run_id : `${position.seq}/${position.index}`, before);
      [run, before] = [run_id, []];
    } else if (type !== "said") isSilent = false;
  }
  // What nothing has answered yet.
  said.set(undefined, before);
  return said;
}

async function judge(inputs, chunks, facts) {
  let messages = [];
  let stream = [];
  const ends = [];
  // What is said while an answer streams has a place in the log, and none in a client that reads events.
  const between = new Set();
  const read = async (ending) => {
    if (!stream.length) return;
    const warnings = [];
    const { warn } = console;
    console.warn = (...words) => warnings.push(words.join(" "));
    try {
      const input = { threadId: "thread", runId: "run", messages: structuredClone(messages), state: {}, tools: [], context: [] };
      const agent = { messages: input.messages, state: {}, pendingInterrupts: [] };
      const events = from(stream).pipe(enforceEvents(), verifyEvents());
      const finished = [];
      const subscriber = { onRunFinishedEvent: ({ pendingToolCallIds }) => void finished.push(pendingToolCallIds ?? []) };
      const states = await lastValueFrom(defaultApplyEvents(input, events, agent, [subscriber]).pipe(toArray()));
      const named = stream.at(-1).outcome?.pendingToolCallIds ?? [];
      if (finished.length) assert.deepEqual(finished, [named], "calls that the client would run");
      for (const state of states) if (state.messages) messages = state.messages;
    } finally {
      console.warn = warn;
    }
    assert.deepEqual(warnings, [], "the client warned");
    const last = stream.at(-1);
    if (ending === "end") ends.push(last);
    else assert.ok(!["RUN_FINISHED", "RUN_ERROR"].includes(last.type), "a stream that is cut has no end");
    stream = [];
  };
  for (const [number, written] of chunks.entries()) {
    const said = inputs[number]?.type === "said" ? inputs[number].message : undefined;
    if (said?.role !== "User" || stream.some(({ type }) => type !== "RUN_STARTED")) between.add(said?.id);
    else messages.push({ id: said.id, role: "user", content: textOf(said.content) });
    for (const chunk of written) {
      if (chunk === "end" || chunk === "cut") {
        await read(chunk);
        continue;
      }
      assert.ok(schemas.get(chunk.type)?.safeParse(chunk).success, `refused: ${JSON.stringify(chunk)}`);
      stream.push(chunk);
    }
  }
  assert.equal(stream.length, 0, "a stream was left open");
  if (!facts) return;
  const bare = inputs.some((input) => input.type === "delta" && !input.coordinate);
  const placed = (all) => {
    const calls = new Set(all.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
    const isNobodys = ({ toolCallId }) => toolCallId !== undefined && !calls.has(toolCallId);
    // Answers stand behind their calls; one to nobody's call stands wherever it came.
    const [own, others] = [false, true].map((wanted) => plainMessages(all, bare).filter((message) => isNobodys(message) === wanted));
    return [...own.filter(({ id }) => !between.has(id)), ...others];
  };
  assert.deepEqual(placed(messages), placed(agUiMessages(saidBefore(inputs), facts)));
  const wire = wireIds(facts);
  const outcomes = facts.flatMap(({ fact, call }) => {
    if (fact.type === "run_failed") return [{ error: fact.code }];
    if (fact.type === "run_finished") return [fact.cause === "cancelled" ? "cancelled" : "success"];
    if (fact.type !== "awaiting") return [];
    return fact.reason === "client_execution" && call ? [{ pending: [wire(call)] }] : [{ interrupt: fact.reason, call: call ? wire(call) : fact.pending_tool_use_id ?? undefined }];
  });
  const told = ends.map((end) => {
    if (end.type === "RUN_ERROR") return { error: end.code };
    const { type, pendingToolCallIds, interrupts } = end.outcome;
    if (type === "interrupt") return { interrupt: interrupts[0].reason, call: interrupts[0].toolCallId };
    return pendingToolCallIds ? { pending: pendingToolCallIds } : type;
  });
  assert.deepEqual(told, outcomes, "how the runs ended");
}

/** The rows of the table, by what is written. */
function says(chunk) {
  if (chunk.type !== "RUN_FINISHED") return chunk.type ?? chunk;
  return `RUN_FINISHED ${chunk.outcome.pendingToolCallIds ? "pending" : chunk.outcome.type}${chunk.result ? " exhausted" : ""}`;
}
const words = [
  "RUN_STARTED", "STEP_STARTED", "STEP_FINISHED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
  "REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END",
  "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "MESSAGES_SNAPSHOT", "RUN_FINISHED success",
  "RUN_FINISHED success exhausted", "RUN_FINISHED cancelled", "RUN_FINISHED pending", "RUN_FINISHED interrupt", "RUN_ERROR", "end",
];

/** The client. */
export const agUi = () => ({
  protocol: "ag-ui",
  options: { thread_id: "thread" },
  client: `@ag-ui/client ${versionOf("@ag-ui/client")}`,
  judge,
  says,
  words,
});
