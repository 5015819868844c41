// Reads a module's file from disk. A server's bundler may have left it behind; the script that carries it is bundled.

import { readFileSync } from "node:fs";
import { decode } from "./decode.js";

/** @param {URL} file @param {() => Promise<{ base64: string }>} script */
export async function readModule(file, script) {
  try {
    return readFileSync(file);
  } catch {
    return decode((await script()).base64);
  }
}
