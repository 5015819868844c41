// The browser's way to the transcoders' module; reached on first use.

import * as glue from "../../wasm/transcode.js";
import { fetchBeside } from "../fetch-module.js";

export const how = { glue, load: () => fetchBeside(new URL("../../wasm/transcode_bg.wasm", import.meta.url)) };
