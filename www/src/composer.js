// @ts-check
// Saying something, and stopping. A message on its way is in the view like any other; what failed can be sent again
// under the same ids, so that one whose answer got lost is never said twice.

import { byId } from "./dom.js";
import { fillSuggestions } from "./suggestions.js";
import { textOf } from "./blocks.js";

/** @typedef {import("../../pkg/index.js").View} View */
/** @typedef {import("../../pkg/index.js").UserItem} UserItem */
/** @typedef {import("../../pkg/index.js").ThreadClient} ThreadClient */

export class Composer {
  #thread;
  #onSend;
  #draft = /** @type {HTMLTextAreaElement} */ (byId("draft"));
  #send = /** @type {HTMLButtonElement} */ (byId("send"));
  #stop = /** @type {HTMLButtonElement} */ (byId("stop"));
  #active = false;
  /** The idempotency key of each message said here. @type {Map<string, string>} */
  #keys = new Map();

  /**
   * @param {ThreadClient} thread
   * @param {() => void} onSend Called when the person says something.
   */
  constructor(thread, onSend) {
    this.#thread = thread;
    this.#onSend = onSend;
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#draft.addEventListener("input", () => {
      fit(this.#draft);
      this.#refresh();
    });
    this.#draft.addEventListener("keydown", (event) => {
      // Enter that ends the input of a character (Japanese, say) does not send.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#stop.addEventListener("click", () => void this.#cancel());
    fillSuggestions(byId("welcome-chips"), (text) => {
      this.#say(text);
      this.#draft.focus();
    });
    this.#suggestionsMenu();
  }

  /** @param {View} view */
  render(view) {
    const active = view.run?.state === "running" || view.run?.state === "awaiting";
    if (active === this.#active) return;
    this.#active = active;
    this.#refresh();
  }

  /**
   * Sends a message that failed once more.
   * @param {UserItem} item
   */
  again(item) {
    void this.#deliver(textOf(item.parts), item.message_id);
    this.#draft.focus();
  }

  #submit() {
    const text = this.#draft.value.trim();
    if (!text) return;
    this.#draft.value = "";
    fit(this.#draft);
    this.#refresh();
    this.#say(text);
  }

  /** @param {string} text */
  #say(text) {
    const sent = this.#deliver(text, freshId("m"));
    this.#onSend();
    void sent;
  }

  /**
   * @param {string} text
   * @param {string} messageId
   */
  async #deliver(text, messageId) {
    const idempotencyKey = this.#keys.get(messageId) ?? freshId("k");
    this.#keys.set(messageId, idempotencyKey);
    try {
      await this.#thread.send(text, { messageId, idempotencyKey, onActive: "queue" });
      this.#keys.delete(messageId);
      // A thread that was not there before its first message is there now.
      if (this.#thread.view.status.state === "failed") this.#thread.retry();
    } catch (error) {
      // The view has the message, with why it was not sent.
      console.warn("threadfold:", error);
    }
  }

  async #cancel() {
    if (this.#stop.getAttribute("aria-disabled") === "true") return;
    this.#stop.setAttribute("aria-disabled", "true");
    try {
      await this.#thread.cancel();
    } catch (error) {
      // Nothing runs any more, which is what was wanted; or the connection's state says what is wrong.
      console.warn("threadfold:", error);
    }
    this.#stop.removeAttribute("aria-disabled");
    this.#draft.focus();
  }

  #refresh() {
    const empty = this.#draft.value.trim() === "";
    this.#send.disabled = empty;
    this.#send.hidden = this.#active && empty;
    this.#stop.hidden = !this.#active;
  }

  #suggestionsMenu() {
    const chips = byId("chips");
    const toggle = byId("chips-toggle");
    /** @param {boolean} open */
    const set = (open) => {
      chips.hidden = !open;
      toggle.setAttribute("aria-expanded", String(open));
    };
    toggle.addEventListener("click", () => set(chips.hidden !== false));
    chips.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      set(false);
      toggle.focus();
    });
    fillSuggestions(chips, (text) => {
      set(false);
      this.#draft.focus();
      this.#say(text);
    });
  }
}

/**
 * Fits the box to its text where the style sheet can't.
 * @param {HTMLTextAreaElement} box
 */
function fit(box) {
  if (CSS.supports("field-sizing", "content")) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/**
 * A name that nobody else makes.
 * @param {string} prefix
 * @returns {string}
 */
export function freshId(prefix) {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
