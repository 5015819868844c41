// @ts-check
// What is usually written: an EventSource whose fragments are appended. It follows beside the thread while it is looked
// at, so that the difference is seen: after a cut it gets the beginning once more, and what was lost is never missed.

import { byId, setText } from "./dom.js";

/** @typedef {import("../../pkg/index.js").ThreadClient} ThreadClient */
/** @typedef {import("../../pkg/index.js").HttpOptions} HttpOptions */

const AGAIN = 300;

/**
 * @param {ThreadClient} thread
 * @param {HttpOptions} options
 * @returns {() => void} To be called with each change of the view.
 */
export function naive(thread, { base, threadId, query }) {
  const details = /** @type {HTMLDetailsElement} */ (byId("naive"));
  const area = byId("naive-text");
  const address = `${base}/threads/${encodeURIComponent(threadId)}/live?${new URLSearchParams(query)}`;
  /** @type {EventSource | null} */
  let stream = null;
  let timer = 0;
  /** The text of each run's answers, in the order in which the runs came. @type {Map<string, string>} */
  const texts = new Map();
  let current = "";

  /** @param {import("../../pkg/index.js").Delta} delta */
  const append = (delta) => {
    if (delta.type === "text_delta") texts.set(current, (texts.get(current) ?? "") + delta.delta);
  };

  const open = () => {
    clearTimeout(timer);
    stream = new EventSource(address);
    /** @param {string} name @param {(data: any) => void} hear */
    const on = (name, hear) => stream?.addEventListener(name, (event) => {
      hear(JSON.parse(/** @type {MessageEvent<string>} */ (event).data));
      show();
    });
    on("opened", ({ active }) => {
      if (!active) return;
      current = active.run_id;
      active.deltas.forEach(append);
    });
    on("start", ({ run_id }) => void (current = run_id));
    on("delta", ({ delta }) => append(delta));
    stream.addEventListener("error", () => {
      stream?.close();
      timer = window.setTimeout(open, AGAIN);
    });
  };

  const close = () => {
    clearTimeout(timer);
    stream?.close();
    stream = null;
    texts.clear();
  };

  /** The text of a run's answers as the thread has it. @param {string} run */
  const text = (run) =>
    thread.view.items
      .flatMap((item) => (item.kind === "assistant" && item.run_id === run ? item.parts : []))
      .map((part) => (part.type === "text" ? part.text : ""))
      .join("");

  const show = () => {
    if (!details.open) return;
    setText(area, [...texts.values()].join("\n\n"));
    area.scrollTop = area.scrollHeight;
    const verdict = byId("naive-verdict");
    const wrong = [...texts].filter(([run, shown]) => (isBusy(run) ? !inStep(shown, text(run)) : shown !== text(run)));
    const surplus = wrong.reduce((sum, [run, shown]) => sum + shown.length - text(run).length, 0);
    verdict.dataset.tone = texts.size === 0 ? "" : wrong.length > 0 ? "bad" : "good";
    if (texts.size === 0) setText(verdict, "Nothing came yet.");
    else if (wrong.length === 0) setText(verdict, "So far the same text as the thread’s.");
    else setText(verdict, `${wrong.length === 1 ? "One answer is" : `${wrong.length} answers are`} wrong: ${Math.abs(surplus)} characters ${surplus > 0 ? "too many" : "are missing"}.`);
  };

  /** @param {string} run */
  const isBusy = (run) => thread.view.run?.run_id === run && thread.view.run.state === "running";

  details.addEventListener("toggle", () => {
    if (details.open) open();
    else close();
    show();
  });
  return show;
}

/** While text comes, one stream may be ahead of the other. @param {string} a @param {string} b */
function inStep(a, b) {
  return a.startsWith(b) || b.startsWith(a);
}
