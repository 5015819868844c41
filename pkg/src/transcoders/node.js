// Node's way to the transcoders' module; reached on first use.

import { readFileSync } from "node:fs";
import * as glue from "../../wasm/transcode.js";

const load = async () => readFileSync(new URL("../../wasm/transcode_bg.wasm", import.meta.url));

export const how = { glue, load };
