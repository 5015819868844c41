// A session of a dsh host: its socket and its calls. What goes over them the module knows; here they are only opened,
// written and read. The page's cookies are sent by the browser itself, so the host is of the page's own origin.

import { badArgument } from "./errors.js";
import { contentOf, refusal } from "./http.js";

const TIMEOUT = 30_000;

export function dsh(options) {
  const { url = "/", sessionId, token, maxMessages = 50, timeout = TIMEOUT } = options ?? {};
  if (typeof url !== "string") throw badArgument('dsh() takes as `url` the host\'s address, such as "/".');
  if (typeof sessionId !== "string" || sessionId === "") throw badArgument("dsh() needs `sessionId`, a non-empty string.");
  if (token !== undefined && typeof token !== "string") throw badArgument("`token` is the host's launch token, a string.");
  if (!(Number.isInteger(maxMessages) && maxMessages > 0 && maxMessages < 2 ** 31)) throw badArgument("`maxMessages` is a whole number above 0.");
  if (!(timeout > 0 && timeout < 2 ** 31)) throw badArgument("`timeout` is in milliseconds, above 0 and below 2³¹.");
  const given = { url, sessionId, token, maxMessages, timeout };
  return Object.freeze({
    kind: "dsh",
    options: Object.freeze(given),
    threadId: sessionId,
    renewable: token !== undefined,
    // The host's pings are answered by the browser and not seen here, so silence says nothing: the engine asks.
    watchdog: false,
    dshMessages: maxMessages,
    edge: (call) => new DshEdge(given, call),
  });
}

/** What the driver asks for; see `src/js/effect.rs`. `call(action)` runs `action(driver)`, unless the client is closed. */
class DshEdge {
  #options;
  #call;
  #socket = null;
  #calls = new Map();
  #entered = null;

  constructor(options, call) {
    this.#options = options;
    this.#call = call;
  }

  connect(number) {
    this.disconnect();
    const socket = { number, over: false, web: null };
    this.#socket = socket;
    const tell = (action) => {
      if (!socket.over) this.#call(action);
    };
    const closed = (code, reason) => {
      tell((driver) => driver.tell("socketClosed", number, reason, String(code)));
      socket.over = true;
    };
    later(async () => {
      await this.#enter();
      if (socket.over) return;
      try {
        const web = new WebSocket(this.#address("api/remote.mux").href.replace(/^http/, "ws"));
        socket.web = web;
        web.onopen = () => tell((driver) => driver.tell("socketOpened", number));
        web.onmessage = ({ data }) => tell((driver) => driver.tell("socketText", number, String(data)));
        web.onclose = ({ code, reason }) => closed(code, reason);
      } catch (error) {
        closed(1006, String(error?.message ?? error));
      }
    });
  }

  transmit(number, text) {
    const socket = this.#socket;
    if (socket?.number === number && socket.web?.readyState === 1) socket.web.send(text);
  }

  disconnect() {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.over = true;
    socket.web?.close(1000);
  }

  post(id, method, body) {
    const controller = new AbortController();
    const asked = { controller, timer: undefined };
    const finish = (action) => {
      if (this.#calls.get(id) !== asked) return;
      this.#calls.delete(id);
      clearTimeout(asked.timer);
      this.#call(action);
    };
    const failed = (message) => finish((driver) => driver.tell("callFailed", id, message));
    const { timeout } = this.#options;
    asked.timer = setTimeout(() => {
      failed(`no answer within ${timeout / 1000} s`);
      controller.abort();
    }, timeout);
    this.#calls.set(id, asked);
    later(async () => {
      try {
        const answer = await this.#post(method, body, controller.signal);
        const content = await contentOf(answer);
        const head = JSON.stringify({ ...refusal(answer), content_type: answer.headers.get("content-type") ?? "" });
        finish((driver) => driver.tell("callAnswered", id, content, head));
      } catch (error) {
        failed(String(error?.message ?? error));
      }
    });
  }

  close() {
    this.disconnect();
    for (const { controller, timer } of this.#calls.values()) {
      clearTimeout(timer);
      controller.abort();
    }
    this.#calls.clear();
  }

  /** A call; one that is refused for want of a cookie is made again once the token has brought one. */
  async #post(method, body, signal) {
    const ask = () =>
      fetch(this.#address(`api/${method}`), {
        method: "POST",
        headers: { "content-type": "application/json" },
        credentials: "same-origin",
        cache: "no-store",
        body,
        signal,
      });
    const answer = await ask();
    if (answer.status !== 401 || this.#options.token === undefined) return answer;
    this.#entered = null;
    await this.#enter();
    return ask();
  }

  /** Exchanges the token for a cookie, once. What became of it is learned from what follows. */
  #enter() {
    const { token, timeout } = this.#options;
    if (token === undefined) return undefined;
    const address = this.#address("");
    address.searchParams.set("token", token);
    const ask = () => fetch(address, { credentials: "same-origin", redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(timeout) });
    this.#entered ??= ask().catch(() => {
      this.#entered = null;
    });
    return this.#entered;
  }

  #address(path) {
    const { url } = this.#options;
    return new URL(path, new URL(url.endsWith("/") ? url : `${url}/`, globalThis.location?.href));
  }
}

/** Nothing is done inside of the module's call. */
const later = (action) => queueMicrotask(action);
