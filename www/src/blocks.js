// @ts-check
// Parts that are neither text of the assistant nor tool calls: pictures if they are safe to show, a short word for the
// rest; and the text of a list of parts.

import { make } from "./dom.js";

/** @typedef {import("../../pkg/index.js").Part} Part */

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * The text of a list of parts, for those places that show text only.
 * @param {readonly Part[]} parts
 * @returns {string}
 */
export function textOf(parts) {
  return parts.map((part) => (part.type === "text" ? part.text : `[${nameOf(part)}]`)).join("\n");
}

/**
 * An element for a part that never changes.
 * @param {Part} part
 * @returns {HTMLElement}
 */
export function settledPart(part) {
  if (part.type === "text") return make("div", { "data-part": "text", dir: "auto" }, part.text);
  const picture = part.type === "image" ? pictureSource(part.source) : undefined;
  if (picture) return make("img", { "data-part": part.type, src: picture, alt: "A picture in the message" });
  return make("p", { "data-part": part.type, class: "note" }, nameOf(part));
}

/**
 * @param {Part} part
 * @returns {string}
 */
function nameOf(part) {
  switch (part.type) {
    case "image": return "Picture";
    case "document": return part.title === null ? "Document" : `Document: ${part.title}`;
    case "search_result": return `Search result: ${part.title}`;
    case "redacted": return "Redacted by the provider";
    case "unknown": return "Something that this page does not know";
    default: return part.type;
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
