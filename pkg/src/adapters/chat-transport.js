// The AI SDK's chat over a thread: what a person does becomes commands, and a run's part one stream of chunks.

import { badArgument, ThreadfoldError } from "../errors.js";
import { createTranscoder } from "../transcode.js";
import { toBlocks } from "./blocks.js";
import { Log } from "./log.js";
import { Turns } from "./turns.js";
import { toUIMessages } from "./ui-messages.js";

export class ThreadChatTransport {
  /** A resumed stream carries the whole message. */
  resumeStreamIsReplay = true;
  #thread;
  #onActive;
  #cancels;
  #turns;
  /** Chats that are told to come back. */
  #chats = new Set();
  #replaced = false;
  #calls = false;
  /** True when the chats are to read, whatever they have. */
  #reads = false;

  constructor({ thread, version = 6, reasoning, onActive, abort = "detach" } = {}) {
    if (typeof thread?.events !== "function") throw badArgument("`thread` is a ThreadClient.");
    if (abort !== "detach" && abort !== "cancel") throw badArgument('`abort` is "detach" or "cancel".');
    this.#thread = thread;
    this.#onActive = onActive;
    this.#cancels = abort === "cancel";
    this.#turns = new Turns(thread, wire, () => createTranscoder("ai-sdk", { version, reasoning }));
    this.#turns.onNews = (isPart) => this.#callBack(isPart);
    this.#turns.onReplaced = () => {
      this.#replaced = true;
      this.#callBack();
    };
  }

  async sendMessages({ trigger, messages, messageId, abortSignal }) {
    const last = messages.at(-1);
    if (last?.role === "user") return this.#say(last, trigger, abortSignal);
    if (trigger === "regenerate-message") throw rewriting();
    return this.#answer(messages.find(({ id }) => id === messageId) ?? last, abortSignal);
  }

  async reconnectToStream({ abortSignal } = {}) {
    try {
      await this.#thread.connect();
    } catch (error) {
      // Nothing was said yet.
      if (error.code === "not_found") return null;
      throw error;
    }
    const { run_id, part } = this.#turns.lastPart(new Log(this.#thread));
    return run_id === undefined ? null : this.#read(run_id, 0, part, abortSignal);
  }

  stop() {
    return this.#thread.cancel();
  }

  /** True when the chat's last message answers what the run waits for. */
  sendAutomaticallyWhen = ({ messages }) => {
    const waiting = new Log(this.#thread).waiting();
    return waiting?.id != null && answerOf(messages.at(-1), waiting.wire) !== undefined;
  };

  follow(chat) {
    this.#chats.add(chat);
    this.#turns.follow();
    return () => void this.#chats.delete(chat);
  }

  async #say(message, trigger, signal) {
    if (this.#said(message.id)?.seq != null) throw rewriting();
    const options = { messageId: message.id, idempotencyKey: message.id, onActive: this.#onActive };
    return this.#turns.command(async () => {
      const accepted = await this.#thread.send(toBlocks(message.parts), options);
      // A thread that began with this message is there to be followed only now.
      this.#turns.follow();
      return this.#read(accepted.run_id ?? (await this.#runOf(message.id)), 0, 0, signal);
    });
  }

  async #answer(message, signal) {
    await this.#thread.connect();
    const log = new Log(this.#thread);
    const waiting = log.waiting();
    const run_id = waiting?.run_id ?? log.facts.at(-1)?.run_id;
    if (run_id === undefined) throw nothingPending();
    const part = log.rests(run_id);
    // A chat whose last answer failed answers in that message again: what comes of it is part of another.
    const isHere = !message || message.id === run_id;
    const answers = message?.parts.filter(isAnswer) ?? [];
    const read = this.#turns.lastRead(run_id) + 1;
    const last = waiting ? part - 1 : part;
    // Somebody answered first: what came of it is shown, unless it is shown already.
    if (!waiting || (read > 0 && read <= last)) {
      const first = read || log.answered(run_id, answers);
      if (!isHere || first > last) throw known();
      return this.#read(run_id, first, last, signal);
    }
    // The SDK's own rules have a chat send again as soon as a stream is over. That ends nobody's pause.
    const isPerson = answers.length === 0 || !this.#turns.isJustOver;
    const answer = waiting.id !== null ? answerOf(message, waiting.wire) : isPerson ? {} : undefined;
    if (!answer) throw answers.length > 0 ? known() : nothingPending();
    return this.#turns.command(async () => {
      const stream = isHere ? this.#read(run_id, part, part, signal) : undefined;
      try {
        await this.#thread.resume(waiting.id, answer, { runId: run_id });
      } catch (error) {
        // The first answer wins, and the log says which it was.
        if (error.code !== "already_resolved" && error.code !== "nothing_pending") {
          await stream?.cancel();
          throw error;
        }
      }
      if (!stream) throw known();
      return stream;
    });
  }

  #read(run_id, first, last, signal) {
    if (this.#cancels) signal?.addEventListener("abort", () => this.#thread.cancel(run_id).catch(() => {}), { once: true });
    return this.#turns.read(run_id, { first, last, signal, onCut: (part, error) => this.#cut(part, error) });
  }

  /** What goes before a stream that is cut, and how it ends. */
  #cut({ events }, error) {
    // A call that only streamed is no call. Said so, its part is not taken for one that a resumed stream goes on with.
    const before = [...streaming(events)].map((toolCallId) => ({ type: "tool-output-error", toolCallId, errorText: "This call was taken back.", dynamic: true }));
    if (this.#chats.size === 0) return { before, error };
    // The chat takes an abort for nobody's failure, and sends nothing by itself after one.
    return { before, error: new DOMException(error.message, "AbortError"), then: () => void this.#callBack() };
  }

  /** Has the chats read again, once what they read now is over; with `reads` false only those that lack what was said. */
  async #callBack(reads = true) {
    this.#reads ||= reads;
    if (this.#calls) return;
    this.#calls = true;
    // A chat has dealt with the end of a stream within this task, so nobody sees it at rest in between.
    for (let turn = 0; turn < 100; turn++) await undefined;
    this.#calls = false;
    const [replaced, all] = [this.#replaced, this.#reads];
    this.#replaced = this.#reads = false;
    const said = this.#thread.view.items.findLast(({ kind, seq }) => kind === "user" && seq !== null);
    const lost = this.#turns.lost(new Log(this.#thread));
    for (const chat of this.#chats) {
      let lacks = false;
      // Another page may have said something, or the host has another log, or has lost a run.
      const fresh = (messages) => {
        const isSaid = said === undefined || messages.some(({ id }) => id === said.message_id);
        lacks = replaced || !isSaid || messages.some(({ id }) => lost.has(id));
        return lacks ? toUIMessages(this.#thread) : messages;
      };
      if (chat.messages) fresh(chat.messages);
      if (!all && !lacks && chat.messages) continue;
      if (chat.setMessages) chat.setMessages(fresh);
      else chat.messages = fresh(chat.messages);
      if (all || lacks) void chat.resumeStream();
    }
  }

  #said(messageId) {
    return this.#thread.view.items.findLast(({ kind, message_id }) => kind === "user" && message_id === messageId);
  }

  /** The run that a message began, where the source does not say it. */
  #runOf(messageId) {
    return new Promise((resolve) => {
      const look = () => {
        const { run_id } = this.#said(messageId) ?? {};
        if (run_id) leave(resolve(run_id));
      };
      const leave = this.#thread.subscribe(look);
      look();
    });
  }
}

