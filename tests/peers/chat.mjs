// The AI SDK's own chat, over our transport, on a thread that does what a sequence says: a page that asks and answers, or
// one that only follows while others do. The engine is not in between: a sequence says what a transcoder is told, which
// the engine makes of a host's frames.

import assert from "node:assert/strict";
import { ThreadChatTransport, toUIMessages } from "../../pkg/ai-sdk.js";
import { Readers } from "../../pkg/src/readers.js";
import { transcoded } from "../../pkg/src/transcode.js";
import { until } from "../../www/tests/support/until.mjs";
import { chatOver } from "../adapters/chat.mjs";
import { plainParts, uiParts } from "./expected-ai-sdk.mjs";
import { dice } from "./sequences.mjs";

/** A turn of the event loop, timers included. */
const turn = () => new Promise((resolve) => setTimeout(resolve));
const key = ({ seq, index }) => `${seq}/${index}`;

/** What a transport asks of a thread's client, with a sequence in the host's place. */
class Thread {
  view = { status: { state: "live" }, run: null, items: [] };
  /** What was asked of it and nobody has answered yet: `send` or `resume`, with what answers it. */
  asked = null;
  #facts = new Map();
  #said = [];
  /** The transport reads: its transcoder was loaded, which takes what it takes. */
  isFollowed = false;
  #readers = new Readers((reader) => {
    this.isFollowed = true;
    reader?.history(this.#history());
  });
  #listeners = new Set();

  /** Something happens; what it is told of becomes known at once, and is read when the reader comes to it. */
  take(input) {
    if (input.type === "said") {
      const { id, content } = input.message;
      const item = { kind: "user", message_id: id, seq: input.seq, run_id: input.run_id, parts: content };
      this.view = { ...this.view, items: [...this.view.items, item] };
      this.#said.push(input);
    }
    if (input.type === "fact") this.#facts.set(key(input.position), input);
    if (input.type === "amend") this.#facts.set(key(input.position), { ...this.#facts.get(key(input.position)), fact: input.fact });
    const lane = JSON.stringify([input.run_id, input.coordinate]);
    this.#readers.push([input.type === "delta" || input.type === "reset" ? { ...input, lane } : input]);
    for (const listener of this.#listeners) listener();
    if (["continuation", "run_finished", "run_failed"].includes(input.fact?.type)) this.#late();
  }

  async connect() {}

  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  facts() {
    return [...this.#facts.values()].map(({ type, ...placed }) => placed);
  }

  events({ signal } = {}) {
    return this.#readers.add(signal);
  }

  transcode(handlers) {
    return transcoded(handlers, {}, async () => this.#readers.add(undefined, true));
  }

  send(content, { messageId }) {
    return this.#ask({ what: "send", messageId, content });
  }

  resume(id) {
    return this.#ask({ what: "resume", id });
  }

  close() {
    this.#readers.end();
  }

  #ask(asked) {
    return new Promise((accept, refuse) => {
      this.asked = { ...asked, accept, refuse };
      if (asked.what === "resume" && this.facts().at(-1)?.fact.type !== "awaiting") this.#late();
    });
  }

  /** The first answer wins, and it was another's. */
  #late() {
    if (this.asked?.what !== "resume") return;
    this.asked.refuse(Object.assign(new Error("somebody answered first"), { code: "already_resolved" }));
    this.asked = null;
  }

  #history() {
    const facts = [...this.#facts.values()];
    const said = [...this.#said];
    return facts.flatMap((fact) => [...said.splice(0, said.findLastIndex(({ seq }) => seq <= fact.position.seq) + 1), fact]).concat(said);
  }
}

/** A page over a sequence, and what happens in it. */
class Page {
  #d;
  #made;
  #thread = new Thread();
  #chat;
  #errors;
  #transport;
  /** True when the chat decides by the SDK's own rules when to send what was answered. */
  #isStock;
  /** By index in the chat's list: an id stays what it was. */
  #ids = [];

  constructor(ai, version, made) {
    this.#made = made;
    this.#d = dice(made.number ^ 0xc4a7);
    this.#transport = new ThreadChatTransport({ thread: this.#thread, version });
    for (const input of made.inputs.slice(0, made.history)) this.#thread.take(input);
    const messages = made.history > 0 ? toUIMessages(this.#thread) : [];
    this.#isStock = this.#d.chance(0.5);
    const { sendAutomaticallyWhen } = this.#isStock ? {} : this.#transport;
    const page = chatOver(ai, this.#transport, messages, { sendAutomaticallyWhen, runsTools: !made.follows });
    this.#chat = page.chat;
    this.#errors = page.errors;
    this.#transport.follow(this.#chat);
  }

  async play() {
    const { inputs, history, follows } = this.#made;
    try {
      // Mostly the page has what was committed before it came.
      if (this.#d.chance(0.8)) await this.#rest();
      if (history > 0) void this.#chat.resumeStream();
      for (let at = history; at < inputs.length; at += 1) {
        const input = inputs[at];
        if (input.type === "said" && !follows) await this.#say(input);
        else this.#thread.take(input);
        const waits = input.fact?.type === "awaiting" && at + 1 < inputs.length;
        if (waits && !follows && this.#d.chance(0.6)) await this.#answer(input);
        if (this.#d.chance(0.01)) await this.#leaves();
        if (this.#d.chance(0.2)) await (this.#d.chance(0.5) ? undefined : turn());
      }
      await this.#rest();
      this.#judge();
    } finally {
      this.#thread.close();
    }
  }

  /** The person says it, and the host takes it. */
  async #say(input) {
    await this.#rest();
    void this.#chat.sendMessage({ text: input.message.content[0].text });
    const asked = await this.#asked("send");
    assert.deepEqual(asked.content, input.message.content);
    input.message = { ...input.message, id: asked.messageId };
    if (this.#d.chance(0.5)) this.#thread.take(input);
    else setTimeout(() => this.#thread.take(input));
    await turn();
    asked.accept({ message_id: asked.messageId, run_id: input.run_id });
  }

  /** The person answers what the run waits for, unless another page does. */
  async #answer({ run_id, fact }) {
    if (fact.reason === "tool_permission") {
      await this.#rest();
      const { parts } = this.#chat.messages.find(({ id }) => id === run_id);
      const [asks, ...others] = parts.filter(({ state }) => state === "approval-requested");
      assert.ok(asks && others.length === 0, `what waits for a permission is shown, in ${JSON.stringify(this.#chat.messages.map(({ id, parts }) => [id, parts.length, JSON.stringify(parts.at(-1)).slice(0, 60)]))}; the chat is ${this.#chat.status}, ${this.#chat.error}`);
      await this.#chat.addToolApprovalResponse({ id: asks.approval.id, approved: true });
      await turn();
      // The SDK's own rule waits for all calls of the step, those that the host runs next too.
      if (this.#isStock && !this.#thread.asked) void this.#chat.sendMessage();
    } else if (fact.reason === "manual_pause") {
      await this.#rest();
      assert.equal(this.#thread.asked, null, "nobody but the person ends a pause");
      void this.#chat.sendMessage();
    } else if (fact.reason !== "client_execution") return;
    // What the page is to run the chat has run, and answers by itself.
    const asked = await this.#asked("resume");
    assert.equal(asked.id, fact.pending_tool_use_id);
    asked.accept({});
  }

  /** The page lets its stream go, and asks for it again later. */
  async #leaves() {
    await this.#chat.stop();
    await turn();
    void this.#chat.resumeStream();
  }

  async #asked(what) {
    for (let turns = 0; turns < 200; turns += 1) {
      const { asked } = this.#thread;
      if (asked) {
        this.#thread.asked = null;
        assert.equal(asked.what, what);
        return asked;
      }
      await turn();
    }
    throw new Error(`the chat does not ${what}; it is ${this.#chat.status}, ${this.#chat.error}`);
  }

  /** Nothing is under way in the chat, and nothing begins by itself. A chat whose answer nobody takes is at rest, too. */
  async #rest() {
    await until("the transcoder is there", () => this.#thread.isFollowed);
    // From here on all that happens are turns of this program.
    for (let quiet = 0, turns = 0; quiet < 5; turns += 1) {
      await turn();
      const { status } = this.#chat;
      assert.ok(turns < 500, `the chat does not rest, it is ${status}`);
      quiet = status === "ready" || status === "error" || this.#thread.asked ? quiet + 1 : 0;
    }
  }

  #judge() {
    const facts = this.#thread.facts();
    const wanted = uiParts(facts);
    const { fact, run_id } = facts.at(-1);
    // The sequence ended with what the chat has answered, and was not taken.
    const { asked } = this.#thread;
    if (asked) {
      assert.deepEqual([asked.what, asked.id], ["resume", fact.pending_tool_use_id]);
      const part = wanted.get(run_id).findLast(({ providerExecuted, state }) => !providerExecuted && state === "input-available");
      Object.assign(part, { state: "output-available", output: "teal" });
    }
    const bare = this.#made.inputs.some((input) => input.type === "delta" && !input.coordinate);
    const said = this.#thread.view.items.map(({ message_id, run_id, parts }) => [
      { id: message_id, role: "user", parts },
      { id: run_id, role: "assistant", parts: plainParts(wanted.get(run_id) ?? [], bare) },
    ]);
    const held = this.#chat.messages.map(({ id, role, parts }) => ({ id, role, parts: plainParts(parts, bare) }));
    assert.deepEqual(held, said.flat());
    const failed = fact.type === "run_failed" ? `${fact.code}: ${fact.message}` : undefined;
    assert.equal(this.#chat.error?.message, failed);
    assert.equal(this.#chat.status, asked ? "submitted" : failed ? "error" : "ready");
    const failures = new Set(facts.filter(({ fact }) => fact.type === "run_failed").map(({ fact }) => `${fact.code}: ${fact.message}`));
    assert.deepEqual(this.#errors.map(({ message }) => message).filter((message) => !failures.has(message)), [], "an error that nobody told");
  }
}

/** The sequence with what the log says of what was said: where it stands, and the run that it began. */
function placed(inputs) {
  return inputs.map((input, at) => {
    if (input.type !== "said") return input;
    const { position, run_id } = inputs.slice(at).find(({ fact }) => fact?.type === "run_started");
    return { ...input, seq: position.seq, run_id };
  });
}

/** Plays a sequence to the chat, and compares what it holds with the Facts. */
export const chatJudge = (ai, version) => (made) => new Page(ai, version, { ...made, inputs: placed(made.inputs) }).play();
