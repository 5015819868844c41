// Between a custom source and the driver. The source's functions run in a microtask of their own, so nothing of the app
// ever runs inside a call of the module, and none of its errors reaches the module as an exception.

const TIMEOUT = 30_000;

export class CustomEdge {
  #source;
  #call;
  #live = null;
  #asked = new Set();

  /** `call(action)` runs `action(driver)`, unless the client is closed. */
  constructor(source, call) {
    this.#source = source;
    this.#call = call;
  }

  openLive(generation) {
    const controller = new AbortController();
    const { signal } = controller;
    this.#live = { generation, controller };
    const tell = (action) => signal.aborted || this.#call(action);
    const sink = {
      accepted: () => tell((driver) => driver.liveAccepted(generation)),
      event: (name, data) => tell((driver) => driver.liveEvent(generation, String(name), text(data))),
      envelope: (envelope) => tell((driver) => driver.liveEvent(generation, "message", text(envelope))),
      activity: () => tell((driver) => driver.liveActivity(generation)),
      closed: (failure) => {
        if (signal.aborted) return;
        controller.abort();
        this.#call((driver) => driver.liveClosed(generation, failureOf(failure)));
      },
    };
    later(async () => {
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
    this.#ask(
      (signal) => this.#source.readCommitted(JSON.parse(query), signal),
      (driver, page) => driver.page(id, page),
      (driver, failure) => driver.pageFailed(id, failure),
    );
  }

  request(id, verb, request) {
    this.#ask(
      async (signal) => {
        if (typeof this.#source[verb] === "function") return (await this.#source[verb](JSON.parse(request), signal)) ?? {};
        throw { status: 405, code: "unsupported", message: `This source has no ${verb}().` };
      },
      (driver, accepted) => driver.answered(id, accepted),
      (driver, failure) => driver.answerFailed(id, failure),
    );
  }

  close() {
    this.#live?.controller.abort();
    this.#live = null;
    for (const { controller, timer } of this.#asked) {
      clearTimeout(timer);
      controller.abort();
    }
    this.#asked.clear();
  }

  #ask(ask, answered, failed) {
    const controller = new AbortController();
    const asked = { controller, timer: undefined };
    const finish = (action) => {
      if (!this.#asked.delete(asked)) return;
      clearTimeout(asked.timer);
      this.#call(action);
    };
    asked.timer = setTimeout(() => {
      finish((driver) => failed(driver, failureOf(`no answer within ${TIMEOUT / 1000} s`)));
      controller.abort();
    }, TIMEOUT);
    this.#asked.add(asked);
    later(async () => {
      if (controller.signal.aborted) return;
      try {
        const answer = text(await ask(controller.signal));
        finish((driver) => answered(driver, answer));
      } catch (error) {
        const failure = failureOf(error);
        finish((driver) => failed(driver, failure));
      }
    });
  }
}

const later = (action) => queueMicrotask(action);

/** JSON text as it is, any other value as its JSON text. */
const text = (value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "null"));

/** What of an error the driver understands, as JSON. */
function failureOf(error) {
  const pick = (key, type) => (typeof error?.[key] === type ? error[key] : undefined);
  const whole = (key) => (pick(key, "number") >= 0 ? Math.ceil(error[key]) : undefined);
  return JSON.stringify({
    status: whole("status"),
    retry_after: whole("retryAfter"),
    code: pick("code", "string"),
    message: pick("message", "string") ?? (error === undefined ? undefined : String(error)),
  });
}
