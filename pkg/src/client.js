// One thread, followed: what an app holds. The driver below it is made when it is first needed, for its module loads
// by itself.

import { bytesOf } from "./bytes.js";
import { badArgument, closed, fault, givenUp, ThreadfoldError } from "./errors.js";
import { Driver } from "./driver.js";
import { Edge } from "./edge.js";
import { makeId } from "./ids.js";
import { core, init } from "./loader.js";
import { Mirror } from "./mirror.js";
import { Readers } from "./readers.js";
import { checkSource, driverOptions } from "./source.js";
import { NO_STATS } from "./stats.js";
import { transcoded } from "./transcode.js";

export class ThreadClient {
  #source;
  #initial;
  #onAnomaly;
  #mirror = new Mirror(() => this.#older());
  #listeners = new Set();
  #notified = true;
  #readers = new Readers((reader) => this.#reading(reader));
  #driver = null;
  /** The promise that `connect()` gave, until following is given up. */
  #connection = null;
  /** True once what was committed has been read. */
  #followed = false;
  /** Commands under way, by number: how to settle what their callers hold. */
  #commands = new Map();
  #lastCommand = 0;
  #closed = false;
  #stats = NO_STATS;
  /** What the driver had left out of the changes when it was closed. */
  #left;

  constructor(options) {
    const { source, initial, onAnomaly } = options ?? {};
    checkSource(source);
    this.#source = source;
    this.#initial = initial;
    this.#onAnomaly = onAnomaly;
    // A page that was rendered elsewhere is shown as soon as it can be.
    if (initial !== undefined) this.#start().catch(() => {});
  }

  get view() {
    return this.#mirror.view;
  }

