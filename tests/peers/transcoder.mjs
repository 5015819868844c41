// The transcoders, in a program of their own.

import { spawnSync } from "node:child_process";

/** The chunks of each input, for each of these input lists. */
export function transcode({ protocol, options }, lists) {
  const program = process.env.THREADFOLD_TRANSCODE;
  if (!program) throw new Error("THREADFOLD_TRANSCODE names the program of examples/transcode.rs");
  const input = lists.map((inputs) => `${JSON.stringify({ protocol, options, inputs })}\n`).join("");
  const run = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (run.status !== 0) throw new Error(`the transcoder failed: ${run.error ?? run.stderr}`);
  return run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** The inputs with what is written for each, a line each. */
export function shown(client, inputs) {
  const chunks = transcode(client, [inputs])[0];
  return inputs.map((input, at) => `${JSON.stringify(input)}\n${chunks[at].map((c) => `    ${JSON.stringify(c)}\n`).join("")}`).join("");
}

/** The shortest list of inputs that `judge` still throws for, and its error: without live fragments that don't matter. */
export async function shortest(judge, inputs, first) {
  const fails = async (inputs) => {
    try {
      await judge(inputs);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  let error = first;
  const isLive = (input) => ["delta", "reset"].includes(input.type);
  for (let size = inputs.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < inputs.length; ) {
      const shorter = inputs.filter((input, at) => at < from || at >= from + size || !isLive(input));
      const now = shorter.length < inputs.length ? await fails(shorter) : undefined;
      if (now) [inputs, error] = [shorter, now];
      else from += size;
    }
  }
  return { inputs, error };
}
