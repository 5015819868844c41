// What each client must hold, built from the Facts and from what was said, and from nothing else.

const resultOf = (facts, position) =>
  facts.find((p) => p.fact.type === "tool_result" && p.call?.seq === position.seq && p.call.index === position.index);

/** Ids of calls by position: the provider's, numbered from the second occurrence on. */
function wireIds(facts) {
  const seen = new Set();
  const ids = new Map();
  for (const { fact, position } of facts) {
    if (fact.type !== "tool_call") continue;
    let id = fact.id;
    for (let n = 2; seen.has(id); n += 1) id = `${fact.id}#${n}`;
    seen.add(id);
    ids.set(`${position.seq}/${position.index}`, id);
  }
  return (position) => ids.get(`${position.seq}/${position.index}`);
}

const nameOf = (block) =>
  ({
    text: () => block.text,
    image: () => "[image]",
    document: () => `[document: ${block.title}]`,
    search_result: () => `[search result: ${block.title}]`,
    redacted: () => "[redacted]",
  })[block.type]?.() ?? "";

/** The text of a message: what was said, then the names of what cannot be shown otherwise. */
export function textOf(content, named = () => true) {
  const said = content.filter((b) => b.type === "text").map((b) => b.text).join("");
  const names = content.filter((b) => b.type !== "text" && named(b)).map(nameOf).filter((name) => name !== "");
  return [said, ...names].filter((text) => text !== "").join("\n\n");
}

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

/** The calls that the client was to run, in order. */
export function clientCalls(facts) {
  const wire = wireIds(facts);
  return facts.filter(({ fact }) => fact.type === "awaiting" && fact.reason === "client_execution").map(({ call }) => wire(call));
}

/** What the client holds, without what no Fact says: undefined keys, empty steps, the name of an approval. */
export function plainParts(all) {
  const parts = JSON.parse(JSON.stringify(all));
  return parts
    .filter((part, n) => part.type !== "step-start" || (n + 1 < parts.length && parts[n + 1].type !== "step-start"))
    .map((part) => {
      delete part.approval;
      if (part.type === "reasoning") delete part.id;
      return part;
    });
}

/** The messages that the Facts make, and before each run's the one that began it. */
export function agUiMessages(said, facts) {
  const wire = wireIds(facts);
  const messages = [];
  const asked = new Set();
  const assistant = (id) => {
    if (!messages.some((m) => m.id === id)) messages.push({ id, role: "assistant" });
    return messages.find((m) => m.id === id);
  };
  for (const { fact, run_id, coordinate, position, call } of facts) {
    if (!asked.has(run_id)) {
      asked.add(run_id);
      messages.push({ id: said.get(run_id).id, role: "user", content: said.get(run_id).text });
    }
    const id = coordinate && `${run_id}-${coordinate.step}-${coordinate.response}`;
    if (fact.type === "assistant_thinking") messages.push({ id: `${id}-reasoning`, role: "reasoning", content: fact.text });
    if (fact.type === "assistant_message" && textOf(fact.content) !== "") assistant(id).content = textOf(fact.content);
    if (fact.type === "tool_call") (assistant(id).toolCalls ??= []).push({ id: wire(position), type: "function", function: { name: fact.name, arguments: fact.input } });
    if (fact.type === "tool_result") {
      const message = { id: `${run_id}-result-${position.seq}-${position.index}`, role: "tool", toolCallId: wire(call), content: textOf(fact.content) };
      if (fact.is_error) message.metadata = { is_error: true };
      let at = 1 + messages.findIndex((m) => m.toolCalls?.some((c) => c.id === message.toolCallId));
      while (messages[at]?.role === "tool") at += 1;
      messages.splice(at, 0, message);
    }
  }
  return messages;
}

/** Arguments are compared as values. */
export const plainMessages = (messages) =>
  messages.map((message) => ({
    ...message,
    ...(message.toolCalls && {
      toolCalls: message.toolCalls.map((call) => ({ ...call, function: { ...call.function, arguments: value(call.function.arguments) } })),
    }),
  }));

const value = (json) => (typeof json === "string" ? JSON.parse(json) : json);
