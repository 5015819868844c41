// The Agent Client Protocol: the official SDK's schemas on every message, and what a client that reads them holds.

import assert from "node:assert/strict";
import { nameOf, resultOf, textOf, wireIds } from "../expected.mjs";
import { versionOf } from "../version.mjs";

const schemas = await import(new URL("../../../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js", import.meta.url));

const UNANSWERED = "The run ended before this call was answered.";

/** By run: its items in order, and how it ended. */
function expected(facts) {
  const wire = wireIds(facts);
  const runs = new Map();
  for (const { fact, run_id, coordinate, position } of facts) {
    if (!runs.has(run_id)) runs.set(run_id, { items: [], asked: [], end: undefined });
    const run = runs.get(run_id);
    const id = coordinate && `${run_id}-${coordinate.step}-${coordinate.response}`;
    if (fact.type === "assistant_thinking" && fact.text) run.items.push({ id: `${id}-reasoning`, kind: "agent_thought_chunk", text: fact.text });
    if (fact.type === "assistant_message" && textOf(fact.content) !== "") run.items.push({ id, kind: "agent_message_chunk", text: textOf(fact.content) });
    if (fact.type === "tool_call") {
      const result = resultOf(facts, position)?.fact;
      const item = { id: wire(position), kind: "tool_call", title: fact.name, name: fact.name, rawInput: fact.input, status: "pending" };
      const texts = result ? result.content.map(nameOf).filter((name) => name !== "") : [UNANSWERED];
      if (result || fact.disposition === "unresolved") {
        item.status = !result || result.is_error ? "failed" : "completed";
        item.content = texts.map((text) => ({ type: "content", content: { type: "text", text } }));
      }
      run.items.push(item);
    }
    if (fact.type === "awaiting" && fact.reason === "tool_permission") run.asked.push(fact.pending_tool_use_id && `${run_id}-${position.seq}-${position.index}`);
    if (fact.type === "run_finished") run.end = fact.cause === "cancelled" ? "cancelled" : fact.exhausted ? "max_turn_requests" : "end_turn";
    if (fact.type === "run_failed") run.end = { code: fact.code, message: `${fact.code}: ${fact.message}` };
  }
  return runs;
}

/** The schema drops what it does not like; what it gives back must be what came. */
function check(schema, value) {
  const parsed = schema.safeParse(value);
  assert.ok(parsed.success, `refused: ${JSON.stringify(value)} ${parsed.error}`);
  assert.deepEqual(JSON.parse(JSON.stringify(parsed.data)), value, "the schema dropped something");
}

/** What is written from one end or cut to the next, and the run that it is of: no message names its turn but the last. */
function turns(inputs, chunks) {
  const all = [{ written: [] }];
  for (const [number, written] of chunks.entries()) {
    for (const chunk of written) {
      const turn = all.at(-1);
      turn.from ??= inputs[number]?.run_id;
      if (chunk !== "cut" && chunk !== "end") turn.written.push(chunk);
      else {
        Object.assign(turn, { ending: chunk, isLast: number >= inputs.length });
        all.push({ written: [] });
      }
    }
  }
  for (const [at, turn] of [...all.entries()].reverse()) {
    const names = turn.written.flatMap((chunk) => (chunk.method ? (runOf(chunk) ?? []) : chunk.id));
    turn.run_id = names.at(-1) ?? (turn.ending === "cut" ? all[at + 1].run_id : undefined) ?? turn.from;
  }
  return all.filter(({ written, ending }) => written.length > 0 || ending);
}

