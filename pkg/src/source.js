// Where a thread is: the contract's hosts, and what of a source's options the driver needs.

import { badArgument } from "./errors.js";
import { HttpSource } from "./http.js";

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
  return new HttpSource(options);
}

/** What the driver is made with; see `src/js/given.rs`. */
export const driverOptions = ({ protocol, threadId, renewable, watchdog, dshMessages }) => ({
  plain: protocol === "plain",
  thread_id: threadId,
  renewable: renewable === true,
  watchdog: watchdog !== false,
  dsh_messages: dshMessages,
});

/** Says what is wrong with a source, at once and not when it is first used. */
export function checkSource(source) {
  if (source?.kind === "dsh") return;
  if (typeof source?.openLive !== "function" || typeof source.readCommitted !== "function") {
    throw badArgument("`source` is what threadfold() or dsh() returns, or an object with openLive(sink, signal) and readCommitted(query, signal).");
  }
  oneOf("protocol", source.protocol, PROTOCOLS);
}

function oneOf(name, value, words) {
  if (value !== undefined && !words.includes(value)) {
    throw badArgument(`\`${name}\` is one of ${words.join(", ")}, not ${JSON.stringify(value)}.`);
  }
}
