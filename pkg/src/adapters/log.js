// What was committed, as the adapters read it: the Facts, what the person said between them, and the ids that the
// transcoders give.

const at = ({ seq, index }) => `${seq}/${index}`;

/** What was committed of a thread, and questions about it. */
export class Log {
  #calls = new Map();
  #results = new Map();
  #byClient = new Set();

  constructor(thread) {
    this.facts = thread.facts();
    this.items = thread.view.items;
    const taken = new Set();
    for (const placed of this.facts) {
      const { fact, position, call } = placed;
      if (fact.type === "tool_call") {
        let id = fact.id;
        for (let number = 2; taken.has(id); number++) id = `${fact.id}#${number}`;
        taken.add(id);
        this.#calls.set(at(position), id);
        if (fact.disposition === "pending_client") this.#byClient.add(at(position));
      }
      if (fact.type === "tool_result" && call) this.#results.set(at(call), fact);
      if (fact.type === "awaiting" && call && fact.reason === "client_execution") this.#byClient.add(at(call));
    }
  }

  /** The Facts with what was said before each of them: view items of the person, and of the system. */
  *lines() {
    const said = this.items.filter(({ kind, seq }) => (kind === "user" || kind === "system") && seq !== null);
    let next = 0;
    for (const placed of this.facts) {
      while (said[next]?.seq <= placed.position.seq) yield { said: said[next++] };
      yield { placed };
    }
    for (; next < said.length; next++) yield { said: said[next] };
  }

  /** The id of the call at this position on every wire, unique in the thread. */
  callId(position) {
    return this.#calls.get(at(position));
  }

  /** The answer of the call at this position. */
  result(position) {
    return this.#results.get(at(position));
  }

  /** True when the log says that the client runs this call, or ran it. */
  isByClient(position) {
    return this.#byClient.has(at(position));
  }

  /** What the thread's run waits for; undefined while it does not wait. */
  waiting() {
    const { fact, run_id, call, position } = this.facts.at(-1) ?? {};
    if (fact?.type !== "awaiting") return undefined;
    const id = fact.pending_tool_use_id;
    return { run_id, position, reason: fact.reason, id, wire: call ? this.callId(call) : id };
  }

  /** How often this run had rested when it waited for the last of these answers; all its rests where it waited for none. */
  answered(run_id, answers) {
    const ids = new Set(answers.map(({ toolCallId }) => toolCallId));
    const waits = this.facts.filter((placed) => placed.run_id === run_id && placed.fact.type === "awaiting");
    return waits.findLastIndex(({ call }) => call && ids.has(this.callId(call))) + 1 || waits.length;
  }

  /** How often this run has rested so far: the number of its streams that are over. */
  rests(run_id) {
    return this.facts.filter((placed) => placed.run_id === run_id && placed.fact.type === "awaiting").length;
  }
}

/** The id of a response on every wire. */
export const responseId = ({ run_id, coordinate, message_id }) =>
  coordinate ? `${run_id}-${coordinate.step}-${coordinate.response}` : message_id;

/** A part of a view's item as the block that it was made from. */
export const blockOf = (part) => (part.type === "unknown" ? part.block : part);
