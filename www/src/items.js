// @ts-check
// The list of items: one element for each, by its key, from the first fragment to the commit and beyond. Only items
// that are other objects than before are looked at again; the client keeps what did not change identical.

import { assistantElement, updateAssistant } from "./assistant.js";
import { updateAttempt } from "./attempt.js";
import { boundaryElement, updateBoundary } from "./boundary.js";
import { attribute, make } from "./dom.js";
import { updateNote, updateUser } from "./turn.js";

/** @typedef {import("../../pkg/index.js").Item} Item */
/** @typedef {import("../../pkg/index.js").UserItem} UserItem */
/** @typedef {import("../../pkg/index.js").AwaitingItem} AwaitingItem */
/** @typedef {import("../../pkg/index.js").Answer} Answer */

/**
 * What items let the person do.
 * @typedef {object} Actions
 * @property {(item: AwaitingItem, answer: Answer) => Promise<unknown>} answer
 * @property {(item: UserItem) => void} sendAgain
 */

export class ItemList {
  /** @type {Map<string, { item: Item, element: HTMLElement }>} */
  #shown = new Map();
  /** @type {readonly Item[]} */
  #items = [];
  #list;
  #actions;

  /**
   * @param {HTMLElement} list
   * @param {Actions} actions
   */
  constructor(list, actions) {
    this.#list = list;
    this.#actions = actions;
  }

  /**
   * Shows these items.
   * @param {readonly Item[]} items
   * @returns {boolean} True when something changed.
   */
  render(items) {
    if (items === this.#items) return false;
    const before = this.#items;
    this.#items = items;
    const moved = items.length < before.length || items.some((item, at) => before[at]?.key !== item.key);
    items.forEach((item, at) => {
      if (before[at] !== item) this.#show(item);
    });
    if (moved) this.#arrange();
    return true;
  }

  /** @param {Item} item */
  #show(item) {
    const known = this.#shown.get(item.key);
    if (known?.item === item) return;
    // An answer that fails becomes an attempt, where it stands.
    const stays = known && (known.item.kind === item.kind || item.kind === "attempt");
    const element = stays ? known.element : create(item);
    if (known && known.element !== element) known.element.replaceWith(element);
    this.#shown.set(item.key, { item, element });
    attribute(element, "data-kind", item.kind);
    attribute(element, "data-origin", item.origin);
    attribute(element, "data-seq", item.seq === null ? undefined : String(item.seq));
    attribute(element, "data-run-id", item.run_id ?? undefined);
    attribute(element, "data-message-id", ("message_id" in item && item.message_id) || undefined);
    switch (item.kind) {
      case "user":
        updateUser(element, item, this.#actions.sendAgain);
        break;
      case "assistant":
        updateAssistant(element, item);
        break;
      case "attempt":
        updateAttempt(element, item);
        break;
      case "injected":
      case "retry":
      case "system":
      case "orphan_result":
        updateNote(element, item);
        break;
      case "awaiting":
      case "finished":
      case "failed":
        updateBoundary(element, item, this.#actions.answer);
        break;
    }
  }

  /** Puts the elements in the order of the items, moving as few as possible, and takes out what is gone. */
  #arrange() {
    const keys = new Set(this.#items.map((item) => item.key));
    for (const [key, { element }] of this.#shown) {
      if (keys.has(key)) continue;
      element.remove();
      this.#shown.delete(key);
    }
    let next = this.#list.firstElementChild;
    for (const { key } of this.#items) {
      const element = this.#shown.get(key)?.element;
      if (!element) continue;
      if (element === next) next = next.nextElementSibling;
      else this.#list.insertBefore(element, next);
    }
  }
}

/** @param {Item} item */
function create(item) {
  const element = make("li", { class: "item", "data-key": item.key, "data-kind": item.kind });
  if (item.kind === "assistant") assistantElement(element);
  else if (item.kind === "awaiting" || item.kind === "finished" || item.kind === "failed") boundaryElement(element);
  return element;
}
