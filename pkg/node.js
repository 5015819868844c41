// Node's entry: the module is read from disk on first use, so nothing has to be awaited before `fold`.

import { readFileSync } from "node:fs";
import * as glue from "./wasm/threadfold.js";
import { ThreadfoldError } from "./src/errors.js";
import { provide } from "./src/loader.js";
import { readModule } from "./src/read-module.js";

const file = () => new URL("./wasm/threadfold_bg.wasm", import.meta.url);

function loadSync() {
  try {
    return readFileSync(file());
  } catch (cause) {
    throw new ThreadfoldError("wasm_missing", "The module's file was not bundled with this script: await init() once before.", { cause });
  }
}

provide({
  glue,
  load: () => readModule(file(), () => import("./wasm/threadfold_inline.js")),
  loadSync,
  transcoders: () => import("./src/transcoders/node.js"),
});

export * from "./src/api.js";
