// Node's entry: the module is read from disk on first use, so nothing has to be awaited before `fold`.

import { readFileSync } from "node:fs";
import * as glue from "./wasm/threadfold.js";
import { provide } from "./src/loader.js";

const read = () => readFileSync(new URL("./wasm/threadfold_bg.wasm", import.meta.url));

provide({ glue, load: async () => read(), loadSync: read, transcoders: () => import("./src/transcoders/node.js") });

export * from "./src/api.js";
