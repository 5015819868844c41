// The way to the transcoders' module where no file can be fetched; reached on first use.

import * as glue from "../../wasm/transcode.js";
import { base64 } from "../../wasm/transcode_inline.js";
import { decode } from "../decode.js";

export const how = { glue, load: async () => decode(base64) };
