// A thread's runs as streams of another protocol's events, for clients that ask for one stream at a time.
//
// One transcoder follows the thread. What it writes is kept for the runs that can still be asked for, in parts: a run's
// part goes from its start, or from its going on after a wait, to its next wait or its end. Whoever reads gets the parts
// that it asked for, from their beginnings on, and what is still to come of them.

import { closed, givenUp, ThreadfoldError } from "../errors.js";

/** Why a stream broke off: what was shown of it does not hold any more, and what holds is written anew. */
const retracted = () =>
  new ThreadfoldError("cut", "What was shown of this answer was taken back. Ask for it again: it is written anew.");

/**
 * What a protocol's streams look like.
 * @typedef {object} Wire
 * @property {(event: object) => string | undefined} opens The run whose part this event opens.
 * @property {(event: object, is: {first: boolean, last: boolean}) => boolean} keeps False for what is left out between
 *   two parts that are read as one.
 * @property {(before: object, event: object) => object | undefined} join Both as one event.
 */

export class Turns {
  #thread;
  #wire;
  #make;
  #turns = new Map();
  #readings = new Set();
  /** The part that is being written. */
  #part = null;
  /** The parts that were cut, by their run, which is written anew. */
  #again = new Map();
  #commands = 0;
  #following = null;
  /** Parts that began live and that nobody has read. */
  #unread = new Set();
  /** True when somebody may have said something that nobody was told of. */
  #heard = false;
  #over = false;
  /** The connection's state that was looked at last. */
  #status = null;
  /** So many Facts are history. */
  #behind = 0;
  /** `onNews(isPart)`: a part began that nobody asked for, or only something was said. */
  onNews = () => {};
  onReplaced = () => {};

  /** @param {Wire} wire @param {() => Promise<import("../../index.js").Transcoder>} make Makes the transcoder. */
  constructor(thread, wire, make) {
    this.#thread = thread;
    this.#wire = wire;
    this.#make = make;
  }

  /** Follows the thread from now on; once is enough. */
  follow() {
    this.#following ??= this.#follow();
  }

