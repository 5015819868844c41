// AG-UI's agent over a thread: a run is a command and one stream of events, and it never passes for done when it is not.

import { AbstractAgent } from "@ag-ui/client";
import { Observable } from "rxjs";
import { badArgument, ThreadfoldError } from "../errors.js";
import { createTranscoder } from "../transcode.js";
import { toAgUiMessages } from "./ag-ui-messages.js";
import { toBlocks } from "./blocks.js";
import { Log } from "./log.js";
import { Turns } from "./turns.js";

/** How the run that an agent reads failed, by the agent. A clone of an agent is made without a constructor. */
const failures = new WeakMap();

export class ThreadAgent extends AbstractAgent {
  constructor({ thread, onActive, ...config } = {}) {
    if (typeof thread?.events !== "function") throw badArgument("`thread` is a ThreadClient.");
    super(config);
    const { threadId } = this;
    Object.assign(this, { thread, onActive, turns: new Turns(thread, wire, () => createTranscoder("ag-ui", { threadId })) });
  }

  clone() {
    const { thread, onActive, turns } = this;
    return Object.assign(super.clone(), { thread, onActive, turns });
  }

  async runAgent(parameters, subscriber) {
    return outcome(this, await super.runAgent(parameters, subscriber));
  }

  async connectAgent(parameters, subscriber) {
    try {
      await this.thread.connect();
    } catch (error) {
      // Nothing was said yet.
      if (error.code !== "not_found") throw error;
    }
    this.setMessages(toAgUiMessages(this.thread));
    // What is waited for is learnt anew.
    this.pendingInterrupts = [];
    return outcome(this, await super.connectAgent(parameters, subscriber));
  }

  /** Ends the run for everybody. `detachActiveRun()` stops reading it and leaves it alone. */
  abortRun() {
    this.thread.cancel().catch(() => {});
  }

  run(input) {
    // The log's answer to a call takes the place of the one that the page has made.
    const call = input.messages.at(-1)?.role === "tool" && new Log(this.thread).waiting()?.wire;
    if (call) this.messages = this.messages.filter(({ role, toolCallId }) => role !== "tool" || toolCallId !== call);
    return events(this, (signal) => begin(this, input, signal));
  }

  connect() {
    const last = this.turns.lastPart(new Log(this.thread));
    return events(this, () => last, new Had(this.messages));
  }
}

function outcome(agent, result) {
  const failure = failures.get(agent);
  if (failure) throw failure;
  return result;
}

/** The events of the part that `open(signal)` names, perhaps with its stream. */
function events(agent, open, had) {
  return new Observable((observer) => {
    const controller = new AbortController();
    const { signal } = controller;
    failures.delete(agent);
    let last;
    const reasonings = new Set();
    /** Calls that the client has seen begin, and not seen answered. */
    const unanswered = new Set();
    const pass = (event) => {
      if (last && event.type === "RUN_STARTED") return;
      last = event;
      if (had?.has(event)) return;
      if (event.type === "REASONING_START") reasonings.add(event.messageId);
      if (event.type === "TOOL_CALL_START") unanswered.add(event.toolCallId);
      if (event.type === "TOOL_CALL_RESULT") unanswered.delete(event.toolCallId);
      observer.next(event);
    };
    const follow = async () => {
      const { run_id, part, stream } = await open(signal);
      let reading = stream;
      while (run_id !== undefined) {
        try {
          reading ??= agent.turns.read(run_id, { first: part, last: part, signal });
          await each(reading, pass);
          break;
        } catch (error) {
          if (error.code !== "cut" || !agent.thread.facts().some((placed) => placed.run_id === run_id)) throw error;
          // The host has another log: the agent gets what it holds, and the run goes on from there.
          // An answer that it did not see comes as an event: one that a snapshot brings is none to the client.
          const messages = toAgUiMessages(agent.thread).filter(({ toolCallId }) => !unanswered.has(toolCallId));
          for (const event of snapshots(messages, reasonings)) observer.next(event);
          had = new Had(messages);
          reading = undefined;
        }
      }
      // The client takes each of these for the end of a good run.
      if (last?.type === "RUN_ERROR") failures.set(agent, new ThreadfoldError(last.code ?? "run_failed", last.message));
      else if (last && last.type !== "RUN_FINISHED" && !signal.aborted) failures.set(agent, truncated());
      observer.complete();
    };
    follow().catch((error) => observer.error(error));
    return () => controller.abort();
  });
}

async function each(stream, take) {
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
  }
}

