// Node's way to the transcoders' module; reached on first use.

import * as glue from "../../wasm/transcode.js";
import { readModule } from "../read-module.js";

const file = () => new URL("../../wasm/transcode_bg.wasm", import.meta.url);

export const how = { glue, load: () => readModule(file(), () => import("../../wasm/transcode_inline.js")) };
