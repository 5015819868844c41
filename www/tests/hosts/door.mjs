// @ts-check
// A door between the browser and a dsh host. To the browser it is one origin: the demo's files, the host's calls and its
// socket. What goes through the socket towards the browser can be lost, doubled and brought out of order, and the socket
// can be cut, or be forgotten as a proxy forgets one.

import http from "node:http";
import net from "node:net";
import { serveFile } from "../support/files.mjs";

/** @typedef {"pass" | "drop" | "double" | "swap"} Fate */
/** What is damaged: items of a follow stream that are not its snapshot. @typedef {{ type: "event" | "assistant-stream" } & Record<string, any>} Item */

export class Door {
  /** True while nobody is let through, as if the host were dead. */
  down = false;
  /** What is answered in the host's place, if the function gives something; for the socket's upgrade too. @type {(request: http.IncomingMessage) => { status: number, type?: string, body?: string } | undefined} */
  instead = () => undefined;
  /** What becomes of an item. @type {(item: Item) => Fate} */
  fate = () => "pass";
  /** What went through and what was done to it. */
  counts = { sockets: 0, follows: 0, pages: 0, calls: 0, items: 0, drop: 0, double: 0, swap: 0 };
  /** @type {Set<Passage>} */
  #passages = new Set();
  #server = http.createServer((request, response) => void this.#serve(request, response));

  /** @param {{ port: number }} host */
  constructor(host) {
    this.host = host;
    this.#server.on("upgrade", (request, socket) => this.#upgrade(request, /** @type {net.Socket} */ (socket)));
  }

  /** @param {{ port: number }} host */
  static async start(host) {
    const door = new Door(host);
    await new Promise((resolve) => door.#server.listen(0, "127.0.0.1", () => resolve(undefined)));
    return door;
  }

  get origin() {
    return `http://127.0.0.1:${/** @type {net.AddressInfo} */ (this.#server.address()).port}`;
  }

  /** How many sockets are open. */
  get open() {
    return this.#passages.size;
  }

  /** Breaks every socket. */
  cut() {
    for (const passage of this.#passages) passage.end();
  }

  /** Every socket that is open is half open from now on: nothing goes through it any more, and neither side is told. */
  forget() {
    for (const passage of this.#passages) passage.forget();
  }

  async stop() {
    this.cut();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** To the host these are requests of its own page. @param {http.IncomingMessage} request */
  #headers(request) {
    const authority = `127.0.0.1:${this.host.port}`;
    const headers = { ...request.headers, host: authority };
    if (headers.origin === this.origin) headers.origin = `http://${authority}`;
    // What is compressed could not be read here.
    delete headers["sec-websocket-extensions"];
    return headers;
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  async #serve(request, response) {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.origin);
    const login = pathname === "/" && searchParams.has("token");
    if (!login && !pathname.startsWith("/api/")) return serveFile(pathname, response);
    if (this.down) return void request.socket.destroy();
    const instead = this.instead(request);
    if (instead) return void response.writeHead(instead.status, { "content-type": instead.type ?? "application/json" }).end(instead.body ?? "");
    this.counts[pathname === "/api/session/page" ? "pages" : "calls"] += 1;
    const { method, url: path } = request;
    const asked = http.request({ host: "127.0.0.1", port: this.host.port, method, path, headers: this.#headers(request), agent: false });
    asked.on("error", () => response.destroy());
    asked.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => response.destroy()).pipe(response);
    });
    response.on("close", () => asked.destroy());
    request.pipe(asked);
  }

  /** @param {http.IncomingMessage} request @param {net.Socket} browser */
  #upgrade(request, browser) {
    browser.on("error", () => {});
    if (this.down) return void browser.destroy();
    const instead = this.instead(request);
    if (instead) {
      const body = instead.body ?? "";
      return void browser.end(`HTTP/1.1 ${instead.status} No\r\ncontent-type: ${instead.type ?? "text/plain"}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
    }
    const asked = http.request({ host: "127.0.0.1", port: this.host.port, path: request.url, headers: this.#headers(request), agent: false });
    asked.on("error", () => browser.destroy());
    asked.on("response", (answer) => {
      browser.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nconnection: close\r\n\r\n`);
      answer.pipe(browser);
    });
    asked.on("upgrade", (answer, host, head) => {
      this.counts.sockets += 1;
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
      browser.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      const passage = new Passage(this, browser, host);
      this.#passages.add(passage);
      browser.on("close", () => this.#passages.delete(passage));
      passage.fromHost(head);
    });
    asked.end();
  }
}

/** One socket that went through. */
class Passage {
  #bytes = Buffer.alloc(0);
  /** An item that waits until another one has overtaken it. @type {Buffer | null} */
  #waiting = null;
  #isForgotten = false;