  subscribe = (listener) => {
    if (this.#closed) return () => {};
    // An entry of its own, so that one function that subscribes twice is called, and leaves, twice.
    const entry = { listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  };

  connect() {
    if (this.#closed) return Promise.reject(closed());
    if (this.#connection) return this.#connection.promise;
    const connection = settlable();
    // The view's status says it too, so an app that does not look at the promise is not told of a failure twice.
    connection.promise.catch(() => {});
    this.#connection = connection;
    this.#start().then(
      () => this.#call((driver) => driver.connect()),
      (error) => this.#disconnected(error),
    );
    return connection.promise;
  }

  retry() {
    this.#call((driver) => driver.tell("user"));
  }

  async send(content, { messageId = makeId(), idempotencyKey = makeId(), onActive = "reject" } = {}) {
    return this.#command("send", { content: blocks(content), message_id: messageId, key: idempotencyKey, on_active: onActive });
  }

  async resume(callId, answer, { runId, idempotencyKey = makeId() } = {}) {
    const given = answer?.content === undefined ? (answer ?? {}) : { ...answer, content: blocks(answer.content) };
    return this.#command("resume", { ...given, run_id: runId, call_id: callId, key: idempotencyKey });
  }

  async cancel(runId) {
    return this.#command("cancel", runId);
  }

  events({ signal } = {}) {
    return this.#readers.add(signal);
  }

  transcode(transcoder, options = {}) {
    const { threadId } = this.#source.options ?? this.#source;
    return transcoded(transcoder, { threadId, ...options }, async () => {
      // What is read on connecting is history too.
      if (!this.#followed) await this.connect();
      return this.#readers.add(undefined, true);
    });
  }

  facts() {
    let facts = [];
    this.#call((driver) => {
      // What waits is in the view before its Facts are told.
      driver.flush();
      const all = JSON.parse(driver.history());
      facts = all.filter(({ type }) => type === "fact").map(({ type, ...placed }) => placed);
    });
    return facts;
  }

  stats() {
    if (this.#driver) this.#call((driver) => (this.#stats = Object.freeze(JSON.parse(driver.stats()))));
    return this.#stats;
  }

  close() {
    this.#end(closed());
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.close();
  }

  /** Sees to it that there is a driver. */
  async #start() {
    if (this.#driver) return;
    if (!core()) await init();
    if (this.#closed) throw closed();
    if (this.#driver) return;
    const call = (action) => this.#call(action);
    try {
      const initial = typeof this.#initial === "object" ? JSON.stringify(this.#initial) : this.#initial;
      const made = new (core().Driver)(JSON.stringify(driverOptions(this.#source)), initial === undefined ? undefined : bytesOf(initial));
      this.#driver = new Driver(made, this.#source.kind === "dsh" ? this.#source.edge(call) : new Edge(this.#source, call), this.#page(), call);
      this.#initial = undefined;
    } catch (error) {
      throw this.#failed(error);
    }
    this.#call((driver) => {
      driver.flush();
      if (this.#readers.size > 0) driver.listen(true);
    });
    this.#readers.each((reader) => this.#history(reader));
  }

  /** What the driver tells. Nothing here throws or calls the app. */
  #page() {
    return {
      flush: (changes, events) => {
        if (changes !== undefined) this.#changed(changes);
        if (events !== undefined) this.#readers.push(JSON.parse(events));
      },
      status: ({ state, code = state }) => {
        if (state === "live") {
          this.#followed = true;
          this.#connection?.resolve();
        }
        if (state === "unauthorized" || state === "failed") this.#disconnected(givenUp(code));
      },
      done: (id, accepted) => this.#settled(id)?.resolve(accepted),
      failed: (id, code, message) => this.#settled(id)?.reject(new ThreadfoldError(code, message || code)),
      anomaly: (code, message) => {
        if (this.#onAnomaly) queueMicrotask(() => this.#onAnomaly({ code, message }));
      },
    };
  }

  #changed(changes) {
    if (!this.#mirror.apply(JSON.parse(changes))) this.#mirror.replace(JSON.parse(this.#driver.whole()));
    this.#notify();
  }

  /** What was left out of the changes, for a page that looks at it. */
  #older() {
    let older = this.#left;
    this.#left = undefined;
    this.#call((driver) => (older = driver.older()));
    return older && JSON.parse(older);
  }

  #notify() {
    if (!this.#notified) return;
    this.#notified = false;
    queueMicrotask(() => {
      this.#notified = true;
      for (const { listener } of [...this.#listeners]) {
        try {
          listener();
        } catch (error) {
          report(error);
        }
      }
      if (this.#closed) this.#listeners.clear();
    });
  }

  async #command(what, given) {
    if (this.#closed) throw closed();
    if (!this.#driver) await this.#start();
    if (this.#closed) throw closed();
    const id = ++this.#lastCommand;
    const command = settlable();
    this.#commands.set(id, command);
    try {
      this.#driver.tell(what, id, typeof given === "object" ? JSON.stringify(given) : given);
    } catch (error) {
      this.#commands.delete(id);
      throw this.#failed(error);
    }
    return command.promise;
  }

  /** A command is over. */
  #settled(id) {
    const command = this.#commands.get(id);
    this.#commands.delete(id);
    return command;
  }

  /** Calls into the driver, unless there is none any more. A fault there ends the client. */
  #call(action) {
    if (!this.#driver) return;
    try {
      action(this.#driver);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** The error for the caller; a fault of the module itself ends the client. */
  #failed(error) {
    const failure = fault(error);
    if (failure.code === "internal") this.#end(failure);
    return failure;
  }

  #disconnected(error) {
    this.#connection?.reject(error);
    this.#connection = null;
  }

  #reading(reader) {
    if (!this.#driver) return;
    this.#call((driver) => {
      if (!reader) return driver.listen(false);
      // What waits is for those who read already.
      driver.flush();
      if (this.#readers.size === 1) driver.listen(true);
    });
    if (reader) this.#history(reader);
  }

  #history(reader) {
    this.#call((driver) => reader.history(JSON.parse(driver.history())));
  }

  #end(error) {
    if (this.#closed) return;
    this.stats();
    this.#closed = true;
    const driver = this.#driver;
    // A poisoned module is not asked for anything any more, not even to let go.
    if (driver) error.code === "closed" ? this.#call((open) => (this.#left = open.close())) : driver.abandon();
    this.#driver = null;
    if (this.#mirror.view.status.state !== "closed") this.#mirror.setStatus({ state: "closed" });
    this.#notify();
    this.#disconnected(error);
    for (const command of this.#commands.values()) command.reject(error);
    this.#commands.clear();
    this.#readers.end();
  }
}

function blocks(content) {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content;
  throw badArgument("`content` is a string or an array of blocks.");
}

function settlable() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** An app's error, told as if it had happened in an event handler. */
function report(error) {
  if (typeof reportError === "function") reportError(error);
  else setTimeout(() => { throw error; });
}
