// @ts-check
// Saying something, and stopping. What was not accepted yet stays in sight until the view has it; what failed can be
// tried again under the same ids, so that a message whose answer got lost is never said twice.

import { byId, make } from "./dom.js";
import { fillSuggestions } from "./suggestions.js";

/** @typedef {import("../../pkg/index.js").View} View */
/** @typedef {import("../../pkg/index.js").ThreadClient} ThreadClient */

/**
 * A message on its way.
 * @typedef {object} Unsent
 * @property {string} text
 * @property {string} id Its message id.
 * @property {string} key Its idempotency key.
 * @property {HTMLElement} row
 */

/** Milliseconds before a message on its way is worth a line. */
const SOON = 400;

/**
 * @param {ThreadClient} thread
 * @param {() => void} onSend Called when the person says something.
 * @returns {(view: View) => void}
 */
export function composer(thread, onSend) {
  const form = byId("composer");
  const draft = /** @type {HTMLTextAreaElement} */ (byId("draft"));
  const send = /** @type {HTMLButtonElement} */ (byId("send"));
  const stop = /** @type {HTMLButtonElement} */ (byId("stop"));
  const chips = byId("chips");
  const toggle = byId("chips-toggle");
  const unsent = byId("unsent");
  /** @type {Set<Unsent>} */
  const pending = new Set();
  let active = false;

  const refresh = () => {
    const empty = draft.value.trim() === "";
    send.disabled = empty;
    send.hidden = active && empty;
    stop.hidden = !active;
  };

  /** @param {string} text */
  const say = (text) => {
    /** @type {Unsent} */
    const message = { text, id: freshId("m"), key: freshId("k"), row: make("li") };
    pending.add(message);
    onSend();
    void deliver(message);
  };

  /** @param {Unsent} message */
  const forget = (message) => {
    pending.delete(message);
    message.row.remove();
  };

  /** @param {Unsent} message */
  const deliver = async (message) => {
    const late = setTimeout(() => showSending(message), SOON);
    try {
      await thread.send(message.text, { messageId: message.id, idempotencyKey: message.key, onActive: "queue" });
      // A thread that was not there is there now.
      if (thread.view.status.state === "failed") thread.retry();
    } catch (error) {
      showFailed(message, error);
    } finally {
      clearTimeout(late);
    }
  };

  /** @param {Unsent} message */
  const showSending = (message) => {
    if (!pending.has(message)) return;
    message.row.dataset.state = "sending";
    message.row.replaceChildren(make("span", { class: "what" }, active ? "Queued: " : "Sending: ", make("q", {}, message.text)));
    unsent.append(message.row);
  };

  /**
   * @param {Unsent} message
   * @param {unknown} error
   */
  const showFailed = (message, error) => {
    const why = error instanceof Error ? error.message : String(error);
    const again = make("button", { class: "button", type: "button", "data-action": "retry", onclick: () => void deliver(message) }, "Send again");
    const drop = make(
      "button",
      { class: "button quiet", type: "button", "data-action": "discard", onclick: () => { forget(message); draft.focus(); } },
      "Discard",
    );
    message.row.dataset.state = "failed";
    message.row.replaceChildren(
      make("span", { class: "what", role: "alert" }, "Not sent: ", make("q", {}, message.text), ` ${why}`), again, drop,
    );
    unsent.append(message.row);
  };

  const submit = () => {
    const text = draft.value.trim();
    if (!text) return;
    draft.value = "";
    resize(draft);
    refresh();
    say(text);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  draft.addEventListener("input", () => {
    resize(draft);
    refresh();
  });
  draft.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  stop.addEventListener("click", () => {
    stop.setAttribute("aria-disabled", "true");
    thread
      .cancel()
      .catch(() => undefined) // Nothing runs any more, which is what was wanted; or the view says what is wrong.
      .finally(() => stop.removeAttribute("aria-disabled"));
    draft.focus();
  });
  toggle.addEventListener("click", () => {
    chips.hidden = !chips.hidden;
    toggle.setAttribute("aria-expanded", String(!chips.hidden));
  });
  fillSuggestions(byId("welcome-chips"), say);
  fillSuggestions(chips, (text) => {
    chips.hidden = true;
    toggle.setAttribute("aria-expanded", "false");
    draft.focus();
    say(text);
  });

  return (view) => {
    active = view.runs.length > 0;
    refresh();
    if (pending.size === 0) return;
    const there = new Set(view.items.map((item) => ("message_id" in item ? item.message_id : undefined)));
    for (const message of pending) if (there.has(message.id)) forget(message);
  };
}

/**
 * Fits the box to its text where the style sheet can't.
 * @param {HTMLTextAreaElement} box
 */
function resize(box) {
  if (CSS.supports("field-sizing", "content")) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/**
 * @param {string} prefix
 * @returns {string}
 */
export function freshId(prefix) {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
