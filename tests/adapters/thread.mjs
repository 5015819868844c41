// A thread of the host: followed by the package's client, and read by nothing but `fetch`, to judge by.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fold, threadfold, ThreadClient } from "../../pkg/node.js";
import { ROOT } from "../../www/tests/support/host.mjs";
import { isSaid, textOf } from "../peers/expected.mjs";

const ALL = path.join(ROOT, "../shared/recordings/openai-chat");
const folder = existsSync(ALL) ? ALL : path.join(ROOT, "tests/fixtures/openai-chat");

/** Recorded answers of models. */
export const RECORDINGS = readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort().map((name) => path.join(folder, name));

/** What the scripted agent can do. */
export const SCRIPT = [
  "/plain", "/reason", "/tools", "/approve", "/client-tool", "/pause", "/two-pauses", "/length", "/fail-before", "/fail-mid",
  "/fail", "/steer", "/stop", "/max-steps", "/unicode", "/empty", "/long 400 20",
];

/** What a bad network does. */
export const FAULTS = [
  "", "drop:0.2", "duplicate:0.3,reorder:0.2", "cut:300*9", "close:4*5", "cut-last*2", "status-503*6@read", "epoch:9*3",
];

export const client = (host, threadId) => new ThreadClient({ source: threadfold({ base: `${host.origin}/v1`, threadId }) });

/** The Facts of the thread and what the person said, from its log alone. */
export async function committed(host, threadId) {
  const messages = [];
  const runs = [];
  for (let after = -1; ; ) {
    const response = await fetch(`${host.origin}/v1/threads/${encodeURIComponent(threadId)}/committed?after=${after}&limit=1000`);
    // A fault that was meant for the page struck here.
    if (!response.ok) continue;
    const page = await response.json();
    messages.push(...page.messages);
    runs.push(...page.runs);
    after = Math.max(after, ...page.messages.map(({ seq }) => seq), ...page.runs.map(({ seq }) => seq));
    if (!page.has_more) break;
  }
  const facts = fold([...messages, ...runs].sort((one, other) => one.seq - other.seq));
  const said = messages
    .filter(({ message }) => isSaid(message))
    .map(({ run_id, message }) => ({ run_id, id: message.id, text: textOf(message.content) }));
  return { facts, said };
}
