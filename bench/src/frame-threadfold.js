// A page with a long thread and an answer that streams, over threadfold.

import { createElement as h, useSyncExternalStore } from "react";
import { ThreadClient } from "#threadfold";
import { log } from "./conversation.js";
import { HISTORY, Message, mount, paced, watched, word } from "./frame.js";

// threadfold's own work: what it does when it is given an event, and in its frames.
let longestFrame = 0;
const { requestAnimationFrame } = globalThis;
globalThis.requestAnimationFrame = (flush) => {
  const frame = watched(flush);
  return requestAnimationFrame.call(globalThis, (at) => {
    frame(at);
    longestFrame = Math.max(longestFrame, frame.longest);
  });
};

const initial = log(HISTORY);
let sink;
const client = new ThreadClient({
  source: {
    openLive: (given) => void (sink = given),
    readCommitted: ({ after }) => ({ ...log(0), frontier: after }),
  },
  initial,
});

const text = (item) => (item.parts ?? []).map((part) => part.text ?? part.args ?? "").join("");

function Thread() {
  const view = useSyncExternalStore(client.subscribe, () => client.view);
  return view.items.map((item) => h(Message, { key: item.key, message: item, text }));
}

mount(h(Thread));
const connected = client.connect();
while (!sink) await new Promise((resolve) => setTimeout(resolve, 10));
sink.accepted();
sink.event("opened", { contract: "threadfold/1", epoch: "e", frontier: initial.frontier, revision: 0, active: null });
await connected;
await new Promise((resolve) => setTimeout(resolve, 500));
globalThis.ready = true;

globalThis.stream = async (seconds) => {
  sink.event("start", { attempt: "a", revision: 1, started_after: initial.frontier, run_id: "run-live", step: 0, response: 0 });
  const event = watched((index) => sink.event("delta", { attempt: "a", revision: index + 2, index, delta: { type: "text_delta", delta: word(index) } }));
  longestFrame = 0;
  const deltas = await paced(seconds, event);
  return { deltas, own: Math.max(event.longest, longestFrame), shown: document.querySelector("#root").lastChild.textContent.length };
};
