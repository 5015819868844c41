// The AI SDK's reader of its stream, as its chat uses it.

import { parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema } from "ai";
import { cut, write } from "../wires.js";
import { body } from "../stream.js";

export const name = "ai";
export const packages = ["ai"];

export function prepare(conversation, { size }) {
  return { pieces: cut(write("ai", conversation), size), history: conversation.history };
}

const chunks = ({ pieces }) => parseJsonEventStream({ stream: body(pieces), schema: uiMessageChunkSchema() });

const values = (stream) =>
  stream.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        if (!chunk.success) throw chunk.error;
        controller.enqueue(chunk.value);
      },
    }),
  );

export async function run(input) {
  let message;
  for await (const state of readUIMessageStream({ stream: values(chunks(input)) })) message = state;
  return message;
}

export function final(message, { history }) {
  const steps = [];
  for (const part of message.parts) {
    if (part.type === "step-start") steps.push({ reasoning: "", text: "", calls: [] });
    else if (part.type === "text") steps.at(-1).text += part.text;
    else if (part.type === "reasoning") steps.at(-1).reasoning += part.text;
    else steps.at(-1).calls.push([part.toolName, JSON.stringify(part.input), part.output]);
  }
  return { history: history.map(({ text }) => text), steps };
}
