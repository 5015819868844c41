/**
 * The page's copy of the view, kept by the changes that the core tells (`Changes` in `types/view.d.ts`).
 *
 * A view is immutable: changes copy along the path to what changed, everything else keeps its identity (`===`). Text
 * grows by concatenation, which engines do without copying. `items` of a view is made and `input` of a tool call is
 * parsed when it is first read, and so are the items that a long read left out.
 *
 * @import { Change, Changes, Item, Part, ToolCallPart, ToolInput, View, WholeView, WireItem, WirePart, WireView } from "../types/view.js"
 */

/** Holds `view`, and makes the next one of changes. */
export class Mirror {
  /** What `view` is made of. */
  #lines = new Lines([], 0, [], () => this.#recall());

  /** Tells what was left out. */
  #older;

  /** @type {View} */
  #view = viewOf(this.#lines, null, { state: "idle" });

  /** The number of the last changes; NaN after changes that did not fit. */
  #number = 0;

  /** Where each key stands in `view.items`. @type {Map<string, number>} */
  #places = new Map();

  /** @param {() => Extract<Change, {op: "older"}> | undefined} [older] Tells what was left out of the changes so far, once. */
  constructor(older = () => undefined) {
    this.#older = older;
  }

  /** The view as of the last changes; the same object until the next. @returns {View} */
  get view() {
    return this.#view;
  }

  /**
   * Applies changes at once. The cost is that of what changed, whatever the history.
   *
   * @param {Changes} changes As parsed; nothing in them is altered.
   * @returns {boolean} False when they do not follow the view: some were missed. The view stays as it was, and takes no
   *   more changes until `replace` gives it the whole.
   */
  apply({ number, changes }) {
    if (number !== this.#number + 1) {
      this.#number = NaN;
      return false;
    }
    const draft = new Draft(this.#view, this.#lines, this.#places);
    if (!changes.every((change) => draft.take(change))) {
      this.#number = NaN;
      this.#places = new Map(this.#view.items.map((item, place) => [item.key, place]));
      return false;
    }
    this.#finish(draft, number);
    return true;
  }

  /**
   * Takes a whole view. What is equal to what is shown keeps its identity.
   *
   * @param {WholeView} whole As parsed; nothing in it is altered.
   */
  replace({ number, view }) {
    const draft = new Draft(this.#view, this.#lines, this.#places);
    draft.reset(view);
    this.#finish(draft, number);
  }

  /** Shows another status, as after the core is gone. @param {View["status"]} status */
  setStatus(status) {
    this.#view = viewOf(this.#lines, this.#view.run, status);
  }

  /** Somebody looks at what was left out. */
  #recall() {
    const older = this.#older();
    if (older) fill(this.#lines.settled, this.#places, older);
  }

  /** @param {Draft} draft @param {number} number */
  #finish(draft, number) {
    this.#lines = draft.lines();
    this.#view = viewOf(this.#lines, draft.run, draft.status);
    this.#number = number;
  }
}

/**
 * A view whose list is made when it is first read: only who looks at it pays for its length.
 *
 * @param {Lines} lines @param {View["run"]} run @param {View["status"]} status @returns {View}
 */
function viewOf(lines, run, status) {
  const view = {
    get items() {
      return lines.list();
    },
    run,
    status,
  };
  linesOf.set(view, lines);
  return view;
}

/** What the views are made of. @type {WeakMap<View, Lines>} */
const linesOf = new WeakMap();

/**
 * How many items a view has. The list is not made for it.
 *
 * @param {View} view
 */
export function countItems(view) {
  return linesOf.get(view)?.length ?? view.items.length;
}

/**
 * The items from `start` to before `end`, as `view.items.slice(start, end)`, at the cost of what is asked for: no list of
 * all is made, and what a long read left out is read only where it is asked for. The same array while the same is asked of
 * the same view.
 *
 * @param {View} view @param {number} [start] @param {number} [end] @returns {readonly Item[]}
 */
export function sliceItems(view, start = 0, end = Infinity) {
  const lines = linesOf.get(view);
  if (!lines) return view.items.slice(start, end);
  const place = (/** @type {number} */ at) => Math.min(Math.max(Math.trunc(at < 0 ? lines.length + at : at) || 0, 0), lines.length);
  return lines.slice(place(start), place(end));
}

/** Stands in a list for items that a long read left out, in the place of each of them. */
class Older {
  key = "";
  /** @type {Item["origin"]} */
  origin = "committed";
  /** The items, once they are read. @type {Item[]} */
  items = [];

