// One conversation in each system's own wire: a list of server-sent events, and what stands before the run.

const PREFIX = { threadfold, ai, agui, langgraph };

/** The events of `system`'s stream, as text, one string for each. */
export const write = (system, conversation) => PREFIX[system](conversation);

/** The events as bytes, cut where a network cuts: in pieces of `size`, or one event in each where there is no size. */
export function cut(events, size) {
  const encoder = new TextEncoder();
  if (!size) return events.map((event) => encoder.encode(event));
  const bytes = encoder.encode(events.join(""));
  const pieces = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
  return pieces;
}

const data = (value) => `data: ${JSON.stringify(value)}\n\n`;
const named = (event, value) => `event: ${event}\n${data(value)}`;

// ------------------------------------------------------------------------------------------------------ threadfold/1

const RUN = "run-2";

/** The rows of what stands before the run, and of the run's beginning. */
export function rows({ history }) {
  const messages = [];
  const runs = [];
  let seq = 0;
  for (const [at, { role, text }] of history.entries()) {
    const message = { id: `m-${at}`, role: role === "user" ? "User" : "Assistant", content: [{ type: "text", text }] };
    messages.push({ seq: seq++, time: at, run_id: null, message });
  }
  messages.push({ seq: seq++, time: 1, run_id: RUN, message: { id: "ask", role: "User", content: [{ type: "text", text: "go" }] } });
  runs.push({ seq: seq++, time: 1, run_id: RUN, state: "Running" });
  return { messages, runs, seq };
}

/** The page with these rows. */
export const page = ({ messages, runs, seq }) => ({ contract: "threadfold/1", thread_id: "t", epoch: "e", frontier: seq - 1, has_more: false, messages, runs });

function threadfold(conversation) {
  let { seq } = rows(conversation);
  let revision = 0;
  const events = [named("opened", { contract: "threadfold/1", epoch: "e", frontier: seq - 1, revision, active: null })];
  for (const step of conversation.steps) {
    const attempt = `a-${step.number}`;
    const started_after = seq - 1;
    events.push(named("start", { attempt, revision: ++revision, started_after, run_id: RUN, step: step.number, response: 0 }));
    step.pieces.forEach((piece, index) => events.push(named("delta", { attempt, revision: ++revision, index, delta: delta(step, piece) })));
    const settled = seq;
    const records = [{ seq: seq++, time: 2, run_id: RUN, step: step.number, response: 0, message: { id: `${RUN}-assistant-${step.number}`, role: "Assistant", content: blocks(step) } }];
    for (const { id, output } of step.calls) {
      const content = [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: output }], is_error: false }];
      records.push({ seq: seq++, time: 2, run_id: RUN, message: { id: `tool-${id}`, role: "Tool", content } });
    }
    events.push(named("committed", { frontier: seq - 1, records }));
    events.push(named("end", { attempt, revision: ++revision, index: step.pieces.length, outcome: { kind: "committed", seq: settled } }));
  }
  events.push(named("committed", { frontier: seq, records: [{ seq, time: 3, run_id: RUN, state: { Ended: "NaturalEnd" } }] }));
  return events;
}

function delta(step, [kind, first, , args]) {
  if (kind === "t") return { type: "text_delta", delta: first };
  if (kind === "r") return { type: "reasoning_delta", delta: first };
  const { id, name } = step.calls[first];
  return { type: "tool_call_delta", id, name, args_delta: args };
}

function blocks({ reasoning, text, calls }) {
  const content = [];
  if (reasoning) content.push({ type: "thinking", text: reasoning });
  if (text) content.push({ type: "text", text });
  for (const { id, name, args } of calls) content.push({ type: "tool_use", id, name, input: JSON.parse(args) });
  return content;
}

// ---------------------------------------------------------------------------------------------------- AI SDK 7

