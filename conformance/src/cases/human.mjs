// C1: a run that waits for somebody, and who answers it.

import { isEnded } from "../backend.mjs";
import { expect, same, show } from "../expect.mjs";

/** A run that waits, in a thread of its own. */
async function waiting({ backend, scenario }, name) {
  const prompt = scenario(name);
  const thread = backend.thread();
  const { run_id } = await backend.begin(thread, prompt);
  const { rows, state } = await backend.settled(thread, run_id);
  same(state.state, "Awaiting", "the run's state");
  const call = state.resume_ticket?.target?.ToolCall;
  expect(call, `the ticket names no tool call: ${show(state.resume_ticket)}`);
  return { thread, run: run_id, rows, call, seq: state.seq };
}

/** It was answered once: the run goes on, and nobody else's answer counts. */
async function answered({ backend }, { thread, run, call, seq }, answer) {
  const first = await backend.command(thread, run, "resume", { correlation_id: call.call_id, ...answer });
  same(first.status, 202, `the status of the answer (${show(first.json)})`);
  const second = await backend.command(thread, run, "resume", { correlation_id: call.call_id, ...answer });
  same([second.status, second.json.error?.code], [409, "already_resolved"], "status and code of a second answer");
  const log = await backend.settled(thread, run, isEnded);
  return log.rows.filter((row) => row.run_id === run && row.seq > seq);
}

const resultOf = (rows, id) => rows.flatMap((row) => (row.message?.role === "Tool" ? row.message.content : [])).find((block) => block.tool_use_id === id);

export const human = [
  {
    id: "ticket",
    title: "a run that waits says for which call, and the call is committed with it",
    check: async (context) => {
      const { rows, call, seq } = await waiting(context, "approve");
      same(call.reason, "Permission", "the ticket's reason");
      const blocks = rows.filter((row) => row.seq < seq && row.message?.role === "Assistant").flatMap((row) => row.message.content);
      expect(blocks.some((block) => block.type === "tool_use" && block.id === call.call_id), `no committed message holds the call ${show(call.call_id)}`);
    },
  },
  {
    id: "approve",
    title: "a permission lets the run go on to a result and its end; the first answer counts",
    check: async (context) => {
      const waits = await waiting(context, "approve");
      const rows = await answered(context, waits, { approve: true });
      expect(resultOf(rows, waits.call.call_id), "no result of the call is committed");
    },
  },
  {
    id: "refuse",
    title: "a refusal lets the run go on too",
    check: async (context) => {
      const waits = await waiting(context, "approve");
      const rows = await answered(context, waits, { approve: false, reason: "not today" });
      expect(resultOf(rows, waits.call.call_id), "no result of the call is committed");
    },
  },
  {
    id: "client-tool",
    title: "what the page's tool gave is committed as the call's result",
    check: async (context) => {
      const waits = await waiting(context, "client-tool");
      same(waits.call.reason, "ClientExecution", "the ticket's reason");
      const content = [{ type: "text", text: "42" }];
      const result = resultOf(await answered(context, waits, { content, is_error: false }), waits.call.call_id);
      same(result?.content, content, "the committed result");
    },
  },
];
