// TypeScript with both ways of resolving modules that know `exports`, checking the package's own types too.

import { versionOf } from "../support/project.mjs";

const APP = `
import { ThreadClient, ThreadfoldError, classify, fold, init, terminal, threadfold } from "threadfold";
import { fold as foldInline } from "threadfold/inline";
import type { Answer, Block, CustomSource, Fact, Item, Page, PlacedFact, ThreadEvent, View } from "threadfold";
import address from "threadfold/threadfold.wasm";

const source: CustomSource = {
  async openLive(sink, signal) {
    sink.event("opened", {});
    signal.addEventListener("abort", () => sink.closed({ status: 503, retryAfter: 100 }));
  },
  readCommitted: async ({ after, limit }) => JSON.stringify({ after, limit }),
};
const page: Page = { contract: "threadfold/1", thread_id: "t", epoch: "e", frontier: -1, has_more: false, messages: [], runs: [] };

export function words(item: Item): string {
  switch (item.kind) {
    case "user": return item.send?.state === "failed" ? item.send.code : item.message_id;
    case "assistant": return item.parts.map((part) => (part.type === "tool_call" ? part.name : part.type === "text" ? part.text : "")).join("");
    case "injected": case "system": return String(item.parts.length);
    case "orphan_result": return item.tool_use_id;
    case "awaiting": return item.tool?.args ?? item.reason ?? "";
    case "attempt": case "retry": return item.message ?? String(item.step);
    case "finished": return item.cause;
    case "failed": return item.code;
    default: { const never: never = item; return never; }
  }
}

export function said(block: Block): string {
  switch (block.type) {
    case "text": case "thinking": return block.text;
    case "tool_use": return block.name;
    case "tool_result": return block.content.map(said).join("");
    case "image": return JSON.stringify(block.source);
    default: return block.type;
  }
}
// A known block is checked in all its keys.
// @ts-expect-error There is no text in it.
export const wrong: Extract<Block, { type: "text" }> = { type: "text" };

export function name(fact: Fact): string {
  switch (fact.type) {
    case "tool_call": return fact.disposition;
    case "run_failed": return fact.code;
    default: return fact.type;
  }
}

export async function use(answer: Answer): Promise<View> {
  await init(address);
  using thread = new ThreadClient({ source, initial: page, onAnomaly: ({ code, message }) => void (code + message) });
  const http = new ThreadClient({ source: threadfold({ base: "/v1", threadId: "t", headers: async () => ({ authorization: "x" }) }) });
  const stop: () => void = thread.subscribe(() => {});
  const { run_id, seq } = await http.send([{ type: "text", text: "hi" }], { onActive: "queue" });
  await http.resume("c1", { approve: true, reason: run_id });
  await http.resume("c1", answer);
  await http.cancel(run_id);
  const facts: PlacedFact[] = fold(page, { windowed: true });
  foldInline([]);
  terminal({ Ended: "NaturalEnd" })?.type satisfies string | undefined;
  classify({ tier: "delta", event: { type: "text_delta", delta: "x" } }).live satisfies boolean;
  for await (const event of thread.events()) {
    const seen: ThreadEvent = event;
    if (seen.type === "fact") name(seen.fact);
    if (seen.type === "delta" && seen.delta.type === "tool_call_delta") void seen.delta.args_delta;
    // @ts-expect-error A reset has no Fact.
    if (seen.type === "reset") void seen.fact;
  }
  // @ts-expect-error A view is not written to.
  thread.view.items = [];
  // @ts-expect-error Text is not a number.
  await thread.send(1);
  stop();
  if (facts.length > (seq ?? 0)) throw new ThreadfoldError("closed", "no");
  return thread.view;
}
`;

/** What is asked of a compiler in any case. */
const STRICT = { strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, target: "es2022" };

const ways = {
  bundler: { module: "esnext", moduleResolution: "bundler" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
};

async function compiled(world, compiler, options) {
  const project = await world.project("types", { "app.ts": APP, "tsconfig.json": JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: ["app.ts"] }) });
  await project.tool(compiler, ["--project", "tsconfig.json"]);
}

/** A page's libraries; a server's, where Node's own types have the rest. */
const places = {
  page: { lib: ["es2022", "dom"], types: [] },
  Node: { lib: ["es2022"], types: ["node"] },
};

const row = (compiler, version, way, place) => ({
  name: `TypeScript, ${way}, es2022, ${place}`,
  version,
  run: (world) => compiled(world, compiler, { ...ways[way], ...places[place] }),
});
const old = "typescript-6/bin/tsc";

export default [
  ...Object.keys(ways).flatMap((way) => Object.keys(places).map((place) => row("tsc", versionOf("typescript"), way, place))),
  row(old, versionOf("typescript-6"), "bundler", "page"),
  row(old, versionOf("typescript-6"), "nodenext", "Node"),
];
