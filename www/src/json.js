// @ts-check
// JSON laid out for reading while it is still being written, without changing a character of it: line breaks, indents
// and gaps are empty elements that only the style sheet fills, and white space of the sender's is kept but not shown.
// So the element's textContent is the raw text, large integers keep their digits, and nothing moves on commit.

const MAX_ELEMENTS = 4000;

/**
 * @typedef {object} Layout
 * @property {string} raw What was laid out so far.
 * @property {number} depth How many brackets are open.
 * @property {boolean} string Inside a string.
 * @property {boolean} escaped After a backslash.
 * @property {boolean} fresh Right after an opening bracket: a closing one then needs no line of its own.
 * @property {number} elements How many elements were made.
 */

/** @type {WeakMap<Element, Layout>} */
const layouts = new WeakMap();

/**
 * Shows `raw` in the element; if the old text is its beginning, only the rest is looked at. What is no JSON object or
 * list is shown as it is.
 * @param {Element} element
 * @param {string} raw
 */
export function showJson(element, raw) {
  if (!/^\s*[{[]/.test(raw)) {
    layouts.delete(element);
    if (element.textContent !== raw) element.textContent = raw;
    return;
  }
  let layout = layouts.get(element);
  if (layout?.raw === raw) return;
  if (!layout || !raw.startsWith(layout.raw)) {
    element.replaceChildren();
    layout = { raw: "", depth: 0, string: false, escaped: false, fresh: false, elements: 0 };
    layouts.set(element, layout);
  }
  append(element, layout, raw.slice(layout.raw.length));
  layout.raw = raw;
}

/**
 * @param {Element} element
 * @param {Layout} layout
 * @param {string} more
 */
function append(element, layout, more) {
  const out = document.createDocumentFragment();
  let plain = "";
  const flush = () => {
    if (plain) out.append(plain);
    plain = "";
  };
  /** @param {string} name @param {string} [text] */
  const mark = (name, text) => {
    if (layout.elements >= MAX_ELEMENTS) {
      plain += text ?? "";
      return;
    }
    layout.elements += 1;
    flush();
    const span = document.createElement("span");
    span.className = name;
    if (text) span.textContent = text;
    if (name === "brk" && layout.depth > 0) span.style.setProperty("--pad", `"${"  ".repeat(Math.min(layout.depth, 24))}"`);
    out.append(span);
  };
  for (const char of more) {
    if (layout.string) {
      plain += char;
      if (layout.escaped) layout.escaped = false;
      else if (char === "\\") layout.escaped = true;
      else if (char === '"') layout.string = false;
      continue;
    }
    if (/\s/.test(char)) {
      mark("blank", char);
      continue;
    }
    const closing = char === "}" || char === "]";
    if (closing) layout.depth = Math.max(0, layout.depth - 1);
    if (layout.fresh !== closing) mark("brk");
    layout.fresh = false;
    plain += char;
    if (char === '"') layout.string = true;
    else if (char === "{" || char === "[") {
      layout.depth += 1;
      layout.fresh = true;
    } else if (char === ",") mark("brk");
    else if (char === ":") mark("gap");
  }
  flush();
  element.append(out);
}
