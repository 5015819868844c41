// @ts-check
// The list of items: one element for each, by its key, from the first fragment to the commit and beyond. Only items
// that are other objects than before are looked at again; the client keeps what did not change identical.

import { assistantElement, updateAssistant } from "./assistant.js";
import { blockElement, textOf } from "./blocks.js";
import { boundaryElement, updateBoundary } from "./boundary.js";
import { attribute, make } from "./dom.js";

/** @typedef {import("../../pkg/index.js").Item} Item */
/** @typedef {import("../../pkg/index.js").TurnItem} TurnItem */
/** @typedef {import("../../pkg/index.js").CallPart} CallPart */
/** @typedef {import("../../pkg/index.js").ThreadClient} ThreadClient */

export class ItemList {
  /** @type {Map<string, { item: Item, element: HTMLElement }>} */
  #shown = new Map();
  /** @type {readonly Item[]} */
  #items = [];
  #list;
  #thread;

  /**
   * @param {HTMLElement} list
   * @param {ThreadClient} thread
   */
  constructor(list, thread) {
    this.#list = list;
    this.#thread = thread;
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
    const keys = items.length < before.length || items.some((item, at) => before[at]?.key !== item.key);
    items.forEach((item, at) => {
      if (before[at] !== item) this.#show(item);
    });
    if (keys) this.#arrange();
    return true;
  }

  /**
   * The call that an awaiting item waits for: the nearest one above it with its id.
   * @param {string} key The awaiting item's.
   * @param {string | null} id
   * @returns {CallPart | undefined}
   */
  #call(key, id) {
    let above = this.#items.findIndex((item) => item.key === key);
    while (id !== null && --above >= 0) {
      const item = this.#items[above];
      if (item?.kind !== "assistant") continue;
      const call = item.parts.find((part) => part.kind === "call" && part.id === id);
      if (call?.kind === "call") return call;
    }
    return undefined;
  }

  /** @param {Item} item */
  #show(item) {
    const known = this.#shown.get(item.key);
    if (known?.item === item) return;
    const element = known?.item.kind === item.kind ? known.element : this.#create(item);
    if (known && known.element !== element) known.element.replaceWith(element);
    this.#shown.set(item.key, { item, element });
    attribute(element, "data-origin", "origin" in item ? item.origin : "committed");
    attribute(element, "data-run-id", item.run_id ?? undefined);
    attribute(element, "data-message-id", "message_id" in item ? item.message_id : undefined);
    // The seq is shown where the view tells it.
    attribute(element, "data-seq", "seq" in item ? String(item.seq) : undefined);
    switch (item.kind) {
      case "user":
      case "injected":
        updateTurn(element, item);
        break;
      case "assistant":
        updateAssistant(element, item);
        break;
      default: {
        const call = item.kind === "awaiting" ? this.#call(item.key, item.call_id) : undefined;
        updateBoundary(element, item, call, this.#thread);
      }
    }
  }

  /** @param {Item} item */
  #create(item) {
    const element = make("li", { class: "item", "data-key": item.key, "data-kind": item.kind });
    if (item.kind === "assistant") assistantElement(element);
    else if (item.kind !== "user" && item.kind !== "injected") boundaryElement(element);
    return element;
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

/**
 * @param {HTMLElement} element
 * @param {TurnItem} item
 */
function updateTurn(element, item) {
  if (item.kind === "user") {
    element.replaceChildren(make("span", { class: "sr" }, "You: "), ...item.content.map(blockElement));
    return;
  }
  const text = make("span", { "data-part": "text", dir: "auto" }, textOf(item.content));
  element.replaceChildren(make("div", { class: "note" }, make("span", { class: "label" }, "Put in by the host"), text));
}
