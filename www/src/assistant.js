// @ts-check
// One message of the assistant: text, reasoning, tool calls and other parts, and the line that says what it is worth.

import { settledPart } from "./blocks.js";
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
 * @param {AssistantItem | import("../../pkg/index.js").AttemptItem} item
 */
export function updateAssistant(element, item) {
  const parts = /** @type {HTMLElement} */ (element.querySelector(":scope > .parts"));
  item.parts.forEach((part, at) => {
    const there = parts.children[at];
    const before = there && shown.get(there);
    if (before === part && parts.dataset.origin === item.origin) return;
    let target = there;
    if (!there || !before || !staysIn(before, part)) {
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
 * Whether the element of one part can become that of the other.
 * @param {Part} before
 * @param {Part} after
 */
function staysIn(before, after) {
  if (before === after) return true;
  if (before.type === "tool_call" && after.type === "tool_call") return before.id === after.id;
  return before.type === after.type && (after.type === "text" || after.type === "reasoning");
}

/**
 * @param {Part} part
 * @param {boolean} live Reasoning is open where it is seen being made, and stays so; in history it is folded away.
 * @returns {HTMLElement}
 */
function partElement(part, live) {
  switch (part.type) {
    case "text": return make("div", { "data-part": "text", dir: "auto" });
    case "reasoning":
      return make(
        "details",
        { class: "reasoning", open: live },
        make("summary", {}, icon("chevron"), "Reasoning"),
        make("div", { "data-part": "reasoning", dir: "auto" }),
      );
    case "tool_call": return callElement(part);
    default: return settledPart(part);
  }
}

/**
 * @param {HTMLElement} element
 * @param {Part} part
 * @param {AssistantItem | import("../../pkg/index.js").AttemptItem} item
 */
function updatePart(element, part, item) {
  if (part.type === "text") growText(element, part.text);
  else if (part.type === "reasoning") growText(/** @type {Element} */ (element.querySelector('[data-part="reasoning"]')), part.text);
  else if (part.type === "tool_call") updateCall(element, part, item.origin);
}

/**
 * @param {AssistantItem | import("../../pkg/index.js").AttemptItem} item
 * @returns {string}
 */
function worth(item) {
  const which = item.response ? ` · response ${item.response + 1} of its step` : "";
  switch (item.origin) {
    case "preview": return `Writing${which}`;
    case "unconfirmed": return `Unconfirmed: its stream is gone and no commit covers it yet${which}`;
    case "committed": return `Committed${item.seq === null ? "" : ` as record ${item.seq}`}${which}`;
  }
}