  /** @param {number} from The place of the first. */
  constructor(from) {
    this.from = from;
  }
}

/** The lists in which an `Older` may stand. @type {WeakSet<(Item | Older)[]>} */
const partial = new WeakSet();

/** The beginning of a list. @template {Item | Older} T @param {T[]} list @param {number} end */
function copy(list, end) {
  const made = list.slice(0, end);
  if (partial.has(list)) partial.add(made);
  return made;
}

/**
 * Puts what was left out of a list in its place.
 *
 * @param {(Item | Older)[]} list @param {Map<string, number>} places @param {Extract<Change, {op: "older"}>} change
 */
function fill(list, places, { spans }) {
  for (const { from, items } of spans) {
    items.forEach((wired, at) => {
      const older = list[from + at];
      if (!(older instanceof Older)) return;
      const item = itemOf(wired);
      // Other lists have the same `Older`, and not the same place.
      older.items[from + at - older.from] = list[from + at] = item;
      places.set(item.key, from + at);
    });
  }
  partial.delete(list);
}

/** The items of one view: so many of a list that only ever grows and is shared with other views, then others. */
class Lines {
  /** @type {readonly Item[] | undefined} */
  #list;
  /** What was asked for last besides, and where it began. @type {{ start: number, items: readonly Item[] } | undefined} */
  #some;

  /** @param {(Item | Older)[]} settled @param {number} count @param {Item[]} tail @param {() => void} recall Reads what was left out. */
  constructor(settled, count, tail, recall) {
    this.settled = settled;
    this.count = count;
    this.tail = tail;
    this.recall = recall;
  }

  /** All of them; the same array each time. */
  list() {
    return (this.#list ??= this.#copy(0, this.length));
  }

  /** Those from one place to before another; the same array when it is asked for again. @param {number} start @param {number} end */
  slice(start, end) {
    if (this.#some?.start !== start || this.#some.items.length !== Math.max(end - start, 0)) this.#some = { start, items: this.#copy(start, end) };
    return this.#some.items;
  }

  /** @param {number} start @param {number} end @returns {readonly Item[]} */
  #copy(start, end) {
    const { settled, count, tail } = this;
    const all = start === 0 && end >= count && count === settled.length;
    /** @type {any} A long thread is copied once for a view. */
    let some = all ? settled : settled.slice(start, Math.min(end, count));
    if (partial.has(settled)) {
      if (some.some((/** @type {Item | Older} */ item) => item instanceof Older && item.items.length === 0)) this.recall();
      const read = (/** @type {Item | Older} */ item, /** @type {number} */ at) => (item instanceof Older ? item.items[start + at - item.from] : item);
      // What a module that broke took along is not there.
      some = some.map(read).filter(Boolean);
    }
    return some.concat(tail.slice(Math.max(start - count, 0), Math.max(end - count, 0)));
  }

  /** @param {number} place @returns {Item | Older | undefined} */
  at(place) {
    return place < this.count ? this.settled[place] : this.tail[place - this.count];
  }

  get length() {
    return this.count + this.tail.length;
  }
}

/** The next view under construction. What is in `#fresh` was made for it and may be altered. */
class Draft {
  run;
  status;
  #before;
  #places;
  #settled;
  #count;
  #tail;
  #fresh = new Set();

  /** @param {View} view @param {Lines} lines @param {Map<string, number>} places */
  constructor({ run, status }, lines, places) {
    this.run = run;
    this.status = status;
    this.#before = lines;
    this.#places = places;
    this.#settled = lines.settled;
    this.#count = lines.count;
    this.#tail = lines.tail;
  }

  /** The items; what they were before when nothing changed. */
  lines() {
    const { settled, count, tail } = this.#before;
    const same = this.#settled === settled && this.#count === count && this.#tail === tail;
    return same ? this.#before : new Lines(this.#settled, this.#count, this.#tail, this.#before.recall);
  }