/** The calls that these events leave without their input. */
function streaming(events) {
  const open = new Set();
  let inStep = [];
  for (const { type, toolCallId } of events) {
    if (type === "start-step") inStep = [];
    else if (type === "reset-step") {
      // They are gone with all that the step had.
      for (const id of inStep.splice(0)) open.delete(id);
    } else if (type === "tool-input-start") {
      open.add(toolCallId);
      inStep.push(toolCallId);
    } else if (type === "tool-input-available") open.delete(toolCallId);
  }
  return open;
}

const ID = { "text-delta": "id", "reasoning-delta": "id", "tool-input-delta": "toolCallId" };

/** @type {import("./turns.js").Wire} */
const wire = {
  opens: ({ type, messageId }) => (type === "start" ? messageId : undefined),
  keeps: ({ type }, { first, last }) => (type === "start" ? first : type !== "finish" || last),
  join(before, event) {
    const id = ID[event.type];
    if (id === undefined || before.type !== event.type || before[id] !== event[id]) return undefined;
    const text = event.type === "tool-input-delta" ? "inputTextDelta" : "delta";
    return { ...event, [text]: before[text] + event[text] };
  },
};

/** What the person, or the page, answered to this call. */
function answerOf(message, call) {
  const part = message?.parts.findLast(({ toolCallId }) => toolCallId === call);
  switch (part?.state) {
    case "approval-responded":
      return { approve: part.approval.approved, reason: part.approval.reason };
    case "output-denied":
      return { approve: false };
    case "output-available":
      return { content: typeof part.output === "string" ? part.output : (JSON.stringify(part.output) ?? "") };
    case "output-error":
      return { content: part.errorText, is_error: true };
    default:
      return undefined;
  }
}

/** True for what the SDK's own rules take for a reason to send again. */
const isAnswer = ({ state, providerExecuted }) =>
  state === "approval-responded" || (!providerExecuted && (state === "output-available" || state === "output-error"));

/** A stream without anything would have a chat that sends by itself send again, for ever; after an abort it doesn't. */
const known = () => new DOMException("The log has all that this message answers.", "AbortError");

const nothingPending = () => new ThreadfoldError("nothing_pending", "The message answers nothing that the run waits for.");

const rewriting = () =>
  new ThreadfoldError("unsupported", "What was said stays said: a thread's log is not rewritten. Send a new message.");
