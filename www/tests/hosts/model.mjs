// @ts-check
// A model that says what a test wants: the endpoint that a dsh host under test asks. It speaks as much of the Messages
// API as the host's provider needs, and can be held in the middle of an answer, so that a test knows exactly what has
// been sent and what has not.
//
// The newest prompt that begins with "/" says what is answered: see SCRIPTS. Requests without tools are for a title.

import http from "node:http";
import { until } from "../support/until.mjs";

/** Letters that take one to four bytes, and one that is joined of several. */
const WORDS = "The quick brown fox jumps over the lazy dog, Zażółć gęślą jaźń, 敏捷的棕色狐狸, 🦊 and 👩‍🚀 too. ";

/** @typedef {{ type: "thinking" | "text", text: string } | { type: "call", name: string, input: unknown } | { type: "wait" }} Said */
/** @typedef {{ said: Said[], stop?: "end_turn" | "max_tokens" | "tool_use" }} Answer */
/** @typedef {{ status: number } | { event: string } | "reset" | "eof"} Failing What a request fails with, after what was said. */
/**
 * What was sent of the answer under way: its Deltas so far.
 * @typedef {{ count: number, text: string, reasoning: string, calls: { id: string, name: string, args: string }[] }} Sent
 */

/** @type {Record<string, (argument: string, step: number, attempt: number) => Answer | (Answer & { failing: Failing })>} */
const SCRIPTS = {
  plain: (argument) => ({ said: [{ type: "text", text: argument || WORDS }] }),
  think: () => ({ said: [{ type: "thinking", text: `Let me see. ${WORDS}` }, { type: "text", text: WORDS }] }),
  long: (argument) => ({ said: [{ type: "text", text: Array.from({ length: Number(argument) }, (_, n) => `w${n} `.padEnd(6)).join("") }] }),
  tool: (_, step) => calls(step, [["bash", { command: "echo from-the-tool", description: "Says a word" }]]),
  tools: (_, step) => calls(step, [["bash", { command: "echo one", description: "One" }], ["bash", { command: "echo two", description: "Two" }]]),
  sleep: (_, step) => calls(step, [["bash", { command: "sleep 30", description: "Sleeps" }]]),
  write: (argument, step) =>
    calls(step, [["write", { file_path: argument || "new.txt", content: "x", sandbox_permissions: "workspace-write", justification: "The test writes a file." }]]),
  cut: () => ({ said: [{ type: "text", text: WORDS }, { type: "call", name: "bash", input: { command: "echo never" } }], stop: "max_tokens" }),
  silent: () => ({ said: [{ type: "wait" }, { type: "text", text: "Late." }] }),
  // Fails in the middle so many times, each time in another way, and then answers.
  retry: (argument, _, attempt) => ({ said: [{ type: "text", text: WORDS }], ...(attempt <= Number(argument || 1) ? { failing: FAILURES[(attempt - 1) % FAILURES.length] } : {}) }),
  refused: () => ({ said: [], failing: { status: 400 } }),
};

/** @type {Failing[]} */
const FAILURES = ["reset", { event: "overloaded_error" }, { status: 503 }];

/** @param {number} step @param {[string, unknown][]} asked @returns {Answer} */
function calls(step, asked) {
  if (step > 0) return { said: [{ type: "text", text: `The tool is done. ${WORDS}` }] };
  const text = /** @type {Said} */ ({ type: "text", text: "A tool, then. " });
  return { said: [text, ...asked.map(([name, input]) => /** @type {Said} */ ({ type: "call", name, input }))], stop: "tool_use" };
}

export class Model {
  /** @type {Map<string, Session>} */
  #sessions = new Map();
  #calls = 0;
  #server = http.createServer((request, response) => void this.#serve(request, response).catch(() => response.destroy()));
  /** Milliseconds between two Deltas. */
  pause = 2;