  /** @param {Change} change @returns {boolean} False when there is nothing that it could change. */
  take(change) {
    switch (change.op) {
      case "reset":
        this.reset(change.view);
        return true;
      case "tail":
        return this.#restructure(change.from, change.items, change.older);
      case "older":
        fill(this.#settled, this.#places, change);
        return true;
      case "view":
        this.#setFields(change.set);
        return true;
    }
    const item = this.#item(change.key);
    if (!item) return false;
    switch (change.op) {
      case "append":
        return grow(item, change);
      case "part":
        if (!item.parts) return false;
        item.parts.push(partOf(change.part));
        return true;
      case "call": {
        const part = item.parts?.[change.part];
        if (part?.type !== "tool_call") return false;
        item.parts[change.part] = toolCall({ ...change, id: part.id, name: part.name, args: part.args, invalid: part.invalid }, values.get(part));
        return true;
      }
      case "item":
        Object.assign(item, change.set);
        return true;
      default:
        return false;
    }
  }

  /** @param {WireView} view */
  reset({ items, older, run, status }) {
    this.#restructure(0, items, older);
    this.#setFields({ run, status });
  }

  /** @param {Partial<Pick<View, "run" | "status">>} set */
  #setFields({ run = this.run, status = this.status }) {
    if (!equal(this.run, run)) this.run = run;
    if (!equal(this.status, status)) this.status = status;
  }

