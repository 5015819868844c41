// The semantics without a client. Values cross as JSON text: what is text already keeps all its digits.

import { bytesOf } from "./bytes.js";
import { badArgument, fault } from "./errors.js";
import { coreNow } from "./loader.js";

export const fold = (rows, { windowed = false } = {}) => answer("fold", (core) => core.fold(bytesOf(text("rows", rows)), windowed));

export const terminal = (state, ticket) =>
  answer("terminal", (core) => core.terminal(text("state", state, true), ticket ? text("ticket", ticket) : undefined)) ?? null;

export const classify = (event) => answer("classify", (core) => core.classify(text("event", event)));

function answer(name, call) {
  const core = coreNow(name);
  let json;
  try {
    json = call(core);
  } catch (error) {
    throw fault(error);
  }
  return json === undefined ? undefined : JSON.parse(json);
}

/** The JSON text of an argument. A run's state may be a bare word, so there a string is a value and not text. */
function text(name, value, isValue = false) {
  const json = typeof value === "string" && !isValue ? value : JSON.stringify(value);
  if (json === undefined) throw badArgument(`${name} is missing`);
  return json;
}
