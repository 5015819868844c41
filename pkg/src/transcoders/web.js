// The browser's way to the transcoders' module; reached on first use.

import * as glue from "../../wasm/transcode.js";
import { fetchModule } from "../fetch-module.js";

const load = () => fetchModule(new URL("../../wasm/transcode_bg.wasm", import.meta.url));

export const how = { glue, load };
