// @ts-check
// What the reference host's scripted agent answers to, as things to press.

import { make } from "./dom.js";

/** Label and text of each, in the order in which they are offered. @type {readonly (readonly [string, string])[]} */
export const SUGGESTIONS = Object.freeze([
  ["Slow, to break it", "/slow"],
  ["Think first", "/reason"],
  ["Two tools at once", "/tools"],
  ["Ask for permission", "/approve"],
  ["A tool of this page", "/client-tool"],
  ["Pause and go on", "/pause"],
  ["A token limit", "/length"],
  ["A guard steps in", "/steer"],
  ["Many scripts", "/unicode"],
  ["2,000 Deltas", "/long 2000"],
  ["Fail, then retry", "/fail-mid"],
  ["Fail for good", "/fail"],
]);

/**
 * Fills a list with them.
 * @param {HTMLElement} list
 * @param {(text: string) => void} choose
 */
export function fillSuggestions(list, choose) {
  for (const [label, text] of SUGGESTIONS) {
    const button = make("button", { type: "button", class: "button chip", "data-text": text, onclick: () => choose(text) });
    button.append(make("span", {}, label), make("code", {}, text));
    list.append(make("li", {}, button));
  }
}
