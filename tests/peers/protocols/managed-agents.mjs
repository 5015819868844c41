// Managed-agent sessions: the SDK's own helper accumulates the previews, and its types hold for every event.

import assert from "node:assert/strict";
import { accumulateManagedAgentsEvent } from "@anthropic-ai/sdk/lib/sessions/accumulate";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answeredBy, nameOf, wireIds } from "../expected.mjs";
import { versionOf } from "../version.mjs";

const shown = (block) => (block.type === "redacted" ? { type: "redacted" } : { type: "text", text: nameOf(block) });
const isShown = (block) => block.type === "redacted" || nameOf(block) !== "";

/** The protocol's inputs are objects; a model may write anything. */
const inputOf = (input) => (typeof input === "object" && input !== null && !Array.isArray(input) ? input : { input });

/** A block of a result: an image or a document with a source that the protocol knows stays one. */
function resultBlock(block) {
  const { type, source } = block;
  const keys = { base64: ["type", "data", "media_type"], url: ["type", "url"], file: ["type", "file_id"] }[source?.type];
  if (!["image", "document"].includes(type) || !keys) return { type: "text", text: nameOf(block) };
  const known = Object.fromEntries(Object.entries(source).filter(([key]) => keys.includes(key)));
  return { type, source: known, ...(type === "document" && block.title && { title: block.title }) };
}

/** The committed events, in order, without ids that only this side makes. */
function expected(facts) {
  const wire = wireIds(facts);
  return facts.flatMap((placed) => {
    const { fact, run_id, coordinate, position, call } = placed;
    const id = coordinate && `${run_id}-${coordinate.step}-${coordinate.response}`;
    const at = (what) => `${run_id}-${what}-${position.seq}-${position.index}`;
    const idle = (stop_reason) => ({ type: "session.status_idle", id: at("idle"), stop_reason, stop_details: null });
    switch (fact.type) {
      case "assistant_thinking": return [{ type: "agent.thinking", id: `${id}-reasoning` }];
      case "assistant_message": {
        const content = fact.content.filter(isShown).map(shown);
        return content.length ? [{ type: "agent.message", id, content }] : [];
      }
      case "tool_call": {
        const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(fact.name) ?? [];
        const event = { type: server ? "agent.mcp_tool_use" : "agent.tool_use", id: wire(position), name: tool ?? fact.name, input: inputOf(fact.input) };
        return [{ ...event, ...(server && { mcp_server_name: server }), asks: fact.disposition }];
      }
      case "tool_result": {
        const content = fact.content.filter(isShown).map(resultBlock);
        return [{ type: "agent.tool_result", id: at("result"), tool_use_id: answeredBy(wire, placed), content, is_error: fact.is_error }];
      }
      case "awaiting": return [idle({ type: "requires_action", event_ids: call ? [wire(call)] : [] })];
      case "run_finished": return [idle({ type: fact.exhausted ? "retries_exhausted" : "end_turn" })];
      case "run_failed":
        return [
          { type: "session.error", id: at("error"), error: { type: "unknown_error", message: `${fact.code}: ${fact.message}`, retry_status: { type: "terminal" } } },
          idle({ type: "retries_exhausted" }),
        ];
      default: return [];
    }
  });
}

const seen = new Map();

/** Kept for the compiler: one event of each shape. */
function keep(event) {
  const shape = JSON.stringify(event, (key, value) => (typeof value === "string" && !["type", "evaluated_permission"].includes(key) ? "" : typeof value === "number" ? 0 : key === "input" ? {} : value));
  if (!seen.has(shape)) seen.set(shape, event);
}

async function judge(inputs, chunks, facts) {
  const committed = new Map();
  const previews = new Map();
  for (const chunk of chunks.flat()) {
    if (chunk === "end" || chunk === "cut") continue;
    keep(chunk);
    if (chunk.type === "event_start") {
      if (chunk.event.type === "agent.message") previews.set(chunk.event.id, accumulateManagedAgentsEvent(undefined, chunk));
    } else if (chunk.type === "event_delta") {
      previews.set(chunk.event_id, accumulateManagedAgentsEvent(previews.get(chunk.event_id), chunk));
    } else {
      if (chunk.type === "agent.message") {
        const whole = accumulateManagedAgentsEvent(previews.get(chunk.id), chunk);
        assert.deepEqual(whole, chunk, "the committed event replaces its preview");
        previews.delete(chunk.id);
      }
      committed.set(chunk.id, chunk);
    }
  }
  if (!facts) return;
  const bare = inputs.some((input) => input.type === "delta" && !input.coordinate);
  const plain = (event) => {
    const { processed_at, evaluated_permission, asks, ...rest } = event;
    if (bare && ["agent.message", "agent.thinking"].includes(rest.type)) rest.id = "";
    // What it was while it waited stays said of it.
    if (rest.type === "agent.custom_tool_use") rest.type = "agent.tool_use";
    if (rest.type === "agent.mcp_tool_use") Object.assign(rest, { type: "agent.tool_use", name: `mcp__${rest.mcp_server_name}__${rest.name}`, mcp_server_name: undefined });
    return JSON.parse(JSON.stringify(rest));
  };
  const wanted = expected(facts);
  assert.deepEqual([...committed.values()].map(plain), wanted.map(plain));
  for (const { id, asks } of wanted) {
    const { type, evaluated_permission } = committed.get(id) ?? {};
    if (asks === "pending_builtin") assert.equal(evaluated_permission, "ask");
    if (asks === "pending_client") assert.equal(type, "agent.custom_tool_use");
  }
}

/** The compiler, over one event of each shape that was seen. */
function finish(folder) {
  const place = mkdtempSync(join(folder, "managed-"));
  try {
    const events = [...seen.values()];
    const type = 'import type { BetaManagedAgentsStreamSessionEvents as E } from "@anthropic-ai/sdk/resources/beta/sessions/events";';
    writeFileSync(join(place, "events.ts"), `${type}\n${events.map((event, n) => `export const e${n}: E = ${JSON.stringify(event)};`).join("\n")}\n`);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--moduleResolution", "nodenext", "--skipLibCheck", "--types", ""];
    execFileSync("node", [new URL("../../../node_modules/typescript/bin/tsc", import.meta.url).pathname, ...options, join(place, "events.ts")], { encoding: "utf8" });
    return `tsc: ${events.length} shapes of events`;
  } catch (error) {
    throw new Error(`the types refuse an event:\n${error.stdout ?? error}`);
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** The rows of the table, by what is written. */
const says = (chunk) => [chunk.type ?? chunk, chunk.evaluated_permission, chunk.stop_reason?.type].filter(Boolean).join(" ");
const words = [
  "event_start", "event_delta", "agent.thinking", "agent.message", "agent.tool_use allow", "agent.tool_use ask",
  "agent.custom_tool_use", "agent.mcp_tool_use allow", "agent.mcp_tool_use ask", "agent.tool_result", "session.error",
  "session.status_idle requires_action", "session.status_idle end_turn", "session.status_idle retries_exhausted", "end",
];

/** The client. */
export const managedAgents = () => ({
  protocol: "managed-agents",
  options: {},
  client: `@anthropic-ai/sdk ${versionOf("@anthropic-ai/sdk")}`,
  judge,
  finish,
  says,
  words,
});
