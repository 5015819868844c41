// Loads the module once, on first use. An entry says how.

import { fault, ThreadfoldError } from "./errors.js";
import { fetchModule } from "./fetch-module.js";

let entry = null;
let loading = null;
let loaded = false;

/** What an entry knows: the glue, how to get the module, and, where that needs no waiting, how to get it at once. */
export function provide(how) {
  entry = how;
}

export function init(input) {
  loading ??= load(input).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** The module's exports, or null while they are not there. */
export const core = () => (loaded ? entry.glue : null);

/** The module's exports, at once. */
export function coreNow(name) {
  if (!loaded && entry.loadSync) {
    entry.glue.initSync({ module: entry.loadSync() });
    loaded = true;
  }
  if (!loaded) {
    throw new ThreadfoldError("not_loaded", `${name}() needs the module: await init() once before calling it.`);
  }
  return entry.glue;
}

async function load(input) {
  if (loaded) return;
  const module = await (input === undefined ? entry.load() : given(input));
  try {
    // A module that was loaded at once meanwhile stays: two would not know of each other.
    if (!loaded) await entry.glue.default({ module_or_path: module });
  } catch (error) {
    throw refusal(error);
  }
  loaded = true;
}

const given = (input) =>
  typeof input === "string" || input instanceof URL || (typeof Response === "function" && input instanceof Response)
    ? fetchModule(input)
    : input;

/** Browsers word a policy's refusal differently, but all name it. */
function refusal(error) {
  const said = String(error?.message ?? error);
  if (/content security policy|unsafe-eval|csp|disallowed by embedder|blocked by/i.test(said)) {
    return new ThreadfoldError(
      "wasm_blocked",
      "The page's Content-Security-Policy forbids WebAssembly. Add 'wasm-unsafe-eval' to its script-src directive.",
      { cause: error },
    );
  }
  if (error instanceof WebAssembly.RuntimeError) return fault(error);
  return new ThreadfoldError("wasm_invalid", `This platform can't run the module: ${said}`, { cause: error });
}
