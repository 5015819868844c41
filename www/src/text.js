// @ts-check
// Text that grows: the text node stays, and only what is new is added to it.

/** @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/**
 * Makes the element's text exactly `text`. Where the old text is its beginning, the rest is appended.
 * @param {Element} element
 * @param {string} text
 */
export function growText(element, text) {
  const before = shown.get(element) ?? "";
  if (text === before) return;
  const node = element.firstChild;
  if (node instanceof Text && text.startsWith(before)) node.appendData(text.slice(before.length));
  else element.replaceChildren(text);
  shown.set(element, text);
}