  /** @param {number} from @param {readonly (WireItem | string)[]} entries @param {number} [older] How many were left out before them. @returns {boolean} */
  #restructure(from, entries, older = 0) {
    const before = new Lines(this.#settled, this.#count, this.#tail, this.#before.recall);
    if (from > before.length) return false;
    const kept = (/** @type {string} */ key) => {
      const place = this.#places.get(key);
      return place === undefined || place < from ? undefined : before.at(place);
    };
    /** @type {any[]} */
    const after = Array(older).fill(new Older(from));
    for (const entry of entries) after.push(typeof entry === "string" ? kept(entry) : reuseItem(kept(entry.key), itemOf(entry)));
    if (!after.every((item) => item !== undefined)) return false;
    if (before.length === from + after.length && after.every((item, at) => item === before.at(from + at))) return true;
    for (let place = from; place < before.length; place++) this.#places.delete(/** @type {Item} */ (before.at(place)).key);
    for (let at = older; at < after.length; at++) this.#places.set(after[at].key, from + at);
    // What is open, and what stands behind it, is in the tail, so that the shared list is not copied for what streams.
    const all = this.#tail.slice(0, Math.max(0, from - this.#count)).concat(after);
    const open = all.findIndex((item) => item.origin !== "committed");
    const committed = open < 0 ? all : all.slice(0, open);
    const stays = Math.min(from, this.#count);
    if (stays === 0) this.#settled = committed;
    else {
      // The shared list is copied only where it becomes shorter, or another view has grown it and this one does too.
      if (stays < this.#count || (committed.length > 0 && this.#settled.length !== stays)) this.#settled = copy(this.#settled, stays);
      for (const item of committed) this.#settled.push(item);
    }
    if (older > 0) partial.add(this.#settled);
    this.#count = stays + committed.length;
    this.#tail = all.slice(committed.length);
    this.#fresh.add(this.#tail);
    return true;
  }

  /** The item with this key, as a copy that may be altered. @param {string} key @returns {any} */
  #item(key) {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const settled = place < this.#count;
    let list = settled ? this.#settled : this.#tail;
    if (!this.#fresh.has(list)) {
      list = settled ? copy(this.#settled, this.#count) : list.slice();
      this.#fresh.add(list);
      if (settled) this.#settled = list;
      else this.#tail = list;
    }
    const at = settled ? place : place - this.#count;
    /** @type {any} */
    let item = list[at];
    if (!this.#fresh.has(item)) {
      item = { ...item };
      if (item.parts) item.parts = item.parts.slice();
      this.#fresh.add(item);
      list[at] = item;
    }
    return item;
  }
}

/** @param {any} item A copy that may be altered. @param {Extract<Change, {op: "append"}>} change */
function grow(item, change) {
  const part = item.parts?.[change.part];
  if (!part) return false;
  if (part.type === "tool_call") {
    const args = part.args + change.text;
    const { id, state, output } = part;
    const name = change.name ?? part.name;
    item.parts[change.part] = toolCall({ id, name, args, state, output }, new Value(args, change.keep, change.close));
  } else {
    item.parts[change.part] = { ...part, text: part.text + change.text };
  }
  return true;
}

// ------------------------------------------------------------------------------------------- what travels otherwise

/** The value that arguments denote, parsed once and not before it is asked for. */
class Value {
  #args;
  #keep;
  #close;
  #parsed = false;
  /** @type {unknown} */
  #value;

  /** @param {string} args @param {number} [keep] @param {string} [close] */
  constructor(args, keep, close) {
    this.#args = args;
    this.#keep = keep;
    this.#close = close ?? "";
  }

  get() {
    if (!this.#parsed) {
      this.#parsed = true;
      if (this.#keep === undefined) this.#value = parse(this.#args);
      else if (this.#keep > 0) this.#value = parse(this.#args.slice(0, this.#keep) + this.#close);
    }
    return this.#value;
  }
}

/** The values of the objects that have a lazy `input`. @type {WeakMap<object, Value>} */
const values = new WeakMap();

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * `input` is an own enumerable property, so that JSON.stringify, spread and comparison see it.
 *
 * @param {{id: string, name: string, args: string, state: ToolCallPart["state"], output: readonly Part[] | null, keep?: number, close?: string}} fields
 * @param {Value} [value]
 * @returns {ToolCallPart}
 */
function toolCall({ id, name, args, state, output, invalid, keep, close }, value = new Value(args, keep, close)) {
  /** @type {ToolCallPart} */
  const part = {
    type: "tool_call",
    id,
    name,
    args,
    get input() {
      return value.get();
    },
    state,
    output,
    ...(invalid ? { invalid } : {}),
  };
  values.set(part, value);
  return part;
}

/** @param {{name: string, args: string}} fields @returns {ToolInput} */
function toolInput({ name, args }) {
  const value = new Value(args);
  const tool = {
    name,
    args,
    get input() {
      return value.get();
    },
  };
  values.set(tool, value);
  return tool;
}

/** @param {WirePart} part @returns {Part} */
function partOf(part) {
  return part.type === "tool_call" ? toolCall(part) : part;
}

/** @param {WireItem} item @returns {Item} */
function itemOf(item) {
  // Only what has lazy values is made anew: a first read brings thousands of items.
  if ("parts" in item) return /** @type {any} */ (item.parts.some(({ type }) => type === "tool_call") ? { ...item, parts: item.parts.map(partOf) } : item);
  if (item.kind === "awaiting" && item.tool) return { ...item, tool: toolInput(item.tool) };
  return /** @type {any} */ (item);
}

// ------------------------------------------------------------------------------------------------ keeping identity

/**
 * The new item, made of as much of the old one as is equal.
 *
 * @param {any} before @param {any} after
 */
function reuseItem(before, after) {
  if (before === undefined) return after;
  if (before.parts && after.parts) {
    const parts = after.parts.map((/** @type {any} */ part, /** @type {number} */ number) => reusePart(before.parts[number], part));
    const same = parts.length === before.parts.length && parts.every((/** @type {any} */ part, /** @type {number} */ number) => part === before.parts[number]);
    after = { ...after, parts: same ? before.parts : parts };
  }
  return equal(before, after) ? before : after;
}

/** @param {any} before @param {any} after */
function reusePart(before, after) {
  if (before === undefined) return after;
  if (equal(before, after)) return before;
  const denotesTheSame = before.type === "tool_call" && after.type === "tool_call" && before.args === after.args;
  return denotesTheSame ? toolCall(after, values.get(before)) : after;
}

/** @param {any} a @param {any} b @returns {boolean} */
function equal(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(b);
  if (keys.length !== Object.keys(a).length) return false;
  // A lazy input is what the arguments say, and they are compared.
  const lazy = values.has(a) && values.has(b);
  return keys.every((key) => Object.hasOwn(a, key) && ((lazy && key === "input") || equal(a[key], b[key])));
}
