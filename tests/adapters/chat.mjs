// The AI SDK's own chat over our transport and the host: what a stock `useChat` page does, without the page.

import assert from "node:assert/strict";
import path from "node:path";
import { ThreadChatTransport, toUIMessages } from "../../pkg/ai-sdk.js";
import { Host } from "../../www/tests/support/host.mjs";
import { until } from "../../www/tests/support/until.mjs";
import { clientCalls, plainParts, uiParts } from "../peers/expected-ai-sdk.mjs";
import { client, committed, FAULTS, RECORDINGS, SCRIPT } from "./thread.mjs";

/** A page's chat: the SDK's own, with the plainest state that it takes. */
export function chatOf(ai, version, host, threadId, { messages = [], follow = true, abort } = {}) {
  const thread = client(host, threadId);
  const transport = new ThreadChatTransport({ thread, version, abort });
  const page = chatOver(ai, transport, messages);
  const unfollow = follow ? transport.follow(page.chat) : () => {};
  const close = () => {
    unfollow();
    thread.close();
  };
  return { ...page, thread, transport, close };
}

/** The SDK's chat over any transport. */
export function chatOver(ai, transport, messages = [], { sendAutomaticallyWhen = stock(ai), runsTools = true } = {}) {
  const seen = [];
  const errors = [];
  const state = {
    status: "ready",
    error: undefined,
    messages,
    pushMessage: (message) => (state.messages = [...state.messages, message]),
    popMessage: () => (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (index, message) => (state.messages = state.messages.with(index, structuredClone(message))),
    snapshot: (thing) => structuredClone(thing),
  };
  class Chat extends ai.AbstractChat {
    set messages(messages) {
      this.state.messages = messages;
    }
    get messages() {
      return this.state.messages;
    }
  }
  const chat = new Chat({
    state,
    transport,
    sendAutomaticallyWhen,
    onToolCall: ({ toolCall }) => {
      if (!runsTools) return;
      seen.push(toolCall.toolCallId);
      void chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output: "teal" });
    },
    onError: (error) => errors.push(error),
  });
  return { chat, seen, errors };
}

/** What the SDK's documentation has pages say. */
const stock = (ai) => (options) =>
  ai.lastAssistantMessageIsCompleteWithToolCalls(options) || ai.lastAssistantMessageIsCompleteWithApprovalResponses(options);

/** Says something and answers what is asked, until the run is over and the chat rests. */
export async function play({ chat, thread }, host, threadId, text) {
  const how = () => `the chat rests after ${text}; it is ${chat.status}, the client ${JSON.stringify(thread && [thread.view.status, thread.view.run])}`;
  await chat.sendMessage({ text });
  for (let turn = 0; turn < 12; turn++) {
    // A chat that is told to come back is at rest only within the task in which its stream was cut.
    await new Promise((resolve) => setTimeout(resolve));
    await until(how, () => chat.status === "ready" || chat.status === "error", 30_000);
    const { facts } = await committed(host, threadId);
    const last = facts.at(-1);
    if (last.fact.type === "run_finished" || last.fact.type === "run_failed") return;
    const asked = chat.messages.at(-1).parts.find(({ state }) => state === "approval-requested");
    if (asked) {
      await chat.addToolApprovalResponse({ id: asked.approval.id, approved: turn % 2 === 0 });
    } else if (last.fact.type === "awaiting" && last.fact.pending_tool_use_id === null) await chat.sendMessage();
    else await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${text} does not end`);
}

/** What the chat holds is what the log says, and how it ended is how the run ended. */
export async function judge({ chat }, host, threadId) {
  const { facts, said } = await committed(host, threadId);
  const wanted = uiParts(facts);
  const messages = said.flatMap(({ id, text, run_id }) => [
    { id, role: "user", parts: [{ type: "text", text }] },
    { id: run_id, role: "assistant", parts: plainParts(wanted.get(run_id)) },
  ]);
  const held = chat.messages.map(({ id, role, parts }) => ({ id, role, parts: plainParts(parts) }));
  assert.deepEqual(held, messages);
  const { fact } = facts.at(-1);
  const failed = fact.type === "run_failed";
  assert.equal(chat.error?.message, failed ? `${fact.code}: ${fact.message}` : undefined);
  assert.equal(chat.status, failed ? "error" : "ready");
}

/** Judges one version. */
export async function judgeChat(t, name, ai, version) {
  await t.test(`${name}: ${SCRIPT.length} scripted paths, with ${FAULTS.length} kinds of network`, async () => {
    const host = await Host.start({ deltaMs: 0, pingMs: 200 });
    await all(host, FAULTS.map((fault) => talk(ai, version, host, fault, SCRIPT, `${name}-${fault}`)));
  });
  await t.test(`${name}: ${RECORDINGS.length} recordings, clean and with a third of the frames lost`, async () => {
    const host = await Host.start({ deltaMs: 0, pingMs: 200, replay: RECORDINGS });
    const said = RECORDINGS.map((file) => `Replay ${path.basename(file)}`);
    await all(host, ["", "drop:0.3"].map((fault) => talk(ai, version, host, fault, said, `${name}-${fault}`)));
  });
}

/** Waits for all of these, and then ends the host. */
async function all(host, talks) {
  const failed = (await Promise.allSettled(talks)).filter(({ reason }) => reason);
  await host.stop();
  if (failed.length > 0) throw failed[0].reason;
}

/** A conversation in a thread of its own, judged after each answer; then the same thread in a page that comes later. */
async function talk(ai, version, host, fault, said, threadId) {
  if (fault) await host.fault(fault, { thread: threadId });
  const page = chatOf(ai, version, host, threadId);
  let at = "";
  try {
    for (at of said) {
      await play(page, host, threadId, at);
      await judge(page, host, threadId);
    }
    // A tool runs once, whatever the network does, and only the client's own are given to it.
    const { facts } = await committed(host, threadId);
    assert.deepEqual(page.seen, clientCalls(facts));
    at = "a reload";
    await reload(ai, version, host, threadId);
  } catch (error) {
    throw new Error(`${threadId}, ${at}: ${error.stack}`);
  } finally {
    page.close();
  }
}

/** A page that comes later: it has what was committed, and reads the last run again. */
async function reload(ai, version, host, threadId) {
  const before = chatOf(ai, version, host, threadId);
  await before.thread.connect();
  const messages = toUIMessages(before.thread);
  before.close();
  const page = chatOf(ai, version, host, threadId, { messages });
  try {
    await page.chat.resumeStream();
    await judge(page, host, threadId);
  } finally {
    page.close();
  }
}
