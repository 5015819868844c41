// @ts-check
// What a waiting run asks of the person or of this page: a permission, a tool's result, input, or just to go on.

import { make } from "./dom.js";

/** @typedef {Extract<import("../../pkg/index.js").BoundaryItem, { kind: "awaiting" }>} AwaitingItem */
/** @typedef {import("../../pkg/index.js").Answer} Answer */
/** @typedef {import("../../pkg/index.js").Block} Block */

/**
 * What the page needs to know of the call that is waited for.
 * @typedef {{ name: string, arguments: string } | undefined} Call
 */

/**
 * The prompt. Its buttons answer; a refusal is shown in it, and the buttons work again.
 * @param {AwaitingItem} item
 * @param {Call} call
 * @param {(answer: Answer) => Promise<unknown>} answer
 * @returns {HTMLElement}
 */
export function promptElement(item, call, answer) {
  const failure = make("p", { class: "failure", role: "alert", hidden: true });
  const buttons = make("div", { class: "buttons" });
  const form = make("form", { class: "prompt", onsubmit: (/** @type {Event} */ event) => event.preventDefault() });

  // Not `disabled`: a button that has the focus would lose it.
  let busy = false;
  /** @param {boolean} on */
  const setBusy = (on) => {
    busy = on;
    for (const button of buttons.children) button.setAttribute("aria-disabled", String(on));
  };
  /** @param {() => Answer} what */
  const give = (what) => async () => {
    if (busy) return;
    failure.hidden = true;
    setBusy(true);
    try {
      await answer(what());
    } catch (error) {
      failure.textContent = error instanceof Error ? error.message : String(error);
      failure.hidden = false;
      setBusy(false);
    }
  };
  /** @param {string} label @param {string} name @param {() => Answer} what @param {string} [kind] */
  const offer = (label, name, what, kind = "") =>
    buttons.append(make("button", { type: "button", class: `button ${kind}`, "data-action": name, onclick: give(what) }, label));

  const tool = call?.name ?? "a tool";
  switch (item.reason) {
    case "tool_permission":
      form.append(make("p", {}, "May the agent run ", make("code", {}, tool), "?"));
      offer("Approve", "approve", () => ({ approve: true }), "primary");
      offer("Deny", "deny", () => ({ approve: false, reason: "The person said no." }));
      break;
    case "client_execution": {
      const value = make("textarea", { rows: 2, spellcheck: "false", "data-role": "answer" });
      value.value = suggestion(call);
      form.append(make("p", {}, "The agent asks this page to run ", make("code", {}, tool), "."), make("label", {}, "Result", value));
      offer("Send the result", "answer", () => ({ content: value.value }), "primary");
      offer("Report a failure", "answer-error", () => ({ content: value.value, is_error: true }));
      break;
    }
    case "user_input":
    case "external_event": {
      const value = make("textarea", { rows: 2, "data-role": "answer" });
      form.append(make("p", {}, item.reason === "user_input" ? "The agent asks for your input." : "The agent waits for something from outside."));
      form.append(make("label", {}, "Answer", value));
      offer("Answer", "answer", () => ({ content: value.value }), "primary");
      break;
    }
    case "scheduled_action":
    case "delegation":
      form.append(make("p", {}, item.reason === "delegation" ? "Another agent works on this." : "This runs later, by a schedule."));
      offer("Go on", "approve", () => ({ approve: true }), "primary");
      offer("Call it off", "deny", () => ({ approve: false }));
      break;
    default:
      form.append(make("p", {}, pauseSentence(item)));
      if (item.call_id === null) offer("Go on", "go-on", () => ({}), "primary");
      else {
        offer("Approve", "approve", () => ({ approve: true }), "primary");
        offer("Deny", "deny", () => ({ approve: false }));
      }
  }
  form.append(failure, buttons);
  return form;
}

/**
 * What a waiting run says in a line, once it was answered or where there is no room to ask.
 * @param {AwaitingItem} item
 * @returns {string}
 */
export function awaitingSentence(item) {
  switch (item.reason) {
    case "tool_permission": return item.open ? "Waiting for your permission" : "Permission was answered";
    case "client_execution": return item.open ? "Waiting for this page’s result" : "This page gave its result";
    case "scheduled_action": return item.open ? "Waiting for its time" : "Its time came";
    case "delegation": return item.open ? "Waiting for another agent" : "The other agent answered";
    case "user_input": return item.open ? "Waiting for your input" : "Input was given";
    case "external_event": return item.open ? "Waiting for an event" : "The event came";
    default: return item.open ? pauseSentence(item) : "The run went on";
  }
}

/**
 * @param {AwaitingItem} item
 * @returns {string}
 */
function pauseSentence(item) {
  switch (item.reason) {
    case "rate_limit": return "The run rests: the provider’s rate limit was reached.";
    case "budget_reached": return "The run rests: its budget is used up.";
    default: return item.call_id === null ? "The run is paused." : "The run waits for an answer.";
  }
}

/**
 * A result that this page would give by itself; the person may change it.
 * @param {Call} call
 * @returns {string}
 */
function suggestion(call) {
  if (!call) return "";
  if (/time|date|clock/i.test(call.name)) {
    return JSON.stringify({ time: new Date().toISOString(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  }
  if (/locat|place|viewport|screen/i.test(call.name)) return JSON.stringify({ width: innerWidth, height: innerHeight });
  if (/choose|pick|select/i.test(call.name)) return JSON.stringify({ choice: firstOption(call.arguments) });
  return JSON.stringify({ ok: true });
}

/**
 * @param {string} raw
 * @returns {unknown}
 */
function firstOption(raw) {
  try {
    const list = Object.values(JSON.parse(raw)).find(Array.isArray);
    return list?.[0] ?? null;
  } catch {
    return null;
  }
}
