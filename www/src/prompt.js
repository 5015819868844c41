// @ts-check
// What a waiting run asks of the person or of this page: a permission, a tool's result, input, or just to go on.

import { make } from "./dom.js";
import { clientTool } from "./tools.js";

/** @typedef {import("../../pkg/index.js").AwaitingItem} AwaitingItem */
/** @typedef {import("../../pkg/index.js").Answer} Answer */

/**
 * The prompt. Its buttons answer; a refusal is shown in it, and the buttons work again.
 * @param {AwaitingItem} item
 * @param {(answer: Answer) => Promise<unknown>} answer
 * @returns {HTMLElement}
 */
export function promptElement(item, answer) {
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

  const tool = item.tool?.name ?? "a tool";
  switch (item.reason) {
    case "tool_permission":
      form.append(make("p", {}, "May the agent run ", make("code", {}, tool), "?"));
      offer("Approve", "approve", () => ({ approve: true }), "primary");
      offer("Deny", "deny", () => ({ approve: false, reason: "The person said no." }));
      break;
    case "client_execution": {
      const { question, field, value } = clientTool(item.tool);
      form.append(make("p", {}, question), field);
      offer("Send the result", "answer", () => ({ content: value() }), "primary");
      offer("Report a failure", "answer-error", () => ({ content: "the person gave no answer", is_error: true }));
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
      if (item.pending_tool_use_id === null) offer("Go on", "go-on", () => ({}), "primary");
      else {
        offer("Approve", "approve", () => ({ approve: true }), "primary");
        offer("Deny", "deny", () => ({ approve: false }));
      }
  }
  form.append(failure, buttons);
  return form;
}

/**
 * What a waiting run says in a line, once it went on or where there is no room to ask.
 * @param {AwaitingItem} item
 * @returns {string}
 */
export function awaitingSentence({ reason, pending_tool_use_id: call, resolved }) {
  switch (reason) {
    case "tool_permission": return resolved ? "Permission was asked for and answered" : "Waiting for your permission";
    case "client_execution": return resolved ? "This page was asked and answered" : "Waiting for this page’s result";
    case "scheduled_action": return resolved ? "Its time came" : "Waiting for its time";
    case "delegation": return resolved ? "The other agent answered" : "Waiting for another agent";
    case "user_input": return resolved ? "Input was asked for and given" : "Waiting for your input";
    case "external_event": return resolved ? "The event came" : "Waiting for an event";
    default: return resolved ? "Paused, then went on" : pauseSentence({ reason, pending_tool_use_id: call });
  }
}

/**
 * @param {Pick<AwaitingItem, "reason" | "pending_tool_use_id">} item
 * @returns {string}
 */
function pauseSentence(item) {
  switch (item.reason) {
    case "rate_limit": return "The run rests: the provider’s rate limit was reached.";
    case "budget_reached": return "The run rests: its budget is used up.";
    default: return item.pending_tool_use_id === null ? "The run is paused." : "The run waits for an answer.";
  }
}
