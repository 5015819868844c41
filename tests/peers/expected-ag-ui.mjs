// What AG-UI's messages must be, built from the Facts and from what was said, and from nothing else.

import { answeredBy, textOf, wireIds } from "./expected.mjs";

/** The messages that the Facts make, and before each run's (or before a Fact, by its position) what was said. */
export function agUiMessages(said, facts) {
  const wire = wireIds(facts);
  const messages = [];
  const asked = new Set();
  const assistant = (id) => {
    if (!messages.some((m) => m.id === id)) messages.push({ id, role: "assistant" });
    return messages.find((m) => m.id === id);
  };
  const ask = (before) => {
    for (const { id, text } of said.get(before) ?? []) messages.push({ id, role: "user", content: text });
  };
  for (const placed of facts) {
    const { fact, run_id, coordinate, position } = placed;
    ask(asked.has(run_id) ? `${position.seq}/${position.index}` : run_id);
    asked.add(run_id);
    const id = coordinate && `${run_id}-${coordinate.step}-${coordinate.response}`;
    if (fact.type === "assistant_thinking") messages.push({ id: `${id}-reasoning`, role: "reasoning", content: fact.text });
    if (fact.type === "assistant_message" && textOf(fact.content) !== "") assistant(id).content = textOf(fact.content);
    if (fact.type === "tool_call") (assistant(id).toolCalls ??= []).push({ id: wire(position), type: "function", function: { name: fact.name, arguments: JSON.stringify(fact.input) } });
    if (fact.type === "tool_result") {
      const message = { id: `${run_id}-result-${position.seq}-${position.index}`, role: "tool", toolCallId: answeredBy(wire, placed), content: textOf(fact.content) };
      if (fact.is_error) message.metadata = { is_error: true };
      // Behind the answers that its call has already.
      let at = 1 + messages.findIndex((m) => m.toolCalls?.some((c) => c.id === message.toolCallId)) || messages.length;
      while (messages[at]?.role === "tool") at += 1;
      messages.splice(at, 0, message);
    }
  }
  ask(undefined);
  return messages;
}

/**
 * Arguments are compared as values. A preview whose stream says no coordinate has an id of its own, which stays.
 */
export const plainMessages = (messages, bare) =>
  messages.map((message) => ({
    ...message,
    ...(bare && ["assistant", "reasoning"].includes(message.role) && { id: "" }),
    ...(message.toolCalls && {
      toolCalls: message.toolCalls.map((call) => ({ ...call, function: { ...call.function, arguments: JSON.parse(call.function.arguments) } })),
    }),
  }));