function ai({ steps }) {
  const events = [data({ type: "start", messageId: "m" })];
  for (const step of steps) {
    events.push(data({ type: "start-step" }));
    let open = null;
    let blocks = 0;
    const close = () => open && events.push(data({ type: `${open.kind}-end`, id: open.id }));
    for (const [kind, first, , args] of step.pieces) {
      const type = { t: "text", r: "reasoning", a: null }[kind];
      if (type && open?.kind !== type) {
        close();
        open = { kind: type, id: `${step.number}-${blocks++}` };
        events.push(data({ type: `${type}-start`, id: open.id }));
      }
      if (type) {
        events.push(data({ type: `${type}-delta`, id: open.id, delta: first }));
        continue;
      }
      close();
      open = null;
      const call = step.calls[first];
      if (!step.opened?.has(first)) {
        (step.opened ??= new Set()).add(first);
        events.push(data({ type: "tool-input-start", toolCallId: call.id, toolName: call.name, dynamic: true }));
      }
      events.push(data({ type: "tool-input-delta", toolCallId: call.id, inputTextDelta: args }));
    }
    delete step.opened;
    close();
    for (const { id, name, args, output } of step.calls) {
      events.push(data({ type: "tool-input-available", toolCallId: id, toolName: name, input: JSON.parse(args), dynamic: true }));
      events.push(data({ type: "tool-output-available", toolCallId: id, output, dynamic: true }));
    }
    events.push(data({ type: "finish-step" }));
  }
  events.push(data({ type: "finish" }), "data: [DONE]\n\n");
  return events;
}

// ----------------------------------------------------------------------------------------------------------- AG-UI

function agui({ steps }) {
  const events = [data({ type: "RUN_STARTED", threadId: "t", runId: "r" })];
  for (const step of steps) {
    const messageId = `s-${step.number}`;
    const reasoningId = `${messageId}-reasoning`;
    let open = null;
    const opened = new Set();
    const begin = (what, first) => {
      if (open === what) return;
      if (open === "r") events.push(data({ type: "REASONING_MESSAGE_END", messageId: reasoningId }), data({ type: "REASONING_END", messageId: reasoningId }));
      if (open === "t") events.push(data({ type: "TEXT_MESSAGE_END", messageId }));
      open = what;
      if (first) events.push(...first.map(data));
    };
    for (const [kind, first, , args] of step.pieces) {
      if (kind === "r") {
        begin("r", [{ type: "REASONING_START", messageId: reasoningId }, { type: "REASONING_MESSAGE_START", messageId: reasoningId, role: "reasoning" }]);
        events.push(data({ type: "REASONING_MESSAGE_CONTENT", messageId: reasoningId, delta: first }));
      } else if (kind === "t") {
        begin("t", [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }]);
        events.push(data({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: first }));
      } else {
        begin(null);
        const { id, name } = step.calls[first];
        if (!opened.has(id)) {
          opened.add(id);
          events.push(data({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, parentMessageId: messageId }));
        }
        if (args !== "") events.push(data({ type: "TOOL_CALL_ARGS", toolCallId: id, delta: args }));
      }
    }
    begin(null);
    for (const { id } of step.calls) events.push(data({ type: "TOOL_CALL_END", toolCallId: id }));
    for (const { id, output } of step.calls) events.push(data({ type: "TOOL_CALL_RESULT", messageId: `result-${id}`, toolCallId: id, content: output, role: "tool" }));
  }
  events.push(data({ type: "RUN_FINISHED", threadId: "t", runId: "r" }));
  return events;
}

// ------------------------------------------------------------------------------------------------------- LangGraph

function langgraph({ steps }) {
  const events = [named("metadata", { run_id: "r" })];
  const about = { langgraph_node: "agent" };
  for (const step of steps) {
    const base = { id: `s-${step.number}`, type: "AIMessageChunk" };
    for (const [kind, first, , args] of step.pieces) {
      const chunk = { ...base, content: "" };
      if (kind === "t") chunk.content = first;
      if (kind === "r") chunk.additional_kwargs = { reasoning_content: first };
      if (kind === "a") {
        const { id, name } = step.calls[first];
        const opens = !(step.opened ??= new Set()).has(first);
        step.opened.add(first);
        chunk.tool_call_chunks = [{ index: first, type: "tool_call_chunk", args, ...(opens && { id, name }) }];
      }
      events.push(named("messages", [chunk, about]));
    }
    delete step.opened;
    for (const { id, name, output } of step.calls) events.push(named("messages", [{ id: `result-${id}`, type: "tool", content: output, tool_call_id: id, name }, about]));
  }
  events.push(named("end", null));
  return events;
}
