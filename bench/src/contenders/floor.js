// The floor: a tokenizer, JSON.parse and `+=`. It keeps no order, notices no loss and reconciles nothing.

import { createParser } from "eventsource-parser";
import { cut, write } from "../wires.js";
import { response } from "../stream.js";

export const name = "floor";
export const packages = ["eventsource-parser"];

/** Reads the same bytes as threadfold. */
export function prepare(conversation, { size }) {
  return { pieces: cut(write("threadfold", conversation), size), history: conversation.history };
}

async function read({ pieces }, onEvent) {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent });
  const reader = response(pieces).body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
  }
}

export async function run(input) {
  const steps = new Map();
  await read(input, ({ event, data }) => {
    const frame = JSON.parse(data);
    if (event === "delta") {
      const { attempt, delta } = frame;
      let step = steps.get(attempt);
      if (!step) steps.set(attempt, (step = { text: "", reasoning: "", calls: new Map(), outputs: new Map() }));
      if (delta.type === "text_delta") step.text += delta.delta;
      else if (delta.type === "reasoning_delta") step.reasoning += delta.delta;
      else {
        const call = step.calls.get(delta.id);
        if (call) call.args += delta.args_delta;
        else step.calls.set(delta.id, { name: delta.name, args: delta.args_delta });
      }
    } else if (event === "committed") {
      const last = [...steps.values()].at(-1);
      for (const { message } of frame.records) {
        if (message?.role === "Tool") last.outputs.set(message.content[0].tool_use_id, message.content[0].content[0].text);
      }
    }
  });
  return steps;
}

export function final(steps, { history }) {
  return {
    history: history.map(({ text }) => text),
    steps: [...steps.values()].map(({ reasoning, text, calls, outputs }) => ({
      reasoning,
      text,
      calls: [...calls].map(([id, call]) => [call.name, JSON.stringify(JSON.parse(call.args)), outputs.get(id)]),
    })),
  };
}
