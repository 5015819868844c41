// What a client sees of the reference host: every scripted path and every recording of a real model, as they stream and
// are committed, clean and over a bad connection. Writes a JSON list of {path, seed, inputs, facts}.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { ThreadClient, threadfold } from "../../pkg/node.js";
import { Host, ROOT } from "../../www/tests/support/host.mjs";

/** What `/help` lists, with a long answer that is not quite so long. */
export const SCRIPTS = [
  "/plain", "/reason", "/tools", "/approve", "/client-tool", "/pause", "/two-pauses", "/length", "/fail-before", "/fail-mid",
  "/fail", "/steer", "/stop", "/max-steps", "/long 300 40", "/unicode", "/slow", "/empty", "/help",
];

const FAULTS = "drop:0.1,duplicate:0.1,reorder:0.1,cut:900*2";

const ALL = path.join(ROOT, "../shared/recordings/openai-chat");
const FEW = path.join(ROOT, "tests/fixtures/openai-chat");

export const recordings = () => {
  const folder = existsSync(ALL) ? ALL : FEW;
  return readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort().map((name) => path.join(folder, name));
};

/** What a waiting run is answered, by why it waits. */
export const answerTo = (reason) =>
  ({ tool_permission: { approve: true }, client_execution: { content: "from the page" }, user_input: { content: "from a person" } })[reason] ?? {};

/** Says these things one after the other, and notes all that is told of the thread. */
async function record(host, threadId, says, fault) {
  const source = threadfold({ base: `${host.origin}/v1`, threadId, transport: "fetch", ...(fault && { query: { fault, seed: "7" } }) });
  const client = new ThreadClient({ source });
  const inputs = [];
  const note = (type) => (event) => void inputs.push({ type, ...event });
  // The first message makes the thread.
  await client.send(says[0]);
  const reading = (async () => {
    const handlers = Object.fromEntries(["fact", "amend", "delta", "reset", "said"].map((type) => [type, note(type)]));
    for await (const _ of client.transcode(handlers));
  })();
  await client.connect();
  for (const [number, say] of says.entries()) {
    if (number > 0) await client.send(say);
    const ended = () => inputs.filter((input) => ["run_finished", "run_failed"].includes(input.fact?.type)).length > number;
    let answered = 0;
    for (let turns = 0; !ended(); turns += 1) {
      assert.ok(turns < 6000, `${say} does not end`);
      const waits = inputs.filter((input) => input.fact?.type === "awaiting");
      if (waits.length > answered) {
        answered += 1;
        const { pending_tool_use_id, reason } = waits.at(-1).fact;
        await client.resume(pending_tool_use_id, answerTo(reason)).catch(() => (answered -= 1));
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  client.close();
  await reading;
  // A log that was replaced is told anew.
  const last = inputs.findLastIndex((input) => input.type === "reset" && input.run_id === undefined);
  const facts = new Map();
  for (const input of inputs.slice(last + 1)) {
    const at = input.position && `${input.position.seq}/${input.position.index}`;
    if (input.type === "fact") facts.set(at, { ...input });
    if (input.type === "amend") facts.get(at).fact = input.fact;
  }
  return { inputs: inputs.slice(last + 1), facts: [...facts.values()] };
}

/** All paths. */
export async function paths() {
  const all = [];
  const scripted = await Host.start({ deltaMs: 1 });
  for (const fault of [undefined, FAULTS]) {
    for (const [number, say] of SCRIPTS.entries()) {
      const made = await record(scripted, `s${number}${fault ? "-faults" : ""}`, [say], fault);
      all.push({ path: fault ? "scripted, faults" : "scripted", seed: say, ...made });
    }
  }
  await scripted.stop();
  const files = recordings().map((file) => path.basename(file));
  const replayed = await Host.start({ deltaMs: 0, replay: recordings() });
  for (const fault of [undefined, FAULTS]) {
    // Each in a thread of its own, and all in one.
    for (const [number, says] of [...files.map((file) => [file]), files].entries()) {
      const made = await record(replayed, `r${number}${fault ? "-faults" : ""}`, says, fault);
      all.push({ path: fault ? "recordings, faults" : "recordings", seed: says.join(" "), ...made });
    }
  }
  await replayed.stop();
  return all;
}