/** The client keeps reasoning that a snapshot without any leaves out, so what has to go is an ordinary message first. */
function* snapshots(messages, reasonings) {
  const type = "MESSAGES_SNAPSHOT";
  const stale = [...reasonings].filter((id) => !messages.some((message) => message.id === id));
  if (stale.length > 0) yield { type, messages: [...messages, ...stale.map((id) => ({ id, role: "assistant", content: "" }))] };
  yield { type, messages };
}

const truncated = () => new ThreadfoldError("truncated", "The run's events stopped before the run ended. Connect again.");

/** Does what the input asks for, and gives the run and its part that comes of it. */
async function begin(agent, { messages, resume }, signal) {
  const { thread, turns } = agent;
  const last = messages.at(-1);
  if (!resume?.length && last?.role === "user") {
    const isNew = ({ id }) => !thread.view.items.some(({ kind, message_id, seq }) => kind === "user" && message_id === id && seq !== null);
    if (!isNew(last)) throw new ThreadfoldError("unsupported", "This message was answered; a thread's log is not rewritten. Add a new one.");
    const before = messages.at(-2);
    if (before?.role === "user" && isNew(before)) throw badArgument("A run answers one message. Say everything in one.");
    return turns.command(async () => {
      const options = { messageId: last.id, idempotencyKey: last.id, onActive: agent.onActive };
      const { run_id } = await thread.send(toBlocks(last.content), options);
      turns.follow();
      return { run_id, part: 0, stream: turns.read(run_id, { first: 0, last: 0, signal }) };
    });
  }
  await thread.connect();
  const log = new Log(thread);
  const waiting = log.waiting();
  const run_id = waiting?.run_id ?? log.facts.at(-1)?.run_id;
  const answer = waiting && answerOf(waiting, messages, resume);
  const part = run_id === undefined ? 0 : log.rests(run_id);
  if (run_id === undefined || (waiting && !answer) || (!waiting && turns.lastRead(run_id) >= part)) {
    throw new ThreadfoldError("nothing_pending", "The input answers nothing that the run waits for, and says nothing new.");
  }
  return turns.command(async () => {
    const stream = turns.read(run_id, { first: part, last: part, signal });
    if (!waiting) return { run_id, part, stream };
    try {
      if (answer === "cancel") await thread.cancel(run_id);
      else await thread.resume(waiting.id, answer, { runId: run_id });
    } catch (error) {
      // The first answer wins, and the log says which it was.
      if (!["already_resolved", "nothing_pending", "no_active_run"].includes(error.code)) {
        await stream.cancel();
        throw error;
      }
    }
    return { run_id, part, stream };
  });
}

function answerOf({ run_id, position, reason, id, wire }, messages, resume) {
  const interrupt = `${run_id}-${position.seq}-${position.index}`;
  const entry = resume?.find(({ interruptId }) => interruptId === interrupt);
  if (!entry) {
    const result = messages.findLast(({ role, toolCallId }) => role === "tool" && toolCallId === wire);
    return result && { content: toBlocks(result.content), is_error: result.error !== undefined };
  }
  const { status, payload } = entry;
  if (id === null) return status === "cancelled" ? "cancel" : {};
  if (reason === "user_input" || reason === "external_event") {
    if (status === "cancelled") return { content: "cancelled", is_error: true };
    return { content: typeof payload === "string" ? payload : (JSON.stringify(payload) ?? "") };
  }
  const { approved = payload !== false, approve = approved, reason: why } = Object(payload);
  return { approve: status === "resolved" && approve === true, ...(why && { reason: String(why) }) };
}

/** What the agent holds already, whole: the stream of a run that is read late tells of it once more. */
class Had {
  #ids;

  constructor(messages) {
    this.#fill(messages);
  }

  has(event) {
    // What a snapshot leaves out comes again behind it.
    if (event.type === "MESSAGES_SNAPSHOT") this.#fill(event.messages);
    return CONTENT.test(event.type) && this.#ids.has(event.messageId ?? event.toolCallId);
  }

  #fill(messages) {
    this.#ids = new Set(messages.flatMap(({ id, content, toolCalls = [] }) => [content === undefined ? "" : id, ...toolCalls.map((call) => call.id)]));
  }
}

const CONTENT = /^(TEXT_MESSAGE|REASONING|TOOL_CALL)_/;

const GROWS = { TEXT_MESSAGE_CONTENT: "messageId", REASONING_MESSAGE_CONTENT: "messageId", TOOL_CALL_ARGS: "toolCallId" };

/** @type {import("./turns.js").Wire} */
const wire = {
  opens: ({ type, runId }) => (type === "RUN_STARTED" ? runId : undefined),
  keeps: () => true,
  join(before, event) {
    const id = GROWS[event.type];
    if (id === undefined || before.type !== event.type || before[id] !== event[id]) return undefined;
    return { ...event, delta: before.delta + event.delta };
  },
};
