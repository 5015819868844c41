// A thread's committed messages as AG-UI's agents keep them.

import { textOf } from "./blocks.js";
import { blockOf, Log, responseId } from "./log.js";

export function toAgUiMessages(thread) {
  const log = new Log(thread);
  const messages = [];
  const byId = new Map();
  const assistant = (id) => {
    if (!byId.has(id)) {
      byId.set(id, { id, role: "assistant" });
      messages.push(byId.get(id));
    }
    return byId.get(id);
  };
  const args = argumentsOf(log.items);
  for (const { said, placed } of log.lines()) {
    if (said) {
      messages.push({ id: said.message_id, role: said.kind, content: textOf(said.parts.map(blockOf)) });
      continue;
    }
    const { fact, run_id, position } = placed;
    const id = responseId(placed);
    if (fact.type === "assistant_thinking") {
      messages.push({ id: `${id}-reasoning`, role: "reasoning", content: fact.text ?? "" });
    } else if (fact.type === "assistant_message") {
      const text = textOf(fact.content);
      if (text !== "") assistant(id).content = text;
    } else if (fact.type === "tool_call") {
      const call = { name: fact.name, arguments: args.next(position.seq) ?? JSON.stringify(fact.input) };
      (assistant(id).toolCalls ??= []).push({ id: log.callId(position), type: "function", function: call });
    } else if (fact.type === "tool_result") {
      const toolCallId = placed.call ? log.callId(placed.call) : fact.id;
      const result = { id: `${run_id}-result-${position.seq}-${position.index}`, role: "tool", toolCallId, content: textOf(fact.content) };
      if (fact.is_error) result.metadata = { is_error: true };
      messages.splice(placeOf(messages, toolCallId), 0, result);
    }
  }
  return messages;
}

/** Behind the message that holds the call, and behind the answers that are there. */
function placeOf(messages, call) {
  const owner = messages.findLastIndex(({ toolCalls }) => toolCalls?.some(({ id }) => id === call));
  if (owner < 0) return messages.length;
  let place = owner + 1;
  while (messages[place]?.role === "tool") place++;
  return place;
}

/** The arguments of a record's calls, one after the other, with all digits of their numbers. */
function argumentsOf(items) {
  const calls = new Map();
  for (const { kind, seq, parts } of items) {
    if (kind === "assistant" && seq !== null) calls.set(seq, parts.filter(({ type }) => type === "tool_call"));
  }
  return { next: (seq) => calls.get(seq)?.shift()?.args };
}
