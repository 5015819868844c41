// Runs the cases of a level and says what came of each.

import { Backend } from "./backend.mjs";
import { bestEffort } from "./cases/best-effort.mjs";
import { committed } from "./cases/committed.mjs";
import { human } from "./cases/human.mjs";
import { strict } from "./cases/strict.mjs";
import { Fault, NotExercised } from "./expect.mjs";

export const LEVELS = ["committed", "best-effort", "strict"];
export const SCENARIOS = ["text", "long", "approve", "client-tool", "fail"];

const GROUPS = {
  committed: [["committed reads", committed], ["human in the loop", human]],
  "best-effort": [["committed reads", committed], ["human in the loop", human], ["plain live stream", bestEffort]],
  strict: [["committed reads", committed], ["human in the loop", human], ["live stream", strict]],
};

/**
 * @param {{ base: string, level?: string, scenarios?: Record<string, string>, headers?: Record<string, string>, patience?: number }} options
 * @returns {Promise<{ base: string, level: string, results: { group: string, id: string, title: string, verdict: "passed" | "failed" | "skipped", why: string }[] }>}
 */
export async function run({ base, level, scenarios = {}, headers, patience }) {
  if (!URL.canParse(base)) throw new Error(`${JSON.stringify(base)} is no address`);
  if (level !== undefined && !LEVELS.includes(level)) throw new Error(`there is no level ${level}; the levels are ${LEVELS.join(", ")}`);
  for (const name of Object.keys(scenarios)) if (!SCENARIOS.includes(name)) throw new Error(`there is no scenario ${name}; they are ${SCENARIOS.join(", ")}`);
  const backend = new Backend({ base, headers, patience });
  const context = { backend, scenarios: { text: "hello", ...scenarios } };
  context.scenario = (name) => {
    if (context.scenarios[name] === undefined) throw new NotExercised(`--scenario ${name}="…"`);
    return context.scenarios[name];
  };
  try {
    level ??= await levelOf(context);
    const results = [];
    for (const [group, cases] of GROUPS[level]) {
      for (const { id, title, check } of cases) results.push({ group, id, title, ...(await verdict(() => check(context))) });
    }
    return { base, level, results };
  } finally {
    backend.close();
  }
}

async function verdict(check) {
  try {
    await check();
    return { verdict: "passed", why: "" };
  } catch (error) {
    if (error instanceof NotExercised) return { verdict: "skipped", why: error.message };
    if (error instanceof Fault) return { verdict: "failed", why: error.message };
    return { verdict: "failed", why: `the request failed: ${error.cause?.message ?? error.message}` };
  }
}

/** What the stream begins with says what the backend means to be. */
async function levelOf({ backend, scenarios }) {
  const thread = backend.thread();
  const { status } = await backend.send(thread, scenarios.text);
  if (status !== 202) return "committed";
  const live = await backend.live(thread);
  if (live.status !== 200) return "committed";
  const first = await live.until("anything", ([event]) => event, 2000).catch(() => null);
  live.close();
  return first?.name === "opened" ? "strict" : "best-effort";
}
