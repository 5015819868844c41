// Loads the modules once, on first use: the client's, and the transcoders', which not every page needs. An entry says how.

import { fault, ThreadfoldError } from "./errors.js";
import { fetchModule } from "./fetch-module.js";

let client = null;
let transcoding = null;
let reachTranscoders = null;

/**
 * What an entry knows: the glue, how to get the module, where that needs no waiting how to get it at once, and how to
 * reach the same of the transcoders.
 */
export function provide({ transcoders, ...how }) {
  client = new Module(how);
  reachTranscoders = transcoders;
}

export const init = (input) => client.init(input);

/** The client module's exports, or null while they are not there. */
export const core = () => client.exports();

/** The client module's exports, at once. */
export const coreNow = (name) => client.now(name);

/** The transcoders' exports. */
export async function transcoders() {
  const reach = async () => new Module((await reachTranscoders()).how);
  transcoding ??= reach().catch((cause) => {
    transcoding = null;
    throw new ThreadfoldError("wasm_unreachable", "The transcoders' script could not be loaded. Deploy the package's lazy chunks with the page.", { cause });
  });
  const module = await transcoding;
  await module.init();
  return module.exports();
}

class Module {
  #how;
  #loading = null;
  #loaded = false;

  constructor(how) {
    this.#how = how;
  }

  init(input) {
    this.#loading ??= this.#load(input).catch((error) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  exports() {
    return this.#loaded ? this.#how.glue : null;
  }

  now(name) {
    if (!this.#loaded && this.#how.loadSync) {
      this.#how.glue.initSync({ module: this.#how.loadSync() });
      this.#loaded = true;
    }
    if (!this.#loaded) {
      throw new ThreadfoldError("not_loaded", `${name}() needs the module: await init() once before calling it.`);
    }
    return this.#how.glue;
  }

  async #load(input) {
    if (this.#loaded) return;
    const module = await (input === undefined ? this.#how.load() : given(input));
    try {
      // A module that was loaded at once meanwhile stays: two would not know of each other.
      if (!this.#loaded) await this.#how.glue.default({ module_or_path: module });
    } catch (error) {
      throw refusal(error);
    }
    this.#loaded = true;
  }
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