  static async start() {
    const model = new Model();
    await new Promise((resolve) => model.#server.listen(0, "127.0.0.1", () => resolve(undefined)));
    return model;
  }

  get origin() {
    return `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (this.#server.address()).port}`;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** @param {string} id */
  session(id) {
    const found = this.#sessions.get(id) ?? new Session();
    this.#sessions.set(id, found);
    return found;
  }

  /** Lets answers in a session send so many Deltas more, and hold. @param {string} id @param {number} deltas */
  hold(id, deltas) {
    const session = this.session(id);
    session.allowed = deltas;
    session.wake();
  }

  /** @param {string} id */
  release(id) {
    this.hold(id, Infinity);
  }

  releaseAll() {
    for (const id of this.#sessions.keys()) this.release(id);
  }

  /** What was sent, once the answer holds. @param {string} id */
  held(id) {
    return until(`the answer in ${id} holds`, () => (this.session(id).holding ? this.session(id).sent : undefined));
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  async #serve(request, response) {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const asked = JSON.parse(body);
    if (!asked.tools?.length) return new Answering(response).whole("A title");
    const { text, step } = newest(asked.messages);
    const [, name = "plain", argument = ""] = /^\/(\w+) ?(.*)/.exec(text) ?? [];
    const session = this.session(String(request.headers["x-deepseek-harness-session-id"]));
    const key = `${asked.messages.length}/${step}/${text}`;
    session.attempt = session.key === key ? session.attempt + 1 : 1;
    session.key = key;
    session.isWhole = false;
    session.sent = { count: 0, text: "", reasoning: "", calls: [] };
    const script = SCRIPTS[name];
    if (!script) throw new Error(`there is no script ${name}`);
    const answer = script(argument, step, session.attempt);
    const failing = "failing" in answer ? answer.failing : undefined;
    if (failing && typeof failing === "object" && "status" in failing) {
      response.writeHead(failing.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ type: "error", error: { type: "api_error", message: `refused with ${failing.status}` } }));
      return;
    }
    session.texts.push(answer.said.map((said) => (said.type === "text" ? said.text : "")).join(""));
    const answering = new Answering(response);
    answering.begin();
    const whole = answer.said.flatMap((said) => this.#deltas(said));
    const deltas = failing ? whole.slice(0, Math.ceil(whole.length / 3)) : whole;
    for (const delta of deltas) {
      if (!(await session.mayGoOn(response))) return;
      answering.delta(delta);
      if (delta.kind !== "wait") note(session.sent, delta);
      if (this.pause > 0) await new Promise((resolve) => setTimeout(resolve, this.pause));
    }
    if (failing === "reset") return void request.socket.destroy();
    if (failing === "eof") return void response.end();
    if (failing) return void answering.error(failing.event);
    // Here a test can look, too.
    session.isWhole = true;
    if (!(await session.mayGoOn(response, 0))) return;
    answering.finish(answer.stop ?? "end_turn");
  }

  /** @param {Said} said @returns {Delta[]} */
  #deltas(said) {
    if (said.type === "wait") return [{ kind: "wait" }];
    if (said.type === "call") {
      const id = `call_${(this.#calls += 1)}`;
      return ["", ...pieces(JSON.stringify(said.input), 9)].map((text) => ({ kind: "call", id, name: said.name, text }));
    }
    return pieces(said.text, 6).map((text) => ({ kind: said.type, text }));
  }
}

/** @typedef {{ kind: "text" | "thinking", text: string } | { kind: "call", id: string, name: string, text: string } | { kind: "wait" }} Delta */

/** What the endpoint knows of a session. */
class Session {
  allowed = Infinity;
  holding = false;
  /** The text of each answer, as far as it was going to be said. @type {string[]} */
  texts = [];
  /** All Deltas were sent, and the end was not. */
  isWhole = false;
  attempt = 0;
  key = "";
  /** @type {Sent} */
  sent = { count: 0, text: "", reasoning: "", calls: [] };
  /** @type {(() => void)[]} */
  #waiting = [];

  wake() {
    this.#waiting.splice(0).forEach((go) => go());
  }

