// LangGraph's decoders and its accumulator of message chunks: what its stream hook is made of.

import { BytesLineDecoder, SSEDecoder } from "@langchain/langgraph-sdk/utils";
import { MessageTupleManager } from "@langchain/langgraph-sdk/ui";
import { cut, write } from "../wires.js";
import { body } from "../stream.js";

export const name = "langgraph";
export const packages = ["@langchain/langgraph-sdk"];

export function prepare(conversation, { size }) {
  return { pieces: cut(write("langgraph", conversation), size), history: conversation.history };
}

const events = ({ pieces }) => body(pieces).pipeThrough(BytesLineDecoder()).pipeThrough(SSEDecoder());

export async function run(input) {
  const messages = new MessageTupleManager();
  for await (const { event, data } of events(input)) if (event === "messages") messages.add(data[0], data[1]);
  return messages;
}

export function final({ chunks }, { history }) {
  const steps = [];
  const calls = new Map();
  for (const { chunk } of Object.values(chunks)) {
    if (chunk.type === "tool") {
      calls.get(chunk.tool_call_id).push(chunk.content);
      continue;
    }
    const step = { reasoning: chunk.additional_kwargs.reasoning_content ?? "", text: chunk.content, calls: [] };
    for (const { id, name, args } of chunk.tool_calls ?? []) {
      const entry = [name, JSON.stringify(args)];
      calls.set(id, entry);
      step.calls.push(entry);
    }
    steps.push(step);
  }
  return { history: history.map(({ text }) => text), steps };
}
