// threadfold through its public entry: a client over the fetch transport, whose requests are answered from memory.

import { init, ThreadClient, threadfold } from "#threadfold";
import { cut, page, rows, write } from "../wires.js";
import { response } from "../stream.js";

export const name = "threadfold";
export const packages = [];

export async function prepare(conversation, { size, frames }) {
  await init();
  const at = rows(conversation);
  return { initial: page(at), pieces: cut(write("threadfold", conversation), size), frames, history: conversation.history };
}

/** The client before it connects, with what stands before the run in its view. */
export async function open({ initial, pieces, frames }) {
  answer(pieces, initial);
  if (frames === "each") frameAfterEach();
  const client = new ThreadClient({
    source: threadfold({ base: "http://bench.invalid/v1", threadId: "t", transport: "fetch" }),
    initial,
  });
  while (client.view.items.length === 0) await new Promise((resolve) => setTimeout(resolve));
  return client;
}

export async function run(input, client) {
  const over = ended(client);
  client.connect();
  await over;
  return client;
}

export function final(client, { history }) {
  const { items } = client.view;
  const text = (parts, type) => parts.filter((part) => part.type === type).map((part) => part.text).join("");
  const answers = items.slice(history.length + 1).filter((item) => item.kind === "assistant");
  return {
    history: items.slice(0, history.length).map((item) => text(item.parts, "text")),
    steps: answers.map(({ parts }) => ({
      reasoning: text(parts, "reasoning"),
      text: text(parts, "text"),
      calls: parts.filter((part) => part.type === "tool_call").map((part) => [part.name, JSON.stringify(part.input), text(part.output, "text")]),
    })),
  };
}

export function close(client) {
  client.close();
}

/** Resolves when the view shows the run's end; looks at the view with every change, as a page does. */
function ended(client) {
  return new Promise((resolve) => {
    const leave = client.subscribe(() => {
      if (client.view.items.at(-1)?.kind !== "finished") return;
      leave();
      resolve();
    });
  });
}

/** A frame as soon as there is something to show: the dearest that a page can ask for. */
function frameAfterEach() {
  let last = 0;
  const due = new Set();
  globalThis.requestAnimationFrame = (flush) => {
    due.add(++last);
    const frame = last;
    queueMicrotask(() => due.delete(frame) && flush());
    return frame;
  };
  globalThis.cancelAnimationFrame = (frame) => void due.delete(frame);
}

function answer(pieces, initial) {
  globalThis.fetch = async (request) => {
    const { pathname } = new URL(typeof request === "string" ? request : request.url);
    if (pathname.endsWith("/live")) return response(pieces);
    return Response.json({ ...initial, messages: [], runs: [] });
  };
}
