// The entry for where no file can be fetched (extensions, single-file pages): the module's bytes are in the script.

import * as glue from "./wasm/threadfold.js";
import { base64 } from "./wasm/threadfold_inline.js";
import { provide } from "./src/loader.js";

const bytes = () => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

provide({ glue, load: async () => bytes(), transcoders: () => import("./src/transcoders/inline.js") });

export * from "./src/api.js";
