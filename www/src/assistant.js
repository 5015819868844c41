// @ts-check
// One message of the assistant: text, reasoning, tool calls and other blocks, and the line that says what it is worth.

import { blockElement } from "./blocks.js";
import { callElement, updateCall } from "./call.js";
import { attribute, icon, make, setText } from "./dom.js";
import { growText } from "./text.js";

/** @typedef {import("../../pkg/index.js").AssistantItem} AssistantItem */
/** @typedef {import("../../pkg/index.js").Part} Part */

/** @type {WeakMap<Element, Part>} */
const shown = new WeakMap();

/**
 * Fills a new, empty element.
 * @param {HTMLElement} element
 */
export function assistantElement(element) {
  element.classList.add("assistant");
  element.append(make("span", { class: "sr" }, "Assistant: "), make("div", { class: "parts" }), make("p", { class: "foot" }));
}

/**
 * @param {HTMLElement} element
 * @param {AssistantItem} item
 */
export function updateAssistant(element, item) {
  const parts = /** @type {HTMLElement} */ (element.querySelector(":scope > .parts"));
  item.parts.forEach((part, at) => {
    const there = parts.children[at];
    const before = there && shown.get(there);
    if (before === part && parts.dataset.origin === item.origin) return;
    let target = there;
    if (!there || !before || !samePlace(before, part)) {
      target = partElement(part, item.origin !== "committed");
      if (there) there.replaceWith(target);
      else parts.append(target);
    }
    updatePart(/** @type {HTMLElement} */ (target), part, item);
    shown.set(/** @type {Element} */ (target), part);
  });
  while (parts.children.length > item.parts.length) parts.lastElementChild?.remove();
  attribute(parts, "data-origin", item.origin);
  const foot = /** @type {HTMLElement} */ (element.querySelector(":scope > .foot"));
  attribute(foot, "data-origin", item.origin);
  setText(foot, worth(item));
}

/**
 * @param {Part} before
 * @param {Part} after
 */
function samePlace(before, after) {
  if (before === after) return true;
  if (before.kind === "call" && after.kind === "call") return before.id === after.id;
  return before.kind === after.kind && before.kind !== "block";
}

/**
 * @param {Part} part
 * @param {boolean} live Reasoning is open where it is seen being made, and stays so; in history it is folded away.
 * @returns {HTMLElement}
 */
function partElement(part, live) {
  switch (part.kind) {
    case "text": return make("div", { "data-part": "text", dir: "auto" });
    case "reasoning":
      return make(
        "details",
        { class: "reasoning", open: live },
        make("summary", {}, icon("chevron"), "Reasoning"),
        make("div", { "data-part": "reasoning", dir: "auto" }),
      );
    case "call": return callElement(part);
    case "block": return blockElement(part.block);
  }
}

/**
 * @param {HTMLElement} element
 * @param {Part} part
 * @param {AssistantItem} item
 */
function updatePart(element, part, item) {
  switch (part.kind) {
    case "text":
      growText(element, part.text);
      break;
    case "reasoning":
      growText(/** @type {Element} */ (element.querySelector('[data-part="reasoning"]')), part.text);
      break;
    case "call":
      updateCall(element, part, item.origin);
      break;
    case "block":
      break; // It was made whole.
  }
}

/**
 * @param {AssistantItem} item
 * @returns {string}
 */
function worth(item) {
  const response = item.coordinate?.response ?? 0;
  const which = response > 0 ? ` · part ${response + 1} of the answer` : "";
  switch (item.origin) {
    case "preview": return `Writing${which}`;
    case "unconfirmed": return `Unconfirmed: its stream is gone and no commit covers it yet${which}`;
    case "committed": return `Committed${which}`;
  }
}
