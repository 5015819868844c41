// AG-UI's agent over HTTP, whose requests are answered from memory; and its fold alone.

import { HttpAgent } from "@ag-ui/client";
import { cut, write } from "../wires.js";
import { response } from "../stream.js";

export const name = "ag-ui";
export const packages = ["@ag-ui/client"];

export function prepare(conversation, { size }) {
  return { pieces: cut(write("agui", conversation), size), history: conversation.history };
}

export async function open({ pieces, history }) {
  const initialMessages = history.map(({ role, text }, at) => ({ id: `m-${at}`, role, content: text }));
  return new HttpAgent({ url: "http://bench.invalid/agent", threadId: "t", initialMessages, fetch: async () => response(pieces) });
}

export async function run(input, agent) {
  await agent.runAgent({ runId: "r" });
  return agent;
}

export function final({ messages }, { history }) {
  const steps = new Map();
  const step = (id) => {
    if (!steps.has(id)) steps.set(id, { reasoning: "", text: "", calls: [] });
    return steps.get(id);
  };
  const calls = new Map();
  for (const { id, role, content, toolCalls, toolCallId } of messages.slice(history.length)) {
    if (role === "reasoning") step(id.replace("-reasoning", "")).reasoning += content;
    if (role === "assistant") {
      step(id).text += content ?? "";
      for (const { id: call, function: named } of toolCalls ?? []) {
        const entry = [named.name, JSON.stringify(JSON.parse(named.arguments))];
        calls.set(call, entry);
        step(id).calls.push(entry);
      }
    }
    if (role === "tool") calls.get(toolCallId).push(content);
  }
  return { history: messages.slice(0, history.length).map(({ content }) => content), steps: [...steps.values()] };
}
