// A host of the contract over HTTP (C1, C2), as a source like any other: addresses, headers, and the live stream by the
// platform's EventSource or by fetch.

import { Answer, Failure } from "./edge.js";

/** All events of the contract, and the unnamed one of plain streams. An EventSource hides events it is not asked for. */
const EVENTS = ["delta", "committed", "opened", "start", "end", "ping", "bye", "message"];

export class HttpSource {
  kind = "http";

  constructor(options) {
    this.options = Object.freeze({ credentials: "same-origin", ...options });
    this.protocol = options.protocol;
    this.threadId = options.threadId;
    this.renewable = typeof options.headers === "function";
    Object.freeze(this);
  }

  /** An EventSource hides comments, so the silence of a plain stream says nothing. */
  get watchdog() {
    return this.protocol !== "plain" || this.byFetch;
  }

  /** Whether the live stream is read by fetch: with headers, on request, and where there is no EventSource. */
  get byFetch() {
    const { transport, headers } = this.options;
    return transport ? transport === "fetch" : headers !== undefined || typeof EventSource !== "function";
  }

  openLive(sink, signal) {
    const address = this.#address("live", this.options.query);
    return this.byFetch ? this.#fetched(address, sink, signal) : this.#heard(address, sink, signal);
  }

  async readCommitted({ after, limit, epoch }, signal) {
    const address = this.#address("committed", { after: after ?? -1, limit, ...(epoch !== undefined && { epoch }), ...this.options.query });
    const { response, type } = await this.#ask(address, {}, signal);
    return new Answer(await contentOf(response), type);
  }

  send(body, signal) {
    return this.#post("runs", body, signal);
  }

  resume({ run_id, ...body }, signal) {
    return this.#post(`runs/${encodeURIComponent(run_id)}/resume`, body, signal);
  }

  cancel({ run_id }, signal) {
    return this.#post(`runs/${encodeURIComponent(run_id)}/cancel`, undefined, signal);
  }

  async #post(path, body, signal) {
    const init = { method: "POST", body: JSON.stringify(body) };
    const { response } = await this.#ask(this.#address(path), init, signal);
    return (await bodyOf(response)).trim();
  }

  /** A request and its answer; one that refuses is thrown. */
  async #ask(address, init, signal) {
    const headers = await this.#headers();
    headers.set("accept", "application/json");
    if (init.body) headers.set("content-type", "application/json");
    const response = await fetch(address, { ...init, headers, signal, credentials: this.options.credentials });
    if (init.method ? !response.ok : response.status !== 200) {
      const { error } = await bodyOf(response).then(JSON.parse).catch(() => ({})) ?? {};
      throw new Failure({ ...refusal(response), code: error?.code, message: error?.message ?? "" });
    }
    return { response, type: mediaType(response) };
  }

  /** The platform's EventSource sends cookies and no headers, and shows no status: what a refusal meant, the committed
   * read tells. Left alone it reconnects for ever and without telling, so it is closed on its first error. */
  #heard(address, sink, signal) {
    let source;
    try {
      source = new EventSource(address, { withCredentials: this.options.credentials === "include" });
    } catch {
      sink.anomaly("bad_address", `no EventSource can be made for "${address}"`);
      return sink.closed();
    }
    for (const name of EVENTS) source.addEventListener(name, ({ data }) => sink.event(name, data));
    source.onopen = sink.accepted;
    source.onerror = () => sink.closed();
    signal.addEventListener("abort", () => source.close());
  }

  /** By fetch: with headers, and with the status of a refusal. */
  async #fetched(address, sink, signal) {
    let headers;
    try {
      headers = await this.#headers();
    } catch (error) {
      return sink.anomaly("headers_failed", error.message);
    }
    headers.set("accept", "text/event-stream");
    const response = await fetch(address, { headers, signal, credentials: this.options.credentials, cache: "no-store" });
    if (response.status !== 200) throw new Failure(refusal(response));
    const type = mediaType(response);
    if (type !== "text/event-stream") throw new Failure({ content_type: response.headers.get("content-type") ?? "" });
    sink.accepted();
    const reader = response.body.getReader();
    for (let read; !(read = await reader.read()).done && !signal.aborted; ) sink.bytes(read.value);
  }

  /** The headers of one attempt, asked anew. */
  async #headers() {
    const { headers } = this.options;
    try {
      return new Headers(typeof headers === "function" ? await headers() : headers);
    } catch (error) {
      throw new Error(`the headers for a request could not be had: ${error?.message ?? error}`);
    }
  }

  #address(path, query = {}) {
    const { base, threadId } = this.options;
    const pairs = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join("="));
    return `${base.replace(/\/+$/, "")}/threads/${encodeURIComponent(threadId)}/${path}${pairs.length ? `?${pairs.join("&")}` : ""}`;
  }
}

const mediaType = (response) => (response.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase();

/** The longest answer that is read, in bytes. The module reads no longer one either. */
const LONGEST_ANSWER = 64 * 2 ** 20;

/** The bytes of an answer, unless there are more than a host may give. */
export async function contentOf({ body }) {
  const reader = body?.getReader();
  const pieces = [];
  let size = 0;
  for (let read; reader && !(read = await reader.read()).done; pieces.push(read.value)) {
    size += read.value.length;
    if (size <= LONGEST_ANSWER) continue;
    reader.cancel().catch(() => {});
    throw new Error(`the answer is over ${LONGEST_ANSWER} bytes`);
  }
  if (pieces.length === 1) return pieces[0];
  const content = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    content.set(piece, at);
    at += piece.length;
  }
  return content;
}

/** The text of such an answer. */
const bodyOf = async (response) => new TextDecoder().decode(await contentOf(response));

/** The status of an answer, and its `Retry-After` in milliseconds, whether that gives seconds or a date. */
export function refusal({ status, headers }) {
  const header = headers.get("retry-after");
  const seconds = /^\s*\d+\s*$/.test(header) ? header * 1000 : Date.parse(header) - Date.now();
  return { status, ...(seconds >= 0 && { retry_after: Math.ceil(seconds) }) };
}
