// @ts-check
// A door between a page and the host that a test can break: it serves the page's files itself, so that a page can be
// there while the host is not, hands everything else on, and changes what comes back. It stands on another port, so it
// is another origin too.

import http from "node:http";
import { serveFile } from "./files.mjs";

export class Proxy {
  /** Live streams that are open now. @type {Set<http.ServerResponse>} */
  streams = new Set();
  /** Requests that were handed on, by kind. */
  counts = { live: 0, committed: 0, commands: 0 };
  /** True while nothing is handed on: connections are refused as a dead host refuses them. */
  down = false;
  /** What is sent instead of the host's answer, if the function gives something. @type {(request: http.IncomingMessage) => { status: number, type?: string, body?: string } | undefined} */
  instead = () => undefined;
  /** What becomes of a piece of a live stream; null breaks the connection. @type {(chunk: Buffer, response: http.ServerResponse) => Buffer | null} */
  onLive = (chunk) => chunk;
  #server = http.createServer((request, response) => void this.#serve(request, response));

  /** @param {{ port: number }} host */
  constructor(host) {
    this.host = host;
  }

  /** @param {{ port: number }} host */
  static async start(host) {
    const proxy = new Proxy(host);
    await new Promise((resolve) => proxy.#server.listen(0, "127.0.0.1", () => resolve(undefined)));
    return proxy;
  }

  get origin() {
    return `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (this.#server.address()).port}`;
  }

  /** Breaks every live stream. */
  cut() {
    for (const stream of this.streams) stream.destroy();
  }

  /** Writes into every live stream. @param {string} text */
  inject(text) {
    for (const stream of this.streams) stream.write(text);
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  async #serve(request, response) {
    const { pathname } = new URL(request.url ?? "/", this.origin);
    if (!/^\/(v1|admin)\//.test(pathname)) return serveFile(pathname, response);
    if (this.down) return void request.socket.destroy();
    const instead = this.instead(request);
    if (instead) {
      response.writeHead(instead.status, { "content-type": instead.type ?? "application/json" });
      response.end(instead.body ?? "");
      return;
    }
    const live = pathname.endsWith("/live");
    this.counts[live ? "live" : pathname.endsWith("/committed") ? "committed" : "commands"] += 1;
    // To the host this is its own page.
    const headers = { ...request.headers, host: `127.0.0.1:${this.host.port}` };
    delete headers.origin;
    const asked = http.request({ host: "127.0.0.1", port: this.host.port, method: request.method, path: request.url, headers, agent: false });
    asked.on("error", () => response.destroy());
    asked.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      if (live && answer.statusCode === 200) this.#stream(answer, response);
      else answer.pipe(response);
    });
    response.on("close", () => asked.destroy());
    request.pipe(asked);
  }

  /** @param {http.IncomingMessage} answer @param {http.ServerResponse} response */
  #stream(answer, response) {
    this.streams.add(response);
    response.on("close", () => this.streams.delete(response));
    answer.on("data", (chunk) => {
      const changed = this.onLive(chunk, response);
      if (changed === null) response.destroy();
      else response.write(changed);
    });
    answer.on("end", () => response.end());
    answer.on("error", () => response.destroy());
  }
}
