// @ts-check
// An attempt of the model that failed, kept: folded away, for what it had said is no answer.

import { assistantElement, updateAssistant } from "./assistant.js";
import { icon, make, setText } from "./dom.js";

/** @typedef {import("../../pkg/index.js").AttemptItem} AttemptItem */

/**
 * Fills a new, empty element, or one that showed the attempt while nobody knew that it would fail.
 * @param {HTMLElement} element
 * @param {AttemptItem} item
 */
export function updateAttempt(element, item) {
  let folded = /** @type {HTMLElement | null} */ (element.querySelector(":scope > details"));
  if (!folded) {
    if (!element.firstChild) assistantElement(element);
    folded = make("details", { class: "reasoning" }, make("summary", {}, icon("chevron"), make("span")), ...element.childNodes);
    element.append(folded);
  }
  const why = [item.code, item.message].filter(Boolean).join(": ");
  setText(/** @type {HTMLElement} */ (folded.querySelector("summary > span")), why ? `Failed attempt (${why})` : "Failed attempt");
  updateAssistant(folded, item);
}
