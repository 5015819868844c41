// Fetches the module, and says what to do when something else comes.

import { ThreadfoldError } from "./errors.js";

const DEPLOY = "Deploy the package's wasm files with the page, or tell init() where threadfold_bg.wasm is.";

/**
 * The bytes of the module that lies beside the package's own scripts. Vite before version 8 moves the scripts, but not
 * the file, while one develops.
 *
 * @param {URL} address
 */
export const fetchBeside = ({ href }) => fetchModule(href.replace(/\/node_modules\/(\.vite\/deps\/)?wasm\//, "/node_modules/threadfold/wasm/"));

/** The bytes of the module at this address or in this response. */
export async function fetchModule(source) {
  const response = await respond(source);
  const address = response.url || String(source);
  if (!response.ok) {
    throw new ThreadfoldError("wasm_missing", `There is no module at ${address} (status ${response.status}). ${DEPLOY}`);
  }
  // Not streamed: a server's wrong content type then does not matter, and what came can be looked at.
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) return bytes;
  const type = response.headers.get("content-type") ?? "no content type";
  const what = isText(bytes) ? `a page (${type})` : `something else (${type}, ${bytes.length} bytes)`;
  throw new ThreadfoldError(
    "wasm_not_wasm",
    `The server sent ${what} in the place of the module at ${address}; often it is the application's fallback page. ${DEPLOY}`,
  );
}

async function respond(source) {
  if (typeof Response === "function" && source instanceof Response) return source;
  try {
    return await fetch(source);
  } catch (error) {
    throw new ThreadfoldError("wasm_unreachable", `The module at ${source} could not be fetched. ${DEPLOY}`, { cause: error });
  }
}

const isText = (bytes) => /^\s*[<{]/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
