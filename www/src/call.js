// @ts-check
// A tool call: its name, its arguments as they are written, where it stands, and its result.

import { textOf } from "./blocks.js";
import { attribute, icon, make, setText } from "./dom.js";
import { showJson } from "./json.js";

/** @typedef {import("../../pkg/index.js").ToolCallPart} ToolCallPart */
/** @typedef {import("../../pkg/index.js").Item["origin"]} Origin */

/**
 * @param {ToolCallPart} part
 * @returns {HTMLElement}
 */
export function callElement(part) {
  return make(
    "section",
    { class: "tool", "data-part": "tool_call", "data-call-id": part.id, "aria-label": `Tool ${part.name}` },
    make(
      "header",
      { class: "tool-head" },
      make("span", { class: "tool-name" }, icon("tool"), make("span", { "data-role": "name" })),
      make("span", { class: "tool-state", "data-role": "state" }),
    ),
    make("pre", { "data-role": "args", role: "group", "aria-label": `Arguments of ${part.name || "the tool"}` }),
  );
}

/**
 * @param {HTMLElement} element
 * @param {ToolCallPart} part
 * @param {Origin} origin The message's.
 */
export function updateCall(element, part, origin) {
  attribute(element, "data-state", part.state);
  setText(one(element, "name"), part.name || "tool");
  const standing = standingOf(part, origin);
  const state = one(element, "state");
  setText(state, standing.text);
  attribute(state, "data-tone", standing.tone);
  const args = one(element, "args");
  showJson(args, part.args);
  args.hidden = part.args === "";
  reachable(args, part.args);
  if (part.output === null) {
    element.querySelector('[data-role="result"]')?.remove();
    element.querySelector(".caption")?.remove();
    return;
  }
  let result = element.querySelector('[data-role="result"]');
  if (!result) {
    result = make("pre", { "data-role": "result", role: "group", "aria-label": `Result of ${part.name || "the tool"}` });
    element.append(make("p", { class: "caption" }), result);
  }
  const failed = part.state === "error";
  setText(/** @type {Element} */ (element.querySelector(".caption")), failed ? "Error" : "Result");
  attribute(result, "data-error", String(failed));
  const text = textOf(part.output);
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
 * @param {ToolCallPart} part
 * @param {Origin} origin
 * @returns {{ text: string, tone?: string }}
 */
function standingOf(part, origin) {
  switch (part.state) {
    case "streaming": return origin === "unconfirmed" ? { text: "Unconfirmed", tone: "warn" } : { text: "Being written", tone: "busy" };
    case "open": return { text: "Running", tone: "busy" };
    case "pending_builtin": return { text: "Needs an answer", tone: "warn" };
    case "pending_client": return { text: "For this page", tone: "warn" };
    case "output": return { text: "Done", tone: "good" };
    case "error": return { text: "Failed", tone: "bad" };
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