  /** Does what may begin a part, and keeps all parts that begin meanwhile. @template T @param {() => Promise<T>} command */
  async command(command) {
    this.follow();
    this.#commands += 1;
    try {
      return await command();
    } finally {
      this.#commands -= 1;
      setTimeout(() => this.#news());
    }
  }

  /**
   * The parts of a run from `first` to `last` as one stream, which waits for those that are still to come.
   * @param {{ first: number, last: number, signal?: AbortSignal, onCut?: (part: object, error: Error) => unknown }} wanted
   *   `onCut` gives the events that go before the error, the error, and what is done when it has been told.
   */
  read(run_id, { first, last, signal, onCut }) {
    this.follow();
    let reading;
    const start = (controller) => {
      reading = new Reading(controller, this.#wire, { run_id, first, last, onCut });
      this.#readings.add(reading);
      reading.left = () => {
        this.#readings.delete(reading);
        setTimeout(() => this.#news());
      };
      reading.over = () => {
        this.#over = true;
        setTimeout(() => (this.#over = false));
      };
      signal?.addEventListener("abort", () => reading.detach(), { once: true });
      if (signal?.aborted) reading.detach();
      else this.#enter(reading);
    };
    return new ReadableStream({ start, pull: () => reading.pull(), cancel: () => reading.detach() }, { highWaterMark: 0 });
  }

  /** True within the task in which a stream came to its end: what is asked for now a client asks by itself. */
  get isJustOver() {
    return this.#over;
  }

  /** The number of the last part of this run that was read to any length; −1 before. */
  lastRead(run_id) {
    return this.#turns.get(run_id)?.findLastIndex((part) => part?.isRead) ?? -1;
  }

  /** The part that was begun last. A preview may be here before the first Fact of its run. */
  lastPart(log) {
    const open = this.#part;
    if (open?.run_id !== undefined && !log.facts.some(({ run_id }) => run_id === open.run_id)) return { run_id: open.run_id, part: 0 };
    const { run_id } = log.facts.at(-1) ?? {};
    const rests = run_id === undefined ? 0 : log.rests(run_id);
    const last = log.waiting() ? rests - 1 : rests;
    return { run_id, part: open?.run_id === run_id ? Math.max(open?.number ?? 0, last) : last };
  }

  /** Runs of which something was shown, and of which the log knows nothing: their host lost them. */
  lost(log) {
    const known = new Set(log.facts.map(({ run_id }) => run_id)).add(this.#part?.run_id);
    return new Set([...this.#again.keys()].filter((run_id) => !known.has(run_id)));
  }

  async #follow() {
    let leave;
    try {
      const transcoder = await this.#make();
      const take = (kind) => (event) => {
        for (const written of transcoder[kind](event)) this.#take(written);
        if (kind === "fact") this.#behind -= 1;
        if (kind === "said") this.#hear();
        if (kind === "reset" && event.run_id === undefined) this.#replaced();
      };
      const kinds = ["fact", "amend", "delta", "reset", "said"].map((kind) => [kind, take(kind)]);
      await this.#thread.connect();
      leave = this.#thread.subscribe(() => this.#look());
      this.#catchUp();
      // It writes nothing itself, so one read lasts until the client is closed.
      await this.#thread.transcode(Object.fromEntries(kinds)).getReader().read();
      this.#fail(closed());
    } catch (error) {
      // The next that asks begins anew.
      this.#following = null;
      if (error.code === "not_found" && this.#isEarly()) this.follow();
      else this.#fail(error);
    } finally {
      leave?.();
    }
  }

  #catchUp() {
    this.#behind = this.#thread.facts().length;
  }

  /** Another log: what was kept of the old one does not hold. */
  #replaced() {
    this.#turns.clear();
    this.#unread.clear();
    this.#again.clear();
    this.#catchUp();
    this.onReplaced();
  }

  #take(written) {
    if (written === "end" || written === "cut") {
      const part = this.#part;
      this.#part = null;
      if (!part) return;
      if (written === "cut") this.#again.set(part.run_id, part);
      part.over = written;
      for (const reading of this.#of(part)) this.#leave(reading);
      return;
    }
    this.#part ??= this.#begin(this.#wire.opens(written));
    const part = this.#part;
    const before = part.events.at(-1);
    const joined = before && this.#wire.join(before, written);
    if (joined) part.events[part.events.length - 1] = joined;
    else part.events.push(written);
    for (const reading of this.#of(part)) reading.take(written);
  }

  #begin(run_id) {
    const again = this.#again.get(run_id);
    this.#again.delete(run_id);
    // Nobody asks for what is over, unless an answer is under way that says which run it began.
    if (this.#commands === 0 && !this.#turns.has(run_id)) this.#turns.clear();
    const parts = (!again && this.#turns.get(run_id)) || [];
    const part = { run_id, number: again?.number ?? parts.length, isWhole: again !== undefined, isRead: false, events: [], over: "" };
    // A part that is written anew holds those before it as well.
    parts[part.number] = part;
    this.#turns.set(run_id, parts);
    // History goes on from what was read: its reader came before all of it was here.
    if (!again && (this.#behind <= 0 || parts[part.number - 1]?.isRead)) this.#unread.add(part);
    for (const reading of [...this.#readings]) if (!reading.part) this.#enter(reading);
    setTimeout(() => this.#news());
    return part;
  }

  /** Begins with the part that is due, if it is there. */
  #enter(reading) {
    const parts = this.#turns.get(reading.run_id);
    const whole = parts?.findLast((part) => part?.isWhole);
    if (whole && whole.number >= reading.number && whole.number <= reading.last && reading.number === reading.first) {
      if (reading.first > 0) return reading.cut(whole);
      reading.number = whole.number;
    }
    const part = parts?.[reading.number];
    if (!part) return;
    part.isRead = true;
    this.#unread.delete(part);
    reading.part = part;
    for (const event of part.events) reading.take(event);
    if (part.over) this.#leave(reading);
  }

  #leave(reading) {
    if (reading.part.over === "cut") return reading.cut(reading.part);
    if (reading.number >= reading.last) return reading.end();
    reading.number += 1;
    reading.part = null;
    this.#enter(reading);
  }

  #of(part) {
    return [...this.#readings].filter((reading) => reading.part === part);
  }

  #hear() {
    if (!this.#heard) setTimeout(() => this.#news());
    this.#heard = true;
  }

  /** Parts began that nobody asked for, or something was said: by another page, say. */
  #news() {
    const isPart = this.#unread.size > 0;
    if (this.#commands > 0 || this.#readings.size > 0 || !(isPart || this.#heard)) return;
    this.#unread.clear();
    this.#heard = false;
    this.onNews(isPart);
  }

  #look() {
    const { status } = this.#thread.view;
    if (status === this.#status) return;
    this.#status = status;
    const { state, code = state } = status;
    if (state === "failed" || state === "unauthorized") this.#fail(givenUp(code));
  }

  /** True when somebody reads a thread that its first message makes, and that was looked for too early. */
  #isEarly() {
    const early = [...this.#readings].filter((reading) => !reading.isPatient);
    for (const reading of early) reading.isPatient = true;
    return early.length > 0;
  }

  #fail(error) {
    for (const reading of [...this.#readings]) reading.fail(error);
  }
}

/** One stream that somebody reads, an event at a time: who reads slowly finds neighbours joined. */
class Reading {
  part = null;
  /** True once it has waited for a thread that was not there. */
  isPatient = false;
  left = () => {};
  /** Called when whoever reads has all of it. */
  over = () => {};
  #controller;
  #wire;
  #onCut;
  #queue = [];
  /** What is done when all is read. */
  #ending = null;
  #wanted = null;

  constructor(controller, wire, { run_id, first, last, onCut }) {
    this.#controller = controller;
    this.#wire = wire;
    this.#onCut = onCut;
    Object.assign(this, { run_id, first, last, number: first });
  }

  take(event) {
    const isFirst = this.number === this.first || this.part.isWhole;
    if (!this.#wire.keeps(event, { first: isFirst, last: this.number === this.last })) return;
    const joined = this.#queue.length > 0 && this.#wire.join(this.#queue.at(-1), event);
    if (joined) this.#queue[this.#queue.length - 1] = joined;
    else this.#queue.push(event);
    this.#give();
  }

  end() {
    this.#end(() => {
      this.#controller.close();
      this.over();
    });
  }

  cut(part) {
    const error = retracted();
    const { before = [], error: told = error, then } = this.#onCut?.(part, error) ?? {};
    this.#queue.push(...before);
    this.fail(told, then);
  }

  fail(error, then) {
    this.#end(() => {
      this.#controller.error(error);
      then?.();
    });
  }

  /** Whoever read does not read any more; the run goes on. */
  detach() {
    this.#queue = [];
    this.#end(() => this.#controller.close());
  }

  /** Whoever reads has dealt with all that it got. */
  pull() {
    return new Promise((resolve) => {
      this.#wanted = resolve;
      this.#give();
    });
  }

  #end(ending) {
    this.left();
    this.#ending ??= ending;
    this.#give();
  }

  #give() {
    if (!this.#wanted) return;
    if (this.#queue.length > 0) this.#controller.enqueue(this.#queue.shift());
    else if (this.#ending) this.#ending();
    else return;
    this.#wanted();
    this.#wanted = null;
  }
}
