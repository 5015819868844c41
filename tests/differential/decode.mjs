// The crate's decoders, in a program of their own, and dice that fall the same in every run.

import { spawnSync } from "node:child_process";

/** The answers of examples/decode.rs to requests. @param {object[]} requests @returns {any[]} */
export function decode(requests) {
  const program = process.env.THREADFOLD_DECODE;
  if (!program) throw new Error("THREADFOLD_DECODE names the program of examples/decode.rs");
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join("");
  const run = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (run.status !== 0) throw new Error(`the decoder failed: ${run.error ?? run.stderr}`);
  return run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** Throws the same in every run; `DIFFERENTIAL_SEED` gives others. */
export class Dice {
  #state;

  constructor(seed = Number(process.env.DIFFERENTIAL_SEED ?? 20261201)) {
    this.#state = seed >>> 0 || 1;
  }

  /** 0 to `bound` - 1. @param {number} bound */
  below(bound) {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % bound;
  }

  /** @template T @param {readonly T[]} choices @returns {T} */
  of(choices) {
    return choices[this.below(choices.length)];
  }
}
