// A thread's events in the words of another protocol: one object at a time, or as a stream.

import { badArgument, closed, fault, ThreadfoldError } from "./errors.js";
import { transcoders } from "./loader.js";

const FACTS = [
  "run_started", "assistant_message", "assistant_thinking", "tool_call", "tool_result", "awaiting", "continuation",
  "run_finished", "run_failed",
];
const KINDS = ["fact", "amend", "delta", "reset", "said"];

/** A transcoder by its protocol's name, or one that a user's handlers make. */
export async function createTranscoder(given, options = {}) {
  return typeof given === "string" ? new BuiltIn(await core(given, options, undefined, false)) : handled(given);
}

/**
 * The stream that `ThreadClient.transcode` gives. `read()` begins to read the thread's events; see `readers.js`.
 */
export function transcoded(given, { as = "objects", from = "last", run, signal, ...options }, read) {
  if (as !== "objects" && as !== "bytes") throw badArgument('`as` is "objects" or "bytes".');
  if (from !== "last" && from !== "next") throw badArgument('`from` is "last" or "next".');
  if (typeof given !== "string") given = handled(given);
  const wanted = { run_id: run, next: from === "next" };
  const opened = typeof given === "string" ? part(given, options, wanted, as === "bytes") : whole(given, as === "bytes");
  const reading = read();
  const over = new AbortController();
  // Whoever reads the stream is told; this only says that somebody will be.
  for (const promise of [opened, reading]) promise.catch(() => {});

  async function pull(controller) {
    try {
      await write(controller);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async function write(controller) {
    const [transcoder, reader] = await Promise.all([opened, reading]);
    for (let written = false; !written; ) {
      const events = await reader.many();
      if (over.signal.aborted) return;
      for (const chunk of events ? transcoder.take(events) : transcoder.finish()) {
        controller.enqueue(chunk);
        written = true;
      }
      const ending = transcoder.ending();
      if (ending === undefined && events) continue;
      leave();
      if (ending === "end") return controller.close();
      throw ending === "cut" && events ? cut() : closed();
    }
  }

  const leave = () => {
    over.abort();
    reading.then((reader) => reader.return(), () => {});
  };
  return new ReadableStream(
    {
      start(controller) {
        const abort = () => {
          leave();
          controller.error(signal.reason);
        };
        if (signal?.aborted) abort();
        else signal?.addEventListener("abort", abort, { once: true, signal: over.signal });
      },
      pull,
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}

const cut = () =>
  new ThreadfoldError("cut", "The stream had to take back what this protocol cannot; transcode again for the whole of it.");

async function core(name, options, wanted, bytes) {
  const { Transcoder } = await transcoders();
  const { threadId, requestId, ...others } = options;
  const given = JSON.stringify({ ...others, thread_id: threadId, request_id: requestId });
  return guarded(() => new Transcoder(name, given, wanted && JSON.stringify(wanted), bytes));
}

function guarded(call) {
  try {
    return call();
  } catch (error) {
    throw fault(error);
  }
}

/** One part of the thread, in the words of a protocol. */
async function part(name, options, wanted, bytes) {
  const transcoder = await core(name, options, wanted, bytes);
  const encoder = new TextEncoder();
  const chunks = (text) => {
    if (!bytes) return JSON.parse(text).filter((chunk) => chunk !== "end" && chunk !== "cut");
    return text === "" ? [] : [encoder.encode(text)];
  };
  const take = (events) => (events.length > 0 ? chunks(guarded(() => transcoder.take(JSON.stringify(events)))) : []);
  return {
    take(events) {
      const mark = events.findIndex((event) => event.type === "caught_up");
      if (mark < 0) return take(events);
      return [...take(events.slice(0, mark)), ...chunks(transcoder.caughtUp()), ...take(events.slice(mark + 1))];
    },
    finish: () => chunks(transcoder.finish()),
    ending: () => transcoder.ending(),
  };
}

/** The whole thread, in the words of a user's own. */
async function whole(handlers, bytes) {
  const encoder = new TextEncoder();
  const framed = (chunk) => (bytes ? encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`) : chunk);
  let ending;
  return {
    *take(events) {
      for (const { type, ...event } of events) {
        if (KINDS.includes(type)) for (const chunk of handlers[type](event)) yield framed(chunk);
      }
    },
    *finish() {
      ending = "end";
      for (const chunk of handlers.finish()) yield framed(chunk);
    },
    ending: () => ending,
  };
}

/** Handlers with what is not there filled in. Facts are never left out by mistake: each kind has a handler. */
function handled(given) {
  const fact = given?.fact;
  const missing = typeof fact === "function" ? [] : FACTS.filter((kind) => typeof fact?.[kind] !== "function");
  if (missing.length > 0) {
    throw badArgument(`A transcoder's \`fact\` is a function, or has one for each kind of Fact; missing: ${missing.join(", ")}.`);
  }
  const call = (name) => (event = {}) => given[name]?.(event) ?? [];
  return {
    fact: (event) => (typeof fact === "function" ? given.fact(event) : fact[event.fact.type](event)) ?? [],
    amend: call("amend"),
    delta: call("delta"),
    reset: call("reset"),
    said: call("said"),
    finish: call("finish"),
  };
}

/** A built-in transcoder, over the whole thread. */
class BuiltIn {
  #core;

  constructor(made) {
    this.#core = made;
  }

  fact(event) {
    return this.#take("fact", event);
  }

  amend(event) {
    return this.#take("amend", event);
  }

  delta(event) {
    return this.#take("delta", event);
  }

  reset(event = {}) {
    return this.#take("reset", event);
  }

  said(event) {
    return this.#take("said", event);
  }

  finish() {
    return JSON.parse(this.#core.finish());
  }

  get skipped() {
    return this.#core.skipped();
  }

  #take(type, event) {
    return guarded(() => JSON.parse(this.#core.take(JSON.stringify([{ ...event, type }]))));
  }
}
