// @ts-check
// What is to be seen, in one form for the two sides: of a log as the host wrote it, and of a view as the crate made it.

import { assemble, expand } from "./oracle.mjs";

/** @typedef {import("./oracle.mjs").Block} Block */
/** @typedef {import("./oracle.mjs").LogEvent} LogEvent */

/**
 * The live parts: of the blocks that the open attempt has, or of the previews of a view.
 * @param {Block[] | null | { items: any[] }} from
 */
export function live(from) {
  if (from === null) return [];
  if (Array.isArray(from)) return from.map(part);
  const previews = from.items.filter((item) => item.kind === "assistant" && item.origin !== "committed");
  return previews.flatMap((item) => item.parts.map(partOfView));
}

/**
 * All that is committed, item by item: of a log, or of a view.
 * @param {LogEvent[] | { items: any[] }} from
 */
export function visible(from) {
  return Array.isArray(from) ? ofLog(from) : from.items.filter((item) => item.origin === "committed").map(ofItem);
}

/** Where two such lists differ, in words; null where they don't. @param {any[]} expected @param {any[]} found @returns {string | null} */
export function difference(expected, found) {
  for (let at = 0; at < Math.max(expected.length, found.length); at += 1) {
    const [one, other] = [expected[at], found[at]].map((value) => JSON.stringify(value ?? null));
    if (one !== other) return `${at}: ${other.slice(0, 500)} is shown, and should be ${one.slice(0, 500)}`;
  }
  return null;
}

/** @param {LogEvent[]} events */
function ofLog(events) {
  /** @type {any[]} */
  const items = [];
  /** @type {{ turn: number, call: any }[]} Calls without an answer, oldest first. */
  let open = [];
  /** @type {Map<string, any>} Questions by their id. */
  const asked = new Map();
  for (const { type, data, surfaceOp } of events) {
    switch (type) {
      case "user/message":
        items.push({ kind: data.source?.kind === "user" ? "user" : "injected", text: textOf(data.content) });
        break;
      case "system/message":
        items.push({ kind: "system", text: textOf(data.message.content) });
        break;
      case "assistant/message": {
        if (surfaceOp !== "append") break;
        const parts = data.message.content.map(part);
        items.push({ kind: "assistant", parts });
        for (const call of parts) if (call.type === "tool_call") open.push({ turn: data.turn, call });
        break;
      }
      case "assistant/attempt":
        items.push({ kind: "attempt", parts: assemble(expand(data.stream)).map(part) });
        break;
      case "llm/retry":
        items.push({ kind: "retry", retry: data.retry, most: data.maxRetries, code: data.failure.code, message: data.failure.message });
        break;
      case "tool/result": {
        const { toolCallId, content, isError } = data.message;
        const found = open.find(({ turn, call }) => turn === data.turn && call.id === toolCallId);
        open = open.filter((other) => other !== found);
        if (found) Object.assign(found.call, { output: textOf(content), is_error: isError });
        break;
      }
      case "approval/asked": {
        const item = { kind: "awaiting", call: data.callId ?? null, resolved: false };
        asked.set(data.id, item);
        items.push(item);
        break;
      }
      case "approval/decided":
        if (asked.has(data.id)) asked.get(data.id).resolved = true;
        break;
      case "turn/end":
        for (const item of asked.values()) item.resolved = true;
        items.push(ending(data.reason));
        break;
    }
  }
  return items;
}

/** How a turn ended. @param {any} reason */
function ending({ kind, error }) {
  switch (kind) {
    case "completed":
      return { kind: "finished", exhausted: false, cause: "natural_end" };
    case "max-tokens":
      return { kind: "finished", exhausted: true, cause: "max_steps" };
    case "aborted":
      return { kind: "finished", exhausted: false, cause: "cancelled" };
    case "blocked":
    case "error":
      return { kind: "failed", code: error?.code ?? kind, message: error?.message ?? "" };
    default:
      return { kind: "failed", code: "indeterminate", message: null };
  }
}

/** @param {any} item */
function ofItem(item) {
  const { kind } = item;
  if (kind === "user" || kind === "injected" || kind === "system") return { kind, text: item.parts.map((/** @type {any} */ part) => part.text ?? "").join("") };
  if (kind === "assistant" || kind === "attempt") return { kind, parts: item.parts.map(partOfView) };
  if (kind === "awaiting") return { kind, call: item.pending_tool_use_id, resolved: item.resolved };
  if (kind === "retry") return { kind, retry: item.retry, most: item.most, code: item.code, message: item.message };
  if (kind === "finished") return { kind, exhausted: item.exhausted, cause: item.cause };
  // The sentence for an outcome that nobody knows is the crate's own.
  if (kind === "failed") return { kind, code: item.code, message: item.code === "indeterminate" ? null : item.message };
  return item;
}

/** @param {Block} block @returns {any} */
function part(block) {
  if (block.type !== "tool-call") return { type: block.type, text: block.text };
  return { type: "tool_call", id: block.id, name: block.name, args: block.arguments };
}

/** @param {any} part */
function partOfView({ type, text, id, name, args, state, output }) {
  if (type !== "tool_call") return { type, text };
  const call = { type, id, name, args };
  return output ? { ...call, output: textOf(output), is_error: state === "error" } : call;
}

/** @param {any[]} content */
function textOf(content) {
  return content.map(({ text }) => text ?? "").join("");
}
