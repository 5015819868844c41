// A thread's committed messages as the AI SDK's hooks keep them.

import { isPart, media, textOf } from "./blocks.js";
import { blockOf, Log, responseId } from "./log.js";

export function toUIMessages(thread) {
  const log = new Log(thread);
  const messages = [];
  const turns = new Map();
  for (const { said, placed } of log.lines()) {
    if (said) {
      if (said.kind === "user") messages.push({ id: said.message_id, role: "user", parts: saidParts(said.parts.map(blockOf)) });
      continue;
    }
    let turn = turns.get(placed.run_id);
    if (!turn) {
      turn = new Turn(log);
      turns.set(placed.run_id, turn);
      messages.push({ id: placed.run_id, role: "assistant", parts: turn.parts });
    }
    turn.take(placed);
  }
  return messages;
}

/** One run's message while its Facts are read. */
class Turn {
  parts = [];
  #log;
  /** The open step: undefined before the first, null where the log does not number it. */
  #step;
  #answered = false;
  #goesOn = false;

  constructor(log) {
    this.#log = log;
  }

  take(placed) {
    const { fact, position, coordinate } = placed;
    switch (fact.type) {
      case "run_started":
        break;
      case "continuation":
        this.#goesOn = !fact.steered && position.index > 0;
        break;
      case "assistant_thinking":
        this.#content(coordinate, { type: "reasoning", id: `${responseId(placed)}-reasoning`, text: fact.text ?? "", state: "done" });
        break;
      case "assistant_message":
        this.#content(coordinate, ...messageParts(fact.content, responseId(placed)));
        break;
      case "tool_call":
        this.#content(coordinate, this.#call(fact, position));
        break;
      case "tool_result":
        this.#someStep();
        this.#answered = true;
        break;
      default:
        this.#someStep();
    }
  }

  #content(coordinate, ...parts) {
    const step = coordinate?.step ?? null;
    const unnumbered = this.#goesOn || (this.#step === null && !this.#answered);
    const stays = this.#step !== undefined && (step === null ? unnumbered : step === this.#step);
    if (!stays) this.#begin(step);
    this.#goesOn = false;
    this.parts.push(...parts);
  }

  #someStep() {
    if (this.#step === undefined) this.#begin(null);
  }

  #begin(step) {
    this.#step = step;
    this.#answered = false;
    this.parts.push({ type: "step-start" });
  }

  #call({ name, input, disposition }, position) {
    const toolCallId = this.#log.callId(position);
    const part = { type: "dynamic-tool", toolName: name, toolCallId, input, providerExecuted: !this.#log.isByClient(position) };
    const result = this.#log.result(position);
    if (result?.is_error) return { ...part, state: "output-error", errorText: textOf(result.content) };
    if (result) return { ...part, state: "output-available", output: outputOf(result.content) };
    if (disposition === "pending_builtin") return { ...part, state: "approval-requested", approval: { id: toolCallId } };
    if (disposition === "unresolved") return { ...part, state: "output-error", errorText: "The run ended before this call was answered." };
    return { ...part, state: "input-available" };
  }
}

const outputOf = (blocks) => (blocks.every(({ type }) => type === "text") ? textOf(blocks) : blocks);

function messageParts(blocks, id) {
  const text = textOf(blocks, (block) => !isPart(block));
  const parts = text === "" ? [] : [{ type: "text", text, state: "done" }];
  blocks.forEach((block, number) => {
    if (!isPart(block)) return;
    if (block.type !== "search_result") {
      const { type, mediaType, url } = media(block);
      return parts.push({ type, mediaType, url });
    }
    const { source, title } = block;
    const sourceId = `${id}-source-${number}`;
    if (source.includes("://")) parts.push({ type: "source-url", sourceId, url: source, title });
    else parts.push({ type: "source-document", sourceId, mediaType: "text/plain", title, filename: source });
  });
  return parts;
}

function saidParts(blocks) {
  return blocks.flatMap((block) => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    const text = textOf([block]);
    return [media(block) ?? { type: "text", text }].filter((part) => part.text !== "");
  });
}
