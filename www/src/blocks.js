// @ts-check
// The blocks of a message: text as it is, pictures if they are safe to show, and a short word for everything else.

import { make } from "./dom.js";

/** @typedef {import("../../pkg/index.js").Block} Block */

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * The text of a list of blocks, for those places that show text only.
 * @param {readonly Block[]} blocks
 * @returns {string}
 */
export function textOf(blocks) {
  return blocks.map((block) => (block.type === "text" ? String(block.text) : `[${nameOf(block)}]`)).join("\n");
}

/**
 * An element for one block.
 * @param {Block} block
 * @returns {HTMLElement}
 */
export function blockElement(block) {
  if (block.type === "text") return make("div", { "data-part": "text", dir: "auto" }, String(block.text));
  const picture = block.type === "image" ? pictureSource(block.source) : undefined;
  if (picture) return make("img", { "data-part": "block", "data-type": block.type, src: picture, alt: "A picture in the message" });
  return make("p", { "data-part": "block", "data-type": block.type, class: "note" }, nameOf(block));
}

/**
 * @param {Block} block
 * @returns {string}
 */
function nameOf(block) {
  const title = "title" in block && typeof block.title === "string" ? `: ${block.title}` : "";
  switch (block.type) {
    case "image": return "Picture";
    case "document": return `Document${title}`;
    case "search_result": return `Search result${title}`;
    case "redacted": return "Redacted by the provider";
    default: return `Block of the type “${block.type}”`;
  }
}

/**
 * Only pictures that come with the message are shown; an address elsewhere would tell that host who reads.
 * @param {unknown} source
 * @returns {string | undefined}
 */
function pictureSource(source) {
  if (typeof source !== "object" || source === null) return undefined;
  const { type, media_type: media, data } = /** @type {Record<string, unknown>} */ (source);
  const plain = typeof data === "string" && /^[A-Za-z0-9+/=\s]+$/.test(data);
  return type === "base64" && PICTURES.has(String(media)) && plain ? `data:${media};base64,${data}` : undefined;
}