  /** @param {Door} door @param {net.Socket} browser @param {net.Socket} host */
  constructor(door, browser, host) {
    this.door = door;
    this.browser = browser;
    this.host = host;
    browser.setNoDelay(true).on("error", () => this.end()).on("close", () => this.end());
    const over = () => void (this.#isForgotten || this.end());
    host.setNoDelay(true).on("error", over).on("close", over);
    host.on("data", (bytes) => this.fromHost(bytes));
    browser.pipe(host);
  }

  forget() {
    this.#isForgotten = true;
    // The browser's end reaches nobody else.
    this.browser.unpipe(this.host).resume().on("end", () => this.end());
  }

  end() {
    this.browser.destroy();
    this.host.destroy();
  }

  /** @param {Buffer} bytes */
  fromHost(bytes) {
    if (this.#isForgotten) return;
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const frame = this.#frame();
      if (!frame) return;
      this.#pass(frame.whole, frame.text);
    }
  }

  /** The next whole frame of the socket, and its text if it is one. Hosts don't mask. */
  #frame() {
    const bytes = this.#bytes;
    if (bytes.length < 2) return null;
    const short = bytes[1] & 0x7f;
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length < start) return null;
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
    if (bytes.length < start + length) return null;
    const whole = bytes.subarray(0, start + length);
    this.#bytes = bytes.subarray(start + length);
    // A text in one frame: what the host sends.
    return { whole, text: bytes[0] === 0x81 ? whole.subarray(start).toString("utf8") : null };
  }

  /** @param {Buffer} whole @param {string | null} text */
  #pass(whole, text) {
    const item = text === null ? undefined : JSON.parse(text).value;
    const { counts } = this.door;
    if (item?.type === "snapshot") counts.follows += 1;
    if (item?.type !== "event" && item?.type !== "assistant-stream") return void this.browser.write(whole);
    counts.items += 1;
    const fate = this.door.fate(item);
    if (fate !== "pass") counts[fate] += 1;
    if (fate === "drop") return;
    if (fate === "swap" && this.#waiting === null) {
      this.#waiting = whole;
      // The last item has nobody who could overtake it.
      setTimeout(() => this.#late(), 100);
      return;
    }
    this.browser.write(whole);
    if (fate === "double") this.browser.write(whole);
    this.#late();
  }

  #late() {
    if (this.#waiting && !this.browser.destroyed && !this.#isForgotten) this.browser.write(this.#waiting);
    this.#waiting = null;
  }
}

/**
 * Damages items at random, the same ones for the same seed.
 * @param {{ drop?: number, double?: number, swap?: number, seed?: number }} rates Shares of one.
 * @returns {(item: Item) => Fate}
 */
export function lossy({ drop = 0, double = 0, swap = 0, seed = 1 }) {
  let state = seed >>> 0;
  return () => {
    // Any generator will do that a seed begins.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const drawn = state / 2 ** 32;
    if (drawn < drop) return "drop";
    if (drawn < drop + double) return "double";
    return drawn < drop + double + swap ? "swap" : "pass";
  };
}
