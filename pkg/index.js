// The browser's entry, and every bundler's: the module is a file beside this one, fetched on first use.

import * as glue from "./wasm/threadfold.js";
import { fetchBeside } from "./src/fetch-module.js";
import { provide } from "./src/loader.js";

// Bundlers look for exactly this form of a file's address.
provide({
  glue,
  load: () => fetchBeside(new URL("./wasm/threadfold_bg.wasm", import.meta.url)),
  transcoders: () => import("./src/transcoders/web.js"),
});

export * from "./src/api.js";
