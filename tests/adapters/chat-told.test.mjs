// Pages of the AI SDK on threads of which the test says what happens, event by event: what random sequences found.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as six from "ai-6";
import * as seven from "ai-7";
import { chatJudge } from "../peers/chat.mjs";

const said = (run_id) => ({ type: "said", message: { id: `ask-${run_id}`, role: "User", content: [{ type: "text", text: "a question" }] } });

/** A run, from what was said on. Each list is a row of the log, or of the live lane. */
function run(run_id, first, ...rows) {
  let seq = first;
  const place = (fact, index) => ({ type: "fact", position: { seq, index }, run_id, fact });
  const inputs = [said(run_id), place({ type: "run_started" }, 0)];
  for (const row of rows) {
    seq += 1;
    row.forEach((one, index) => inputs.push(one.type === "delta" || one.type === "amend" ? one : { ...place(one.fact, one.index ?? index + 1), ...one.more }));
  }
  return inputs;
}

const at = (run_id, step) => ({ message_id: `${run_id}-assistant-${step}`, coordinate: { run_id, step, response: 0 } });
const says = (run_id, step, text) => ({ fact: { type: "assistant_message", id: `${run_id}-assistant-${step}`, content: [{ type: "text", text }] }, more: at(run_id, step) });
const calls = (run_id, step, id) => ({ fact: { type: "tool_call", id, name: "look", input: {}, disposition: "open" }, more: at(run_id, step) });
const amend = (seq, index, id, disposition) => ({ type: "amend", position: { seq, index }, fact: { type: "tool_call", id, name: "look", input: {}, disposition } });
const result = (id, call) => ({ fact: { type: "tool_result", id, content: [{ type: "text", text: "found" }], is_error: false }, more: { call } });
const waits = (reason, id, call) => ({ fact: { type: "awaiting", pending_tool_use_id: id, reason }, more: call ? { call } : {} });
const goesOn = (id) => ({ index: 0, fact: { type: "continuation", steered: false, detail: { cause: "resumed", pending_tool_use_id: id } } });
const ends = (cause = "natural_end") => ({ fact: { type: "run_finished", exhausted: false, cause } });
const fails = () => ({ fact: { type: "run_failed", code: "overloaded", message: "no answer" } });
const streams = (run_id, step, delta) => ({ type: "delta", run_id, coordinate: { run_id, step, response: 0 }, delta });

/** A page at which this happens, over and over: what the person does, and when the page reads, is thrown. */
function the(what, inputs, { history = 0, follows = false } = {}) {
  for (const [version, ai] of [[6, six], [7, seven]]) {
    test(`ai ${version}: ${what}`, async () => {
      const pages = Array.from({ length: 40 }, (_, number) => chatJudge(ai, version)({ number, history, follows, inputs: structuredClone(inputs) }));
      const failed = (await Promise.allSettled(pages)).flatMap(({ reason }) => (reason ? [reason] : []));
      assert.equal(failed.length, 0, failed[0]?.stack);
    });
  }
}

const plain = run("r0", 0, [says("r0", 0, "Hello.")], [ends()]);

the("what others say is shown, though it was said before the transcoder was there", plain, { follows: true });

the(
  "who streams before the log says who was asked is put after the question",
  [streams("r0", 0, { type: "text_delta", delta: "Hel" }), ...plain],
  { follows: true },
);

const [callAt, answered] = [{ seq: 1, index: 2 }, "c"];
const asksClient = [
  [says("r0", 0, "Let me see. "), calls("r0", 0, answered)],
  [amend(1, 2, answered, "pending_client"), waits("client_execution", answered, callAt)],
];

the(
  "a run that ends with what the page answered is not asked again and again",
  run("r0", 0, ...asksClient, [goesOn(answered)], [amend(1, 2, answered, "executed"), result(answered, callAt)], [ends("cancelled")]),
);

the(
  "what the page answered is no answer to what the run waits for next, and no failure",
  [
    ...run("r0", 0, ...asksClient, [goesOn(answered)], [amend(1, 2, answered, "executed"), result(answered, callAt)], [waits("user_input", "input-1")], [ends()]),
    ...run("r1", 8, [says("r1", 0, "Hello.")], [ends()]),
  ],
);

the(
  "what came after a call that the page answered too late is shown, over several waits",
  run(
    "r0", 0, ...asksClient, [goesOn(answered)], [amend(1, 2, answered, "executed"), result(answered, callAt)],
    [says("r0", 1, "More. "), calls("r0", 1, "d")], [waits("manual_pause", null)],
    [amend(5, 2, "d", "unresolved"), ends()],
  ),
);

the(
  "a run that ends where it waited is shown as ended, however late its end is read",
  run("r0", 0, [says("r0", 0, "One. "), calls("r0", 0, "c")], [waits("manual_pause", null)], [amend(1, 2, "c", "unresolved"), ends()]),
  { follows: true },
);

the(
  "a call that streamed in a step which was taken back is not settled by a cut",
  run(
    "r0", 0,
    [
      streams("r0", 0, { type: "text_delta", delta: "One. " }),
      ...["c", "never"].map((id) => streams("r0", 0, { type: "tool_call_delta", id, name: "look", args_delta: "{" })),
      says("r0", 0, "One. "),
      streams("r0", 1, { type: "text_delta", delta: "Two" }),
      calls("r0", 0, "c"),
    ],
    [amend(1, 6, "c", "executed"), result("c", { seq: 1, index: 6 })], [says("r0", 1, "Two.")], [ends()],
  ),
  { follows: true },
);

the(
  "a pause that is ended after an approval failed goes on in its own message",
  [
    ...run(
      "r0", 0, [says("r0", 0, "One. "), calls("r0", 0, "c")], [amend(1, 2, "c", "pending_builtin"), waits("tool_permission", "c", { seq: 1, index: 2 })],
      [goesOn("c")], [amend(1, 2, "c", "executed"), result("c", { seq: 1, index: 2 })], [fails()],
    ),
    ...run("r1", 8, [says("r1", 0, "Two. "), calls("r1", 0, "d")], [waits("manual_pause", null)], [goesOn(null)], [amend(9, 2, "d", "executed"), result("d", { seq: 9, index: 2 })], [says("r1", 1, "Three.")], [ends()]),
  ],
);

the(
  "what streamed of a run that its host lost is not shown any more",
  [streams("lost", 0, { type: "text_delta", delta: "Hel" }), { type: "reset", run_id: "lost", coordinate: at("lost", 0).coordinate }, ...plain],
  { follows: true },
);

the("a page that comes back has what it lacks, and goes on", [...plain, ...run("r1", 4, [says("r1", 0, "Again.")], [ends()])], { history: 4 });
