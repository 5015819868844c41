// What the AI SDK's messages must be, built from the Facts alone.

import { resultOf, textOf, wireIds } from "./expected.mjs";

const media = (block) => {
  const { url, data, media_type } = block.source ?? {};
  return media_type && { url: url ?? `data:${media_type};base64,${data}`, mediaType: media_type };
};
const isPart = (block) => block.type === "search_result" || (["image", "document"].includes(block.type) && media(block));

/** By run, the parts of its message without empty steps. */
export function uiParts(facts) {
  const wire = wireIds(facts);
  const messages = new Map();
  let step;
  for (const placed of facts) {
    const { fact, run_id, coordinate, position } = placed;
    if (!messages.has(run_id)) {
      messages.set(run_id, []);
      step = undefined;
    }
    const parts = messages.get(run_id);
    if (coordinate && coordinate.step !== step) {
      step = coordinate.step;
      parts.push({ type: "step-start" });
    }
    const id = coordinate && `${run_id}-${coordinate.step}-${coordinate.response}`;
    if (fact.type === "assistant_thinking") parts.push({ type: "reasoning", text: fact.text, state: "done" });
    if (fact.type === "assistant_message") {
      const text = textOf(fact.content, (block) => !isPart(block));
      if (text !== "") parts.push({ type: "text", text, state: "done" });
      fact.content.forEach((block, n) => {
        if (!isPart(block)) return;
        const source = { sourceId: `${id}-source-${n}`, title: block.title };
        if (block.type !== "search_result") parts.push({ type: "file", ...media(block) });
        else if (block.source.includes("://")) parts.push({ type: "source-url", ...source, url: block.source });
        else parts.push({ type: "source-document", ...source, mediaType: "text/plain", filename: block.source });
      });
    }
    if (fact.type === "tool_call") {
      const part = { type: "dynamic-tool", toolCallId: wire(position), toolName: fact.name, input: fact.input };
      const result = resultOf(facts, position)?.fact;
      const onlyText = result?.content.every((block) => block.type === "text");
      if (result?.is_error) Object.assign(part, { state: "output-error", errorText: textOf(result.content) });
      else if (result) Object.assign(part, { state: "output-available", output: onlyText ? textOf(result.content) : result.content });
      else if (fact.disposition === "pending_builtin") part.state = "approval-requested";
      else if (fact.disposition === "unresolved") Object.assign(part, { state: "output-error", errorText: "The run ended before this call was answered." });
      else part.state = "input-available";
      const by = facts.some((p) => p.fact.type === "awaiting" && p.fact.reason === "client_execution" && p.call?.seq === position.seq && p.call.index === position.index);
      part.providerExecuted = !by;
      parts.push(part);
    }
  }
  return messages;
}

/** What the client holds, without what no Fact says: undefined keys, empty steps, the name of an approval. */
export function plainParts(all, bare) {
  const parts = JSON.parse(JSON.stringify(all));
  return parts
    .filter((part, n) => part.type !== "step-start" || (n + 1 < parts.length && parts[n + 1].type !== "step-start"))
    .map((part) => {
      delete part.approval;
      // A preview whose stream says no coordinate has an id of its own, which stays.
      if (part.sourceId && bare) part.sourceId = part.sourceId.replace(/.*-source-/, "");
      if (part.type === "reasoning") delete part.id;
      return part;
    });
}

/** The calls that the client was to run, in order. */
export function clientCalls(facts) {
  const wire = wireIds(facts);
  return facts.filter(({ fact }) => fact.type === "awaiting" && fact.reason === "client_execution").map(({ call }) => wire(call));
}
