// @ts-check
// A tool call: its name, its arguments as they are written, where it stands, and its result.

import { textOf } from "./blocks.js";
import { attribute, icon, make, setText } from "./dom.js";
import { showJson } from "./json.js";

/** @typedef {import("../../pkg/index.js").CallPart} CallPart */
/** @typedef {import("../../pkg/index.js").Origin} Origin */

/**
 * @param {CallPart} part
 * @returns {HTMLElement}
 */
export function callElement(part) {
  const args = make("pre", { "data-role": "args", role: "group", "aria-label": `Arguments of ${part.name || "the tool"}` });
  return make(
    "section",
    { class: "tool", "data-part": "tool_call", "data-call-id": part.id, tabindex: -1, "aria-label": `Tool ${part.name}` },
    make(
      "header",
      { class: "tool-head" },
      make("span", { class: "tool-name" }, icon("tool"), make("span", { "data-role": "name" })),
      make("span", { class: "tool-state", "data-role": "state" }),
    ),
    args,
  );
}

/**
 * @param {HTMLElement} element
 * @param {CallPart} part
 * @param {Origin} origin The message's.
 */
export function updateCall(element, part, origin) {
  attribute(element, "data-state", part.state);
  setText(one(element, "name"), part.name || "tool");
  const verdict = standing(part, origin);
  const state = one(element, "state");
  setText(state, verdict.text);
  attribute(state, "data-tone", verdict.tone);
  const args = one(element, "args");
  showJson(args, part.arguments);
  args.hidden = part.arguments === "";
  reachable(args, part.arguments);
  if (!part.result) {
    element.querySelector('[data-role="result"]')?.remove();
    element.querySelector(".caption")?.remove();
    return;
  }
  let result = element.querySelector('[data-role="result"]');
  if (!result) {
    result = make("pre", { "data-role": "result", role: "group", "aria-label": `Result of ${part.name || "the tool"}` });
    element.append(make("p", { class: "caption" }), result);
  }
  setText(/** @type {Element} */ (element.querySelector(".caption")), part.result.is_error ? "Error" : "Result");
  attribute(result, "data-error", String(part.result.is_error));
  const text = textOf(part.result.content);
  showJson(result, text);
  reachable(result, text);
}

/**
 * What is long enough to scroll within its box can be reached by keyboard; what is short is no stop on the way.
 * @param {Element} element
 * @param {string} text
 */
function reachable(element, text) {
  attribute(element, "tabindex", text.length > 400 ? "0" : undefined);
}

/**
 * @param {CallPart} part
 * @param {Origin} origin
 * @returns {{ text: string, tone?: string }}
 */
function standing(part, origin) {
  if (part.result?.is_error) return { text: "Failed", tone: "bad" };
  switch (part.state) {
    case "streaming": return origin === "unconfirmed" ? { text: "Unconfirmed", tone: "warn" } : { text: "Being written", tone: "busy" };
    case "open": return { text: "Running", tone: "busy" };
    case "pending_builtin": return { text: "Needs an answer", tone: "warn" };
    case "pending_client": return { text: "For this page", tone: "warn" };
    case "executed": return { text: "Done", tone: "good" };
    case "unresolved": return { text: "No result", tone: "bad" };
  }
}

/**
 * @param {HTMLElement} element
 * @param {string} role
 * @returns {HTMLElement}
 */
function one(element, role) {
  return /** @type {HTMLElement} */ (element.querySelector(`[data-role="${role}"]`));
}
