// Compiled, not run: a transcoder of one's own.

import { createTranscoder, threadfold, ThreadClient } from "threadfold";
import type { FactHandlers, PlacedFact } from "threadfold";

type Line = { say: string };

const facts: FactHandlers<Line> = {
  run_started: () => {},
  assistant_message: ({ fact }) => fact.content.flatMap((block) => ("text" in block ? [{ say: String(block.text) }] : [])),
  assistant_thinking: () => {},
  tool_call: ({ fact }) => [{ say: fact.name }],
  tool_result: ({ fact }) => [{ say: fact.is_error ? "failed" : "done" }],
  awaiting: ({ fact }) => [{ say: fact.reason ?? "waits" }],
  continuation: () => {},
  run_finished: ({ fact }) => [{ say: fact.exhausted ? "exhausted" : "finished" }],
  run_failed: ({ fact }) => [{ say: fact.code }],
};

const thread = new ThreadClient({ source: threadfold({ base: "/v1", threadId: "t1" }) });
export const lines: ReadableStream<Line> = thread.transcode({ fact: facts, delta: ({ run_id }) => [{ say: run_id }] });
export const bytes: ReadableStream<Uint8Array> = thread.transcode({ fact: facts }, { as: "bytes" });

export async function byHand(placed: PlacedFact): Promise<Line[]> {
  const mine = await createTranscoder<Line>({ fact: ({ fact }) => [{ say: fact.type }] });
  return [...mine.fact(placed), ...mine.reset(), ...mine.finish()];
}

const { run_failed, ...missing } = facts;
// @ts-expect-error A kind of Fact without a handler.
thread.transcode({ fact: missing });
// @ts-expect-error Facts need handlers, Deltas do not.
thread.transcode({ delta: () => {} });
