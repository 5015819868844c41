// @ts-check
// Where a run pauses or ends: a question to answer, or a line with the verdict.

import { attribute, make } from "./dom.js";
import { awaitingSentence, promptElement } from "./prompt.js";

/** @typedef {import("../../pkg/index.js").AwaitingItem} AwaitingItem */
/** @typedef {import("../../pkg/index.js").FinishedItem} FinishedItem */
/** @typedef {import("../../pkg/index.js").FailedItem} FailedItem */
/** @typedef {import("../../pkg/index.js").Answer} Answer */

/**
 * @typedef {{ text: string, short: string, tone?: "bad" | "warn", code?: string, detail?: string }} Verdict
 */

/**
 * Fills a new, empty element.
 * @param {HTMLElement} element
 */
export function boundaryElement(element) {
  element.tabIndex = -1;
}

/**
 * @param {HTMLElement} element
 * @param {AwaitingItem | FinishedItem | FailedItem} item
 * @param {(item: AwaitingItem, answer: Answer) => Promise<unknown>} answer
 */
export function updateBoundary(element, item, answer) {
  const asks = item.kind === "awaiting" && !item.resolved;
  // A question that still stands keeps its form, with what was typed into it.
  if (asks && element.dataset.open === "true") return;
  const focused = element.contains(document.activeElement);
  attribute(element, "data-open", item.kind === "awaiting" ? String(asks) : undefined);
  if (asks) {
    element.className = "item card";
    element.replaceChildren(promptElement(item, (what) => answer(item, what)));
    return;
  }
  const verdict = verdictOf(item);
  element.className = "item boundary";
  attribute(element, "data-tone", verdict.tone);
  const line = make("p", {}, verdict.text);
  if (verdict.code) line.append(" ", make("code", { "data-role": "code" }, verdict.code));
  if (verdict.detail) line.append(" ", make("span", { "data-role": "message" }, verdict.detail));
  element.replaceChildren(line);
  // The button that had the focus is gone; the keyboard goes on from the same place.
  if (focused) element.focus();
}

/**
 * How a run's pause or end reads. What is not known to have ended well never reads as if it had.
 * @param {AwaitingItem | FinishedItem | FailedItem} item
 * @returns {Verdict}
 */
export function verdictOf(item) {
  switch (item.kind) {
    case "awaiting":
      return { text: awaitingSentence(item), short: item.resolved ? "Going on" : "Waiting for you", tone: item.resolved ? undefined : "warn" };
    case "failed":
      if (item.code === "indeterminate") return { text: "Outcome unknown:", short: "Outcome unknown", tone: "warn", detail: item.message };
      return { text: "Run failed", short: "Failed", tone: "bad", code: item.code, detail: item.message };
    case "finished":
      if (item.exhausted) return { text: "Run exhausted: the step limit was reached", short: "Out of steps", tone: "warn" };
      if (item.cause === "cancelled") return { text: "Run cancelled", short: "Cancelled" };
      if (item.cause === "stopped") return { text: "Run stopped", short: "Stopped", detail: reasonOf(item.detail) };
      return { text: "Run finished", short: "Finished" };
  }
}

/**
 * @param {unknown} detail
 * @returns {string | undefined}
 */
function reasonOf(detail) {
  if (detail === null || detail === undefined) return undefined;
  return typeof detail === "string" ? detail : JSON.stringify(detail);
}