async function judge(inputs, chunks, facts) {
  const runs = new Map();
  const of = (run_id) => {
    if (!runs.has(run_id)) runs.set(run_id, { items: [], asked: [], end: undefined });
    return runs.get(run_id);
  };
  for (const { written, run_id, ending, isLast } of turns(inputs, chunks)) {
    for (const chunk of written) {
      const run = of(run_id);
      assert.equal(chunk.jsonrpc, "2.0");
      assert.equal(run.end, undefined, "nothing comes after the end of a turn");
      if (chunk.method === "session/update") {
        const { update } = chunk.params;
        if (update.sessionUpdate === "tool_call") check(schemas.zToolCall, lean({ ...update, content: [], locations: [] }));
        else if (update.sessionUpdate === "tool_call_update") check(schemas.zToolCallUpdate, lean(update));
        else check(schemas.zContentChunk, lean(update));
        assert.ok(schemas.zSessionNotification.safeParse(chunk.params).success);
        apply(run.items, update);
      } else if (chunk.method === "session/request_permission") {
        check(schemas.zRequestPermissionRequest, chunk.params);
        assert.ok(run.items.some((item) => item.id === chunk.params.toolCall.toolCallId), "a call that the client knows");
        run.asked.push(chunk.id);
      } else {
        assert.equal(chunk.id, run_id, "the prompt that is answered");
        if (chunk.result) check(schemas.zPromptResponse, chunk.result);
        run.end = chunk.result ? chunk.result.stopReason : { code: chunk.error.data.code, message: chunk.error.message };
        if (chunk.error) assert.equal(chunk.error.code, -32603);
      }
    }
    // The turn is said again; what was asked has been answered.
    if (ending === "cut" && !isLast && runs.has(run_id)) of(run_id).items = [];
  }
  if (!facts) return;
  const bare = inputs.some((input) => input.type === "delta" && !input.coordinate);
  const plain = (all) => [...all].map(([run_id, run]) => [run_id, { ...run, items: run.items.map((item) => ({ ...item, ...(bare && item.kind !== "tool_call" && { id: "" }), ...(item.status === "in_progress" && { status: "pending" }) })) }]);
  const wanted = expected(facts);
  // A run that was cut and never came: its host lost it.
  for (const [run_id, { items, end }] of runs) if (!wanted.has(run_id) && items.length === 0 && !end) runs.delete(run_id);
  for (const [run_id, run] of wanted) if (!runs.has(run_id) && run.items.length === 0) runs.set(run_id, run);
  assert.deepEqual(new Map(plain(runs)), new Map(plain(wanted)));
}

/** The run that a message belongs to, by its id. */
const runOf = ({ params }) => /^(.*)-\d+-\d+(-reasoning)?$/.exec(params?.update?.messageId ?? "")?.[1];

const lean = ({ sessionUpdate, ...update }) => update;

function apply(items, update) {
  const { sessionUpdate: kind, ...rest } = update;
  if (kind === "tool_call") {
    const { toolCallId: id, ...call } = rest;
    assert.ok(!items.some((item) => item.id === id && item.kind === kind), "one call of an id");
    items.push({ id, kind, ...call });
  } else if (kind === "tool_call_update") {
    const { toolCallId: id, ...changes } = rest;
    const call = items.find((item) => item.id === id && item.kind === "tool_call");
    assert.ok(call, "an update of a call that the client knows");
    Object.assign(call, changes);
  } else {
    const last = items.find((item) => item.id === rest.messageId && item.kind === kind);
    if (last) last.text += rest.content.text;
    else items.push({ id: rest.messageId, kind, text: rest.content.text });
  }
}

/** The rows of the table, by what is written. */
function says(chunk) {
  const { sessionUpdate, status } = chunk.params?.update ?? {};
  if (sessionUpdate) return sessionUpdate === "tool_call_update" ? `${sessionUpdate} ${status}` : sessionUpdate;
  return chunk.method ?? chunk.result?.stopReason ?? (chunk.error ? "error" : chunk);
}
const words = [
  "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update in_progress", "tool_call_update completed",
  "tool_call_update failed", "session/request_permission", "end_turn", "max_turn_requests", "cancelled", "error", "end", "cut",
];

/** The client. */
export const acp = () => ({
  protocol: "acp",
  options: { thread_id: "session" },
  client: `@agentclientprotocol/sdk ${versionOf("@agentclientprotocol/sdk")}`,
  judge,
  says,
  words,
});
