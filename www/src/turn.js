// @ts-check
// What the person said, with what became of it on its way; what the host put in; and other lines that are no answer.

import { settledPart, textOf } from "./blocks.js";
import { icon, make } from "./dom.js";

/** @typedef {import("../../pkg/index.js").UserItem} UserItem */
/** @typedef {import("../../pkg/index.js").InjectedItem} InjectedItem */
/** @typedef {import("../../pkg/index.js").SystemItem} SystemItem */
/** @typedef {import("../../pkg/index.js").OrphanResultItem} OrphanResultItem */
/** @typedef {import("../../pkg/index.js").RetryItem} RetryItem */

/** How long a message may be on its way, in milliseconds, before that is worth a word. */
const SOON = 500;

/** What a host put in is folded away where it is longer than this, in characters. */
const SHORT = 200;

/**
 * @param {HTMLElement} element
 * @param {UserItem} item
 * @param {(item: UserItem) => void} again Sends it once more, under the same ids.
 */
export function updateUser(element, item, again) {
  const said = make("div", { class: "bubble" }, make("span", { class: "sr" }, "You: "), ...item.parts.map(settledPart));
  element.replaceChildren(said);
  element.dataset.send = item.send?.state ?? "";
  if (item.send?.state === "failed") {
    element.append(
      make("div", { class: "unsent" },
        make("p", { role: "alert" }, `Not sent: ${item.send.message}`),
        make("button", { type: "button", class: "button", "data-action": "send-again", onclick: () => again(item) }, "Send again")),
    );
  } else if (item.send) {
    const word = make("p", { class: "foot late" }, item.send.state === "queued" ? "Waits for the run to end" : "Sending");
    word.style.animationDelay = `${SOON}ms`;
    element.append(word);
  }
}

/**
 * @param {HTMLElement} element
 * @param {InjectedItem | SystemItem | OrphanResultItem | RetryItem} item
 */
export function updateNote(element, item) {
  const body = bodyOf(item);
  // What somebody has unfolded stays so when the thread is read anew.
  if (element.querySelector('[data-part="text"]')?.textContent === body) return;
  const text = make("span", { "data-part": "text", dir: "auto" }, body);
  const isLong = body.length > SHORT && (item.kind === "system" || item.kind === "injected");
  element.replaceChildren(
    isLong
      ? make("details", { class: "reasoning" }, make("summary", {}, icon("chevron"), label(item)), text)
      : make("div", { class: "note" }, make("span", { class: "label" }, label(item)), text),
  );
}

/**
 * @param {InjectedItem | SystemItem | OrphanResultItem | RetryItem} item
 * @returns {string}
 */
function bodyOf(item) {
  if (item.kind === "retry") return [item.code, item.message].filter(Boolean).join(": ");
  return textOf(item.kind === "orphan_result" ? item.output : item.parts);
}

/**
 * @param {InjectedItem | SystemItem | OrphanResultItem | RetryItem} item
 * @returns {string}
 */
function label(item) {
  if (item.kind === "retry") return `Retry ${item.retry} of ${item.most}`;
  if (item.kind === "system") return "Instructions";
  if (item.kind === "orphan_result") return `Result of an unknown call (${item.tool_use_id})`;
  switch (item.reason) {
    case "steer": return "A guard steers";
    case "continuation": return "The host goes on";
    case "resume_input": return "Input";
    case "report": return "Report";
    default: return item.reason;
  }
}
