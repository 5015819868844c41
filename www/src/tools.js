// @ts-check
// The tools that run in this page. A colour is picked from swatches; for any other tool the page proposes a result, and
// the person may change it.

import { make } from "./dom.js";

/** @typedef {import("../../pkg/index.js").ToolInput} ToolInput */

const COLOURS = Object.freeze(["teal", "indigo", "plum", "crimson", "amber"]);

/**
 * @param {ToolInput | null} tool
 * @returns {{ question: string, field: HTMLElement, value: () => string }}
 */
export function clientTool(tool) {
  return tool && /colou?r/i.test(tool.name) ? colourPicker(tool) : freeAnswer(tool);
}

/** @param {ToolInput} tool */
function colourPicker(tool) {
  const prompt = stringOf(tool.input, "prompt") ?? "Pick a colour";
  const group = `colour-${tool.args.length}-${Math.random().toString(36).slice(2)}`;
  const field = make("fieldset", { class: "swatches" }, make("legend", { class: "sr" }, prompt));
  COLOURS.forEach((colour, at) => {
    const radio = make("input", { type: "radio", name: group, value: colour, checked: at === 0 });
    const swatch = make("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.setProperty("--swatch", `var(--${colour})`);
    field.append(make("label", {}, radio, swatch, colour));
  });
  const value = () => field.querySelector("input:checked")?.getAttribute("value") ?? String(COLOURS[0]);
  return { question: prompt, field, value };
}

/** @param {ToolInput | null} tool */
function freeAnswer(tool) {
  const text = make("textarea", { rows: 2, spellcheck: "false", "data-role": "answer" });
  text.value = proposal(tool);
  const question = `The agent asks this page to run ${tool?.name ?? "a tool"}.`;
  return { question, field: make("label", {}, "Result", text), value: () => text.value };
}

/**
 * @param {ToolInput | null} tool
 * @returns {string}
 */
function proposal(tool) {
  const name = tool?.name ?? "";
  if (/time|date|clock/i.test(name)) {
    return JSON.stringify({ time: new Date().toISOString(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  }
  if (/viewport|screen|window/i.test(name)) return JSON.stringify({ width: innerWidth, height: innerHeight });
  return JSON.stringify({ ok: true });
}

/**
 * @param {unknown} input
 * @param {string} key
 * @returns {string | undefined}
 */
function stringOf(input, key) {
  if (typeof input !== "object" || input === null) return undefined;
  const value = /** @type {Record<string, unknown>} */ (input)[key];
  return typeof value === "string" ? value : undefined;
}
