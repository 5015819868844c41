// @ts-check
// The page's own files, served by a test: so a page can be there while its host is not.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { ROOT } from "./host.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };

/** The demo at `/`, the package at `/pkg/`. @param {string} pathname @param {import("node:http").ServerResponse} response */
export async function serveFile(pathname, response) {
  const inside = pathname.startsWith("/pkg/") ? pathname : `/www${pathname === "/" ? "/index.html" : pathname}`;
  const file = path.join(ROOT, path.normalize(inside));
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return void response.writeHead(404).end();
  const type = TYPES[/** @type {keyof typeof TYPES} */ (path.extname(file))] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  createReadStream(file).pipe(response);
}
