// Partial JSON beside `JSON.parse` where a document is complete, and beside the npm package `partial-json` at each beginning
// of one.
//
// What the two say differently by design. `beginning` gives the package the text without what differs, and then both must
// say the same; each difference has to be met, so that the list stays true.
// - A word: `tr` is nothing yet here, and `true` for the package unless it is told otherwise (`Allow`).
// - A number: `1.` and `1e-` are 1 here; the package has nothing, or what precedes the last `e` of the whole text.
// - A half of a surrogate pair at the end of a string is not shown until something follows it.
// - White space at the end of a string that is open: the package trims its text first.
// - White space after `[`: the package takes what follows for an item, and an empty array ends its reading.
// - Text that is not JSON: the package takes `NaN`, `Infinity`, missing commas and colons; here it is broken, and what was
//   there before stays.
// - A key `__proto__` is a key here, as for `JSON.parse`; the package sets the prototype of what it returns.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Allow, parse } from "partial-json";
import { decode, Dice } from "./decode.mjs";

const OPTIONS = Allow.ALL & ~(Allow.BOOL | Allow.NULL | Allow.INFINITY | Allow._INFINITY | Allow.NAN);

/** Which differences were met. @type {Map<string, number>} */
const met = new Map();

/** @param {string} what */
const meet = (what) => met.set(what, (met.get(what) ?? 0) + 1);

/** Without what the two treat differently: mostly at its end. @param {string} whole */
function beginning(whole) {
  const text = whole.replace(/"(?:[^"\\]|\\.)*"?|\[\s+/g, (token) => (token[0] === "[" ? "[" : token));
  if (text !== whole) meet("array");
  if (!inString(text)) {
    const number = /(?<=^|[[:,\s])-?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d*)?)?$/.exec(text)?.[0] ?? "";
    const kept = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(number)?.[0] ?? "";
    if (kept === number) return text;
    meet("number");
    return text.slice(0, text.length - number.length + kept.length);
  }
  // An escape that is not whole goes first: a half before it waits for it.
  const escape = /(?<=(?:^|[^\\])(?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text)?.[0] ?? "";
  let rest = text.slice(0, text.length - escape.length);
  const halves = /(?<=(?:^|[^\\])(?:\\\\)*)(?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+$/.exec(rest)?.[0] ?? "";
  // Pairs among them are whole.
  const alone = halves.replace(/(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})+/g, "\0").split("\0").at(-1) ?? "";
  if (alone !== "") {
    meet("half");
    rest = rest.slice(0, rest.length - alone.length);
  }
  if (alone === "" && escape !== "") return text;
  if (rest !== rest.trimEnd()) meet("space");
  // Closed, for white space at the end would be trimmed.
  return `${rest}"`;
}

/** Whether the text ends inside a string. @param {string} text */
function inString(text) {
  let open = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') open = !open;
    else if (open && text[at] === "\\") at += 1;
  }
  return open;
}

/** What the package shows, or nothing. @param {string} text */
function theirs(text, options = OPTIONS) {
  try {
    return parse(text, options);
  } catch {
    return undefined;
  }
}

const NUMBERS = ["0", "-0", "7", "-12", "1.5", "0.25e2", "1E+2", "-3e-2", "1e400", "9007199254740993", "12345678901234567890", "0.1", "5e-324"];
const TEXTS = ["", "a", "true", "e", "1e5", "你好", "😀", "\\ud83d\\ude00", "\\u0041", "\\n\\/\\\\", "\\\"", "\\\\\\\\", "\\ud83d", "\\ude00b", "é\u2028", "\u007f", "{[,]}", "\\ud83dx"];
const KEYS = ["k", "type", "你", "\\u006b", "", "a\\\"b", "constructor", "0"];

/** @param {Dice} dice @param {number} depth @returns {string} */
function document(dice, depth) {
  const space = () => dice.of(["", "", "", " ", "\n", "\t ", "\r\n"]);
  const kind = dice.below(depth > 0 ? 9 : 4);
  if (kind === 0) return dice.of(["null", "true", "false"]);
  if (kind === 1) return dice.of(NUMBERS);
  if (kind < 4) return `"${dice.of(TEXTS)}${dice.of(TEXTS)}"`;
  const members = Array.from({ length: dice.below(4) }, () => `${space()}${document(dice, depth - 1)}${space()}`);
  if (kind < 6) return `[${members.join(",") || space()}]`;
  return `{${members.map((value) => `${space()}"${dice.of(KEYS)}${dice.of(TEXTS)}"${space()}:${value}`).join(",") || space()}}`;
}

function documents(count = 2000) {
  const dice = new Dice();
  return Array.from({ length: count }, () => document(dice, 4));
}

test("a complete document is what JSON.parse says, digit for digit, and each of its beginnings is JSON", (t) => {
  const texts = documents();
  let beginnings = 0;
  for (const [at, shown] of decode(texts.map((partial) => ({ partial }))).entries()) {
    const text = texts[at];
    assert.equal(shown.at(-1), text.trimEnd(), "the text itself is shown");
    assert.deepEqual(JSON.parse(shown.at(-1)), JSON.parse(text));
    for (const one of shown) {
      if (one !== null) JSON.parse(one);
      beginnings += 1;
    }
  }
  t.diagnostic(`${texts.length} documents, ${beginnings} beginnings`);
});

test("each beginning of a document is what partial-json says of it, but for the differences that are documented", (t) => {
  const texts = documents();
  let compared = 0;
  for (const [at, shown] of decode(texts.map((partial) => ({ partial }))).entries()) {
    const characters = [...texts[at]];
    for (let length = 1; length <= characters.length; length += 1) {
      const text = characters.slice(0, length).join("");
      const ours = shown[length - 1];
      assert.deepEqual(ours === null ? undefined : JSON.parse(ours), theirs(beginning(text)), text);
      compared += 1;
      if (JSON.stringify(theirs(text, Allow.ALL)) !== JSON.stringify(theirs(text))) meet("word");
    }
  }
  t.diagnostic(`${texts.length} documents, ${compared} beginnings; ${[...met].map(([what, count]) => `${what} ${count}`).join(", ")}`);
  for (const what of ["word", "number", "half", "space", "array"]) assert.ok((met.get(what) ?? 0) > 100, `${what} was met ${met.get(what) ?? 0} times`);
});

test("what is not JSON is broken here, and guessed at by partial-json", () => {
  for (const [text, ours, guess] of /** @type {const} */ ([
    ["[1,NaN]", [1], [1, NaN]],
    ["[Infinity", [], [Infinity]],
    ['{"a":"x" "b":2}', { a: "x" }, { a: "x", b: 2 }],
    ['{"a";1}', {}, { a: 1 }],
    ["[1 2]", [1], []],
    ["[1,]", [1], [1]],
  ])) {
    const shown = decode([{ partial: text }])[0].at(-1);
    assert.deepEqual(JSON.parse(shown), ours, text);
    assert.deepEqual(theirs(text, Allow.ALL), guess, text);
  }
});

test("a key `__proto__` is a key, at every beginning", () => {
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  for (const shown of decode([{ partial: text }])[0]) {
    const value = JSON.parse(shown);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(value.polluted, undefined);
  }
  assert.equal(theirs(text).polluted, true, "the package no longer differs: the note above can go");
  assert.equal(/** @type {any} */ ({}).polluted, undefined);
});
