// The entry for where code may not be compiled at run time (Workers and other edges): the module is imported, compiled
// already. Both families of platforms know a compiled module by this ending.

import module from "./wasm/threadfold_bg.wasm?module";
import * as glue from "./wasm/threadfold.js";
import { compiled } from "./src/compiled.js";
import { provide } from "./src/loader.js";

provide({
  glue,
  load: async () => compiled(module),
  loadSync: () => compiled(module),
  transcoders: () => import("./src/transcoders/edge.js"),
});

export * from "./src/api.js";
