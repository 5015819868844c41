// Where a thread is: the contract's hosts, and what of a source's options the driver needs.

import { badArgument } from "./errors.js";

const PROTOCOLS = ["threadfold", "plain"];

export function threadfold(options) {
  const { base, threadId, transport, protocol, headers, credentials, timeout } = options ?? {};
  if (typeof base !== "string") throw badArgument('threadfold() needs `base`, the contract\'s root, such as "/v1".');
  if (typeof threadId !== "string" || threadId === "") throw badArgument("threadfold() needs `threadId`, a non-empty string.");
  oneOf("transport", transport, ["eventsource", "fetch"]);
  oneOf("protocol", protocol, PROTOCOLS);
  oneOf("credentials", credentials, ["omit", "same-origin", "include"]);
  if (timeout !== undefined && !(timeout > 0 && timeout < 2 ** 31)) throw badArgument("`timeout` is in milliseconds, above 0 and below 2³¹.");
  if (headers !== undefined && transport === "eventsource") {
    throw badArgument(
      "An EventSource can't send headers, so the request would go out without them. Leave `transport` out, or set it to \"fetch\".",
    );
  }
  return Object.freeze({ kind: "http", options: Object.freeze({ ...options }) });
}

/** What the driver is made with; see `src/js/options.rs`. */
export function driverOptions(source) {
  if (source.kind === "dsh") return source.driverOptions();
  if (source.kind === "http") {
    const { base, threadId, transport, protocol, headers, credentials = "same-origin", query = {}, timeout = 30_000 } = source.options;
    const fetch = transport ? transport === "fetch" : headers !== undefined || typeof EventSource !== "function";
    return {
      plain: protocol === "plain",
      thread_id: threadId,
      renewable: typeof headers === "function",
      http: { base, fetch, with_headers: headers !== undefined, credentials, query: Object.entries(query).map(pair), timeout: Math.ceil(timeout) },
    };
  }
  return { plain: source.protocol === "plain", thread_id: source.threadId, renewable: source.renewable === true };
}

/** Says what is wrong with a source, at once and not when it is first used. */
export function checkSource(source) {
  if (source?.kind === "http" || source?.kind === "dsh") return;
  if (typeof source?.openLive !== "function" || typeof source.readCommitted !== "function") {
    throw badArgument("`source` is what threadfold() or dsh() returns, or an object with openLive(sink, signal) and readCommitted(query, signal).");
  }
  oneOf("protocol", source.protocol, PROTOCOLS);
}

const pair = ([name, value]) => ({ name, value: String(value) });

function oneOf(name, value, words) {
  if (value !== undefined && !words.includes(value)) {
    throw badArgument(`\`${name}\` is one of ${words.join(", ")}, not ${JSON.stringify(value)}.`);
  }
}
