// Between a source and the driver. The source's functions run in a microtask of their own, so nothing of the app ever
// runs inside a call of the module, and none of its errors reaches the module as an exception.

export class Edge {
  #source;
  #call;
  #timeout;
  #live = null;
  #asked = new Set();

  /** `call(action)` runs `action(driver)`, unless the client is closed. */
  constructor(source, call) {
    this.#source = source;
    this.#call = call;
    this.#timeout = source.options?.timeout ?? 30_000;
  }

  openLive(generation) {
    this.#live?.controller.abort();
    const controller = new AbortController();
    const { signal } = controller;
    this.#live = { generation, controller };
    const tell = (action) => signal.aborted || this.#call(action);
    const sink = {
      accepted: () => tell((driver) => driver.tell("accepted", generation)),
      event: (name, data) => tell((driver) => driver.event(generation, String(name), text(data))),
      envelope: (envelope) => tell((driver) => driver.event(generation, "message", text(envelope))),
      activity: () => tell((driver) => driver.tell("activity", generation)),
      closed: (failure) => {
        if (signal.aborted) return;
        controller.abort();
        this.#call((driver) => driver.tell("closed", generation, failureOf(failure)));
      },
      // For the sources of this package alone.
      bytes: (bytes) => tell((driver) => driver.bytes(generation, bytes)),
      anomaly: (code, message) => tell((driver) => driver.anomaly(code, message)),
    };
    queueMicrotask(async () => {
      if (signal.aborted) return;
      try {
        const over = this.#source.openLive(sink, signal);
        if (typeof over?.then !== "function") return;
        await over;
        sink.closed();
      } catch (error) {
        sink.closed(error);
      }
    });
  }

  closeLive(generation) {
    if (this.#live?.generation !== generation) return;
    this.#live.controller.abort();
    this.#live = null;
  }

  read(id, query) {
    this.#ask("page", id, (signal) => this.#source.readCommitted(query, signal));
  }

  request(id, verb, body, run_id) {
    this.#ask("answer", id, async (signal) => {
      const request = run_id === undefined ? body : { run_id, ...body };
      if (typeof this.#source[verb] === "function") return (await this.#source[verb](request, signal)) ?? {};
      throw { status: 405, code: "unsupported", message: `This source has no ${verb}().` };
    });
  }

  close() {
    this.#live?.controller.abort();
    this.#live = null;
    for (const asked of this.#asked) asked.end();
    this.#asked.clear();
  }

  #ask(what, id, ask) {
    const controller = new AbortController();
    const finish = (...said) => {
      if (!this.#asked.delete(asked)) return;
      clearTimeout(timer);
      this.#call((driver) => driver.tell(said[0], id, ...said.slice(1)));
    };
    const failed = (failure) => finish(`${what}Failed`, failureOf(failure));
    const timer = setTimeout(() => {
      failed(`no answer within ${this.#timeout / 1000} s`);
      controller.abort();
    }, this.#timeout);
    const asked = {
      end: () => {
        clearTimeout(timer);
        controller.abort();
      },
    };
    this.#asked.add(asked);
    queueMicrotask(async () => {
      if (controller.signal.aborted) return;
      try {
        const answer = await ask(controller.signal);
        const { body, type } = answer instanceof Answer ? answer : { body: text(answer), type: "" };
        finish(what === "page" ? what : "answered", body, type);
      } catch (error) {
        failed(error);
      }
    });
  }
}

/** Text with its media type, as a host sent it. */
export class Answer {
  constructor(body, type) {
    this.body = body;
    this.type = type;
  }
}

/** Why a source of this package failed, in the words of `src/js/given.rs`. */
export class Failure {
  constructor(said) {
    this.said = said;
  }
}

/** JSON text as it is, any other value as its JSON text. */
const text = (value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "null"));

/** What of an error the driver understands, as JSON. */
function failureOf(error) {
  if (error instanceof Failure) return JSON.stringify(error.said);
  const pick = (key, type) => (typeof error?.[key] === type ? error[key] : undefined);
  const whole = (key) => (pick(key, "number") >= 0 ? Math.ceil(error[key]) : undefined);
  return JSON.stringify({
    status: whole("status"),
    retry_after: whole("retryAfter"),
    code: pick("code", "string"),
    message: pick("message", "string") ?? (error === undefined ? undefined : String(error)),
  });
}
