// What a client must end with, built from the Facts alone.

export const resultOf = (facts, position) =>
  facts.find((p) => p.fact.type === "tool_result" && p.call?.seq === position.seq && p.call.index === position.index);

/** Ids of calls by position: the provider's, numbered from the second occurrence on. */
export function wireIds(facts) {
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

/** True for a message that a person said, and that the host did not put in by itself. */
export const isSaid = ({ role, id }) => role === "User" && !/-(steer|continuation)-|^resume-input-|^agent-thread-report-/.test(id);

/** The wire's id of the call that a result answers; the provider's own where no call has it. */
export const answeredBy = (wire, { call, fact }) => (call ? wire(call) : fact.id);

export const nameOf = (block) =>
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
