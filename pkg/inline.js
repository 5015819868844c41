// The entry for where no file can be fetched (extensions, single-file pages): the module's bytes are in the script.

import * as glue from "./wasm/threadfold.js";
import { base64 } from "./wasm/threadfold_inline.js";
import { decode } from "./src/decode.js";
import { provide } from "./src/loader.js";

provide({ glue, load: async () => decode(base64), transcoders: () => import("./src/transcoders/inline.js") });

export * from "./src/api.js";