  /** Waits until so many Deltas may be sent; false when the host has gone. @param {http.ServerResponse} response @param {number} [cost] */
  async mayGoOn(response, cost = 1) {
    // A Delta takes one of the allowed; the end needs that nothing is held any more.
    const may = () => (cost > 0 ? this.allowed >= cost : this.allowed === Infinity);
    while (!may() && !response.destroyed) {
      this.holding = true;
      await new Promise((resolve) => {
        this.#waiting.push(() => resolve(undefined));
        response.once("close", () => resolve(undefined));
      });
    }
    this.holding = false;
    this.allowed -= cost;
    return !response.destroyed;
  }
}

/** The Messages API's side of one answer. */
class Answering {
  #index = -1;
  #open = "";

  /** @param {http.ServerResponse} response */
  constructor(response) {
    this.response = response;
  }

  begin() {
    this.response.writeHead(200, { "content-type": "text/event-stream" });
    const message = { id: "msg_1", type: "message", role: "assistant", model: "scripted", content: [], usage: { input_tokens: 1, output_tokens: 0 } };
    this.#send("message_start", { message });
  }

  /** @param {Delta} delta */
  delta(delta) {
    if (delta.kind === "wait") return;
    const block = delta.kind === "call" ? delta.id : delta.kind;
    if (this.#open !== block) {
      this.#close();
      this.#open = block;
      this.#index += 1;
      const content_block = delta.kind === "call" ? { type: "tool_use", id: delta.id, name: delta.name, input: {} } : delta.kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "" };
      this.#send("content_block_start", { index: this.#index, content_block });
    }
    const said = delta.kind === "call" ? { type: "input_json_delta", partial_json: delta.text } : delta.kind === "text" ? { type: "text_delta", text: delta.text } : { type: "thinking_delta", thinking: delta.text };
    this.#send("content_block_delta", { index: this.#index, delta: said });
  }

  /** @param {string} stop_reason */
  finish(stop_reason) {
    this.#close();
    this.#send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } });
    this.#send("message_stop", {});
    this.response.end();
  }

  /** @param {string} type */
  error(type) {
    this.#send("error", { error: { type, message: "failed in the middle" } });
    this.response.end();
  }

  /** @param {string} text */
  whole(text) {
    this.begin();
    this.delta({ kind: "text", text });
    this.finish("end_turn");
  }

  #close() {
    if (this.#open === "thinking") this.#send("content_block_delta", { index: this.#index, delta: { type: "signature_delta", signature: "signed" } });
    if (this.#open) this.#send("content_block_stop", { index: this.#index });
    this.#open = "";
  }

  /** @param {string} type @param {object} data */
  #send(type, data) {
    this.response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }
}

/** @param {Sent} sent @param {Exclude<Delta, { kind: "wait" }>} delta */
function note(sent, delta) {
  sent.count += 1;
  if (delta.kind === "text") sent.text += delta.text;
  if (delta.kind === "thinking") sent.reasoning += delta.text;
  if (delta.kind !== "call") return;
  const call = sent.calls.find(({ id }) => id === delta.id);
  if (call) call.args += delta.text;
  else sent.calls.push({ id: delta.id, name: delta.name, args: delta.text });
}

/** The newest prompt that is for the script, and how many answers came after it. @param {any[]} messages */
function newest(messages) {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const { role, content } = messages[at];
    if (role !== "user") continue;
    const texts = typeof content === "string" ? [content] : content.filter((/** @type {any} */ block) => block.type === "text").map((/** @type {any} */ block) => block.text);
    const text = texts.findLast((/** @type {string} */ text) => text.startsWith("/"));
    if (text !== undefined) return { text, step: messages.slice(at).filter((message) => message.role === "assistant").length };
  }
  return { text: "", step: 0 };
}

/** A text in pieces of so many code points. @param {string} text @param {number} size */
function pieces(text, size) {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) => points.slice(at * size, (at + 1) * size).join(""));
}
