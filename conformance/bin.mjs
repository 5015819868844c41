#!/usr/bin/env node
// The command: reads its arguments, runs the cases, prints what came of them.

import { parseArgs } from "node:util";
import { report } from "./src/report.mjs";
import { LEVELS, run, SCENARIOS } from "./src/run.mjs";

const USAGE = `threadfold-conformance <base-url> [--level ${LEVELS.join("|")}] [--scenario NAME="prompt"]… [--header "name: value"]… [--patience SECONDS] [--json]
  scenarios: ${SCENARIOS.join(", ")}`;

function pair(text, mark, what) {
  const at = text.indexOf(mark);
  if (at < 1) throw new Error(`${what} is written as NAME${mark}VALUE, not ${JSON.stringify(text)}`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function options() {
  const many = { type: "string", multiple: true, default: [] };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { level: { type: "string" }, scenario: many, header: many, patience: { type: "string", default: "30" }, json: { type: "boolean" }, help: { type: "boolean" } },
  });
  if (values.help) return null;
  if (positionals.length !== 1) throw new Error("the base URL of the contract is needed, such as http://127.0.0.1:8787/v1");
  return {
    base: positionals[0],
    level: values.level,
    scenarios: Object.fromEntries(values.scenario.map((text) => pair(text, "=", "a scenario"))),
    headers: Object.fromEntries(values.header.map((text) => pair(text, ":", "a header"))),
    patience: Number(values.patience) * 1000,
    json: values.json,
  };
}

try {
  const given = options();
  if (!given) console.log(USAGE);
  else {
    const outcome = await run(given);
    console.log(given.json ? JSON.stringify(outcome) : report(outcome));
    process.exitCode = outcome.results.some(({ verdict }) => verdict === "failed") ? 1 : 0;
  }
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
