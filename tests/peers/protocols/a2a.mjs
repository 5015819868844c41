// A2A 1.0: the official SDK's client reads our bytes, and its own fold makes the task.

import assert from "node:assert/strict";
import { RestTransportFactory } from "@a2a-js/sdk/client";
import { ResultManager, ServerCallContext } from "@a2a-js/sdk/server";
import { answeredBy, textOf, wireIds } from "../expected.mjs";
import { versionOf } from "../version.mjs";

const STATES = { 2: "WORKING", 3: "COMPLETED", 4: "FAILED", 5: "CANCELED", 6: "INPUT_REQUIRED" };

/** By run: its artifacts' texts, its messages by id, and its state. */
function expected(facts) {
  const wire = wireIds(facts);
  const tasks = new Map();
  for (const placed of facts) {
    const { fact, run_id, coordinate, position, call } = placed;
    if (!tasks.has(run_id)) tasks.set(run_id, { artifacts: {}, messages: {}, state: "WORKING" });
    const task = tasks.get(run_id);
    const id = coordinate && `${run_id}-${coordinate.step}-${coordinate.response}`;
    const at = (what) => `${run_id}-${what}${position.seq}-${position.index}`;
    const say = (id, kind, part) => (task.messages[id] = { kind, ...part });
    switch (fact.type) {
      case "assistant_thinking": say(`${id}-reasoning`, "thinking", { text: fact.text }); break;
      case "assistant_message": if (textOf(fact.content) !== "") task.artifacts[id] = textOf(fact.content); break;
      case "tool_call": say(wire(position), "tool_call", { data: { id: wire(position), name: fact.name, input: fact.input } }); break;
      case "tool_result": say(at("result-"), "tool_result", { data: { id: answeredBy(wire, placed), content: textOf(fact.content), is_error: fact.is_error } }); break;
      case "awaiting": {
        const waits = call ? wire(call) : fact.pending_tool_use_id;
        say(at(""), "awaiting", { data: { reason: fact.reason, ...(waits && { id: waits }) } });
        task.state = "INPUT_REQUIRED";
        break;
      }
      case "continuation": if (fact.detail.cause === "resumed") task.state = "WORKING"; break;
      case "run_finished":
        task.state = fact.cause === "cancelled" ? "CANCELED" : fact.exhausted ? "FAILED" : "COMPLETED";
        if (fact.exhausted) say(at("error-"), "error", { text: "exhausted: the run reached the limit of its steps" });
        break;
      case "run_failed": task.state = "FAILED"; say(at("error-"), "error", { text: `${fact.code}: ${fact.message}` }); break;
    }
  }
  return tasks;
}

let body = "";
const fetchImpl = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
const transport = await new RestTransportFactory({ fetchImpl }).create("http://a2a.test", {});

/** Reads bytes as the SDK's client does. */
async function decoded(events) {
  body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const all = [];
  for await (const event of transport.sendMessageStream({ message: undefined, configuration: undefined, metadata: undefined, tenant: "" })) all.push(event);
  return all;
}

async function judge(inputs, chunks, facts) {
  const tasks = new Map();
  const store = { load: async (id) => tasks.get(id), save: async (task) => void tasks.set(task.id, task) };
  const context = new ServerCallContext();
  const messages = new Map();
  let stream = [];
  const read = async () => {
    const events = await decoded(stream);
    assert.equal(events.length, stream.length, "every event is read");
    const manager = new ResultManager(store, context);
    for (const { payload } of events) {
      assert.ok(payload, "an event that decodes to nothing");
      const { $case: kind, value } = payload;
      await manager.processEvent({ kind, data: value });
      const said = value.status?.message;
      if (!said) continue;
      if (!messages.has(said.taskId)) messages.set(said.taskId, {});
      const [{ content }] = said.parts;
      messages.get(said.taskId)[said.messageId] = { kind: said.metadata.kind, [content.$case]: content.value };
    }
    assert.ok(events[0].payload.$case === "task", "a stream begins with the task");
    stream = [];
  };
  for (const chunk of chunks.flat()) {
    if (chunk === "end" || chunk === "cut") await read();
    else stream.push(chunk);
  }
  assert.equal(stream.length, 0, "a stream was left open");
  if (!facts) return;
  const wanted = expected(facts);
  const bare = inputs.some((input) => input.type === "delta" && !input.coordinate);
  for (const [run_id, task] of wanted) {
    const held = tasks.get(run_id);
    const artifacts = held.artifacts.map(({ artifactId, parts }) => [artifactId, parts.map(({ content }) => content.value).join("")]);
    const texts = artifacts.filter(([, text]) => text !== "");
    // An artifact has its id and no place: whoever reads puts it where it was first seen.
    if (bare) assert.deepEqual(texts.map(([, text]) => text).sort(), Object.values(task.artifacts).sort());
    else assert.deepEqual(Object.fromEntries(texts), task.artifacts);
    const by = (all = {}) => (bare ? Object.values(all) : all);
    assert.deepEqual(by(messages.get(run_id)), by(task.messages));
    assert.equal(STATES[held.status.state], task.state);
  }
}

/** The rows of the table, by what is written. */
function says(chunk) {
  const { status } = chunk.statusUpdate ?? {};
  return status ? [status.state, status.message?.metadata.kind].filter(Boolean).join(" ") : typeof chunk === "string" ? chunk : Object.keys(chunk)[0];
}
const words = [
  "task", "artifactUpdate", "TASK_STATE_WORKING thinking", "TASK_STATE_WORKING tool_call", "TASK_STATE_WORKING tool_result",
  "TASK_STATE_INPUT_REQUIRED awaiting", "TASK_STATE_COMPLETED", "TASK_STATE_CANCELED", "TASK_STATE_FAILED error", "end",
];

/** The client. */
export const a2a = () => ({
  protocol: "a2a",
  options: { thread_id: "context" },
  client: `@a2a-js/sdk ${versionOf("@a2a-js/sdk")}`,
  judge,
  says,
  words,
});
