// Who reads a client's events: each has a queue of its own, bounded in Deltas.

/** So many Deltas wait for a reader; neighbours were joined before. */
const LIMIT = 1024;

export class Readers {
  #all = new Set();
  #ended = false;
  #onChange;

  /** `onChange(reader | null)` is told of a reader that came, or that the last one went. */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  get size() {
    return this.#all.size;
  }

  /**
   * `forTranscoder`: it is told what the person said, and where its history ends; where it lost Deltas it is told
   * nothing, for its Facts go on where they stopped.
   */
  add(signal, forTranscoder = false) {
    const leave = (gone) => {
      if (this.#all.delete(gone) && this.#all.size === 0) this.#onChange(null);
    };
    const reader = new Reader(leave, forTranscoder);
    if (this.#ended || signal?.aborted) {
      reader.end();
      return reader;
    }
    this.#all.add(reader);
    signal?.addEventListener("abort", () => reader.return(), { once: true });
    this.#onChange(reader);
    return reader;
  }

  push(events) {
    for (const reader of this.#all) reader.push(events);
  }

  /** Each gets what only it has to know, such as the Facts from before it came. */
  each(action) {
    for (const reader of this.#all) action(reader);
  }

  end() {
    this.#ended = true;
    for (const reader of this.#all) reader.end();
    this.#all.clear();
  }
}

class Reader {
  #queue = [];
  #deltas = 0;
  /** Lanes of which Deltas were lost: nothing more of them is given until they begin anew. */
  #muted = new Set();
  #waiting = [];
  #ended = false;
  #leave;
  #forTranscoder;

  constructor(leave, forTranscoder) {
    this.#leave = leave;
    this.#forTranscoder = forTranscoder;
  }

  /** What happened before it came. */
  history(events) {
    this.push(this.#forTranscoder ? [...events, { type: "caught_up" }] : events);
  }

  push(events) {
    for (const event of events) this.#take(event);
    while (this.#waiting.length > 0 && this.#queue.length > 0) this.#waiting.shift()({ done: false, value: this.#next() });
  }

  end() {
    this.#ended = true;
    for (const resolve of this.#waiting.splice(0)) resolve(OVER);
  }

  /** All that waits, or the next when nothing does; undefined when there will be no more. */
  async many() {
    const { done, value } = await this.next();
    if (done) return undefined;
    const all = [value];
    while (this.#queue.length > 0) all.push(this.#next());
    return all;
  }

  next() {
    if (this.#queue.length > 0) return Promise.resolve({ done: false, value: this.#next() });
    if (this.#ended) return Promise.resolve(OVER);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return() {
    this.#queue = [];
    this.end();
    this.#leave(this);
    return Promise.resolve(OVER);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  #next() {
    // The lane is this file's business alone.
    const { lane, ...event } = this.#queue.shift();
    if (event.type === "delta") this.#deltas -= 1;
    return event;
  }

  #take(event) {
    if (event.type === "said" && !this.#forTranscoder) return;
    if (event.type === "delta") {
      if (this.#muted.has(event.lane)) return;
      this.#deltas += 1;
      this.#queue.push(event);
      if (this.#deltas > LIMIT) this.#lose();
      return;
    }
    if (event.type === "reset" && event.lane === undefined) {
      // The log was replaced: what was told of the old one and not read yet is void.
      this.#queue = [];
      this.#deltas = 0;
      this.#muted.clear();
    } else if (event.type === "reset") {
      this.#muted.delete(event.lane);
    }
    this.#queue.push(event);
  }

  /** The reader is too slow: the Deltas go, and it is told to forget what it has of their lanes. */
  #lose() {
    const lost = new Map();
    this.#queue = this.#queue.filter((event) => {
      if (event.type !== "delta") return true;
      lost.set(event.lane, { run_id: event.run_id, coordinate: event.coordinate });
      return false;
    });
    for (const [lane, where] of lost) {
      this.#muted.add(lane);
      if (!this.#forTranscoder) this.#queue.push({ type: "reset", lane, ...where });
    }
    this.#deltas = 0;
  }
}

const OVER = Object.freeze({ done: true, value: undefined });
