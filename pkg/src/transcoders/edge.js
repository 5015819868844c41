// The way to the transcoders' module where code may not be compiled at run time; reached on first use.

import module from "../../wasm/transcode_bg.wasm?module";
import * as glue from "../../wasm/transcode.js";
import { compiled } from "../compiled.js";

export const how = { glue, load: async () => compiled(module) };
