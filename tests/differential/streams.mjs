// Streams of events: the fixtures', and random ones of the pieces that matter to a decoder.

import { readFileSync } from "node:fs";
import { Dice } from "./decode.mjs";

const PIECES = [
  "data", "data:", "data: ", "data:x\n", "data: two words\r\n", "data: {\"a\":1}\r", "event: y\n", "event:", "event:\n", "event",
  "id", "id: ", "id:7\n", "id:\r", "retry: ", "retry:12\n", "retry:1x\n", ":", ": note\n", "field: 1\n", "Data: no\n", " data:no\n",
  " ", "\t", "\n", "\r", "\r\n", "\n\n", "\r\r\n", "\n\r", "\n\n", "\r\n\r\n", "a", "7", "\0", "é", "😀", "\u2028", "\u0085",
].map((piece) => Buffer.from(piece));
// A byte order mark whole, and sequences of UTF-8 that are cut, too long, of surrogates or of nothing at all.
const BYTES = ["efbbbf", "efbb", "f09f", "e2", "c0af", "eda080", "ff", "80"].map((hex) => Buffer.from(hex, "hex"));

/** @returns {{ name: string, bytes: Buffer }[]} */
export function fixtures() {
  const { cases } = JSON.parse(readFileSync(new URL("../fixtures/sse.json", import.meta.url), "utf8"));
  return cases.map((/** @type {any} */ one) => ({
    ...one,
    bytes: one.hex === undefined ? Buffer.from(one.stream) : Buffer.from(one.hex, "hex"),
  }));
}

/** @param {number} count @returns {{ name: string, bytes: Buffer }[]} */
export function random(count) {
  const dice = new Dice();
  return Array.from({ length: count }, (_, number) => {
    const pieces = Array.from({ length: 1 + dice.below(24) }, () => (dice.below(12) === 0 ? dice.of(BYTES) : dice.of(PIECES)));
    // Most streams end an event at least once.
    if (dice.below(4) > 0) pieces.push(Buffer.from(dice.of(["\n\n", "\r\r", "\r\n\r\n"])));
    return { name: `random ${number}`, bytes: Buffer.concat(pieces) };
  });
}

/** All ways to cut a stream in two, the whole stream, and single bytes. @param {Buffer} bytes */
export function* cuts(bytes) {
  yield [bytes];
  yield [...bytes].map((byte) => Buffer.of(byte));
  for (let at = 1; at < bytes.length; at += 1) yield [bytes.subarray(0, at), bytes.subarray(at)];
}
