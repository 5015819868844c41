// One thread's driver: tells the module what happens, and does what it then asks for. All that a platform has (time,
// timers, streams, requests, listeners) is on this side; the module calls nothing. See `src/js/driver.rs`.

import { bytesOf } from "./bytes.js";
import { lifecycle, isHidden } from "./lifecycle.js";

// How things stand after a call.
const TO_DO = 1;
const WITH_FRAME = 2;
const NOW = 4;
const EARLIER = 8;

/** The longest time that a browser's timer holds; a longer one would be due at once. */
const LONGEST = 2 ** 31 - 1;

/** Read once: it is dear to read. */
const ORIGIN = performance.timeOrigin;

/** Milliseconds since 1970. Unlike `Date.now()` it never goes back. */
const now = () => ORIGIN + performance.now();

export class Driver {
  #core;
  #edge;
  #page;
  #call;
  #connected = false;
  #performing = false;
  #timer;
  #frame = null;
  #unlisten;

  /**
   * `core` is the module's driver; `edge` opens streams, reads and sends (the words of `src/js/effect.rs`); `page` is told
   * of changes, events, the connection's state, ends of commands and anomalies, and neither throws nor calls the app. `call(action)` runs
   * `action(driver)` for callbacks, which have nobody to throw to.
   */
  constructor(core, edge, page, call) {
    this.#core = core;
    this.#edge = edge;
    this.#page = page;
    this.#call = call;
  }

  /** Follows the thread; when it does already, looks again. */
  connect() {
    if (this.#connected) return this.tell("user");
    this.#connected = true;
    this.#unlisten = lifecycle(this.#call);
    if (isHidden()) this.tell("hidden");
    if (globalThis.navigator?.onLine === false) this.tell("offline");
    this.tell("connect");
  }

  /**
   * Ends all: afterwards there is no stream, request, timer or listener, and nothing more is told. Returns what was left
   * out of the changes, for a page that looks at its view later.
   */
  close() {
    if (!this.#core) return;
    const core = this.#core;
    this.tell("close");
    this.flush();
    const older = core.older();
    this.abandon();
    core.free();
    return older;
  }

  /** Ends all that is open without a word to the module. */
  abandon() {
    this.#core = null;
    clearTimeout(this.#timer);
    this.#frame?.();
    this.#unlisten?.();
    this.#edge.close();
  }

  /** Something happened; the words are those of `src/js/driver.rs`. The text may be given as its bytes. */
  tell(what, id = 0, text = "", kind = "") {
    if (this.#core) this.#settle(this.#core.tell(what, id, bytesOf(text), kind, now(), Math.random()));
  }

  /** An event of the live stream came. */
  event(generation, name, data) {
    if (this.#core) this.#settle(this.#core.liveEvent(generation, name, data, now(), Math.random()));
  }

  /** Bytes of a live stream came. */
  bytes(generation, bytes) {
    if (this.#core) this.#settle(this.#core.liveBytes(generation, bytes, now(), Math.random()));
  }

  /** Something odd was seen on this side. */
  anomaly(code, message) {
    this.#page.anomaly(code, message);
  }

  /** Hands over the changes and events that have gathered. */
  flush() {
    this.#frame?.();
    this.#frame = null;
    const changes = this.#core?.changes();
    const events = this.#core?.events();
    if (changes !== undefined || events !== undefined) this.#page.flush(changes, events);
  }

  listen(on) {
    this.#core?.listen(on);
  }

  whole = () => this.#core.whole();
  older = () => this.#core.older();
  history = () => this.#core.history();
  stats = () => this.#core.stats();

  /** After an input: what there is to do, the next deadline, and the changes when they are due. */
  #settle(state) {
    if (state & TO_DO && !this.#performing) {
      // What is done may bring the next input meanwhile; what that asks for waits its turn, in order.
      this.#performing = true;
      try {
        for (let effect; (effect = this.#core?.poll(now(), Math.random())) !== undefined; ) this.#perform(...JSON.parse(effect));
      } finally {
        this.#performing = false;
      }
      // A carrier tells the engine what came while it is asked what to do.
      state = this.#core?.state();
    }
    if (!this.#core) return;
    if (state & EARLIER) this.#arm();
    if (state & NOW) this.flush();
    else if (state & WITH_FRAME) this.#frame ??= nextFrame(() => this.#call((driver) => driver.flush()));
  }

  #perform(what, ...rest) {
    // Whoever waits for the command or for the connection finds in the view what was said about it.
    if (what === "done" || what === "failed" || what === "status") this.flush();
    (what in this.#page ? this.#page : this.#edge)[what](...rest);
  }

  /** A timer that is due before the deadline stays: it ticks, finds nothing due, and arms the next. */
  #arm() {
    clearTimeout(this.#timer);
    const deadline = this.#core.deadline();
    if (deadline === Infinity) return;
    const tick = () => {
      if (!this.#core) return;
      this.tell("tick");
      if (this.#core) this.#arm();
    };
    this.#timer = setTimeout(() => this.#call(tick), Math.min(Math.max(deadline - now(), 0), LONGEST));
  }
}

/** Calls back with the next animation frame, or, where none will come soon, after 50 ms; returns how to take it back. */
function nextFrame(action) {
  if (!isHidden() && typeof requestAnimationFrame === "function") {
    const frame = requestAnimationFrame(action);
    return () => cancelAnimationFrame(frame);
  }
  const timer = setTimeout(action, 50);
  return () => clearTimeout(timer);
}
