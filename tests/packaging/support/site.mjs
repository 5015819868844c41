// A static file server that can be told to serve badly.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * Serves a folder on a free loopback port.
 *
 * @param {string} folder
 * @param {(file: string) => { status?: number, headers?: Record<string, string>, body?: string } | undefined} [instead]
 *   What is different for this file.
 */
export async function site(folder, instead = () => undefined) {
  /** With the size of the larger module that was asked for. */
  const made = { wasm: null };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const different = instead(file) ?? {};
    const headers = { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream", ...different.headers };
    try {
      const body = different.body ?? (await readFile(path.join(folder, path.normalize(file))));
      if (file.endsWith(".wasm")) made.wasm = Math.max(made.wasm, body.length);
      response.writeHead(different.status ?? 200, headers).end(body);
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(made, {
    address: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
}
