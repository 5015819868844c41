// The stock clients on their default transports, over the host's own bytes: every scripted path through `HttpAgent`, and
// through a chat on `DefaultChatTransport` in both versions; then what they say of a stream that is cut.

import assert from "node:assert/strict";
import { HttpAgent } from "@ag-ui/client";
import { fold } from "../../pkg/node.js";
import { Host } from "../../www/tests/support/host.mjs";
import { isSaid } from "./expected.mjs";
import { agUiMessages, plainMessages } from "./expected-ag-ui.mjs";
import { plainParts, uiParts } from "./expected-ai-sdk.mjs";
import { saidBefore } from "./protocols/ag-ui.mjs";
import { SCRIPTS } from "./record.mjs";

const until = async (wanted) => {
  for (let turns = 0; !(await wanted()); turns += 1) {
    assert.ok(turns < 4000, "it does not come");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const committed = async (host, thread) => {
  const response = await fetch(`${host.origin}/v1/threads/${thread}/committed?limit=1000`);
  return response.json();
};

/** The messages and Facts of a thread's log, as inputs of a transcoder. */
function inputsOf(page) {
  const facts = fold(page).map((placed) => ({ type: "fact", ...placed }));
  const said = page.messages.filter(({ message }) => isSaid(message)).map(({ seq, message }) => ({ type: "said", seq, message }));
  return { facts, inputs: [...said, ...facts].sort((a, b) => (a.seq ?? a.position.seq) - (b.seq ?? b.position.seq)) };
}

async function agUi(host, say, thread) {
  const agent = new HttpAgent({ url: `${host.origin}/v1/threads/${thread}/ag-ui`, threadId: thread });
  agent.addMessage({ id: `ask-${thread}`, role: "user", content: say });
  const errors = [];
  let resume;
  for (let runs = 0; ; runs += 1) {
    assert.ok(runs < 5, `${say} does not end`);
    let pending = [];
    await agent.runAgent(resume ? { resume } : {}, {
      onRunErrorEvent: ({ event }) => void errors.push(event.code),
      onRunFinishedEvent: ({ pendingToolCallIds }) => void (pending = pendingToolCallIds ?? []),
    });
    const interrupts = agent.pendingInterrupts ?? [];
    if (interrupts.length > 0) {
      resume = interrupts.map(({ id, reason }) => ({ interruptId: id, status: "resolved", payload: reason === "tool_permission" ? { approved: true } : "go on" }));
    } else if (pending.length > 0) {
      for (const toolCallId of pending) agent.addMessage({ id: `t-${toolCallId}`, role: "tool", toolCallId, content: "from the page" });
      resume = undefined;
    } else break;
  }
  const { facts, inputs } = inputsOf(await committed(host, thread));
  const failed = facts.filter(({ fact }) => fact.type === "run_failed").map(({ fact }) => fact.code);
  assert.deepEqual(errors, failed, say);
  // The tool messages that the page made itself have the page's ids.
  const own = (message) => (message.role === "tool" ? { ...message, id: "" } : message);
  const held = agent.messages.filter((message, n, all) => !message.id.startsWith("t-") || !all.some((other) => other.toolCallId === message.toolCallId && !other.id.startsWith("t-")));
  const wanted = agUiMessages(saidBefore(inputs), facts);
  assert.deepEqual(plainMessages(held, false).map(own), plainMessages(wanted, false).map(own), say);
}

/** A chat without a page. */
function chatOf(ai, host, thread, version) {
  class State {
    status = "ready";
    error = undefined;
    messages = [];
    pushMessage = (message) => void (this.messages = [...this.messages, message]);
    popMessage = () => void (this.messages = this.messages.slice(0, -1));
    replaceMessage = (at, message) => void (this.messages = this.messages.with(at, message));
    snapshot = (value) => structuredClone(value);
  }
  class Chat extends ai.AbstractChat {}
  const transport = new ai.DefaultChatTransport({ api: `${host.origin}/v1/threads/${thread}/ai-sdk${version === 7 ? "?version=7" : ""}` });
  return new Chat({ id: thread, state: new State(), transport });
}

async function aiSdk(version, host, say, thread) {
  const ai = await import(`ai-${version}`);
  const chat = chatOf(ai, host, thread, version);
  let broken = false;
  const send = async (action) => {
    await action();
    // Version 6 can't take anything back: the stream breaks, and the same request again replays the whole of it; which
    // breaks too where an attempt fails again.
    let breaks = chat.status === "error" && version === 6 && !/^[a-z_]+: /.test(chat.error.message);
    while (breaks) {
      broken = true;
      breaks = false;
      chat.messages = chat.messages.filter(({ role }) => role === "user");
      const again = await fetch(chat.transport.api, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id: thread, messages: chat.messages, trigger: "submit-message" }),
      });
      const stream = chat.transport.processResponseStream(again.body);
      for await (const message of ai.readUIMessageStream({ stream, onError: (error) => void (breaks = !/^[a-z_]+: /.test(error.message)) })) chat.messages = [...chat.messages.filter(({ role }) => role === "user"), message];
    }
  };
  await send(() => chat.sendMessage({ text: say }));
  for (let turns = 0; turns < 4; turns += 1) {
    const last = (await committed(host, thread)).runs.at(-1);
    if (last.state !== "Awaiting") break;
    const waits = chat.messages.at(-1).parts.find((part) => part.state === "approval-requested" || (part.state === "input-available" && part.providerExecuted === false));
    if (waits?.state === "approval-requested") await chat.addToolApprovalResponse({ id: waits.approval.id, approved: true });
    else if (waits) await chat.addToolOutput({ tool: waits.toolName, toolCallId: waits.toolCallId, output: "from the page" });
    await send(() => chat.sendMessage());
  }
  const { facts } = inputsOf(await committed(host, thread));
  const failed = facts.filter(({ fact }) => fact.type === "run_failed").map(({ fact }) => `${fact.code}: ${fact.message}`);
  if (!broken) assert.deepEqual([chat.status, chat.error?.message], failed.length ? ["error", failed[0]] : ["ready", undefined], say);
  const [[run, parts]] = uiParts(facts);
  const answers = chat.messages.filter(({ role }) => role === "assistant");
  assert.deepEqual(answers.map(({ id }) => id), [run], "one message, named after the run");
  assert.deepEqual(plainParts(answers[0].parts, false), plainParts(parts, false), say);
}

async function cut(host) {
  const headers = { "content-type": "application/json", origin: host.origin };
  const response = await fetch(`${host.origin}/admin/cut`, { method: "POST", headers, body: "{}" });
  assert.ok(response.ok, `the host refused to cut: ${response.status}`);
}

/** A stream that the network cuts is an error for the chat, and for who reads the agent's events. */
async function cuts(host) {
  for (const version of [6, 7]) {
    const chat = chatOf(await import(`ai-${version}`), host, `cut-${version}`, version);
    const sent = chat.sendMessage({ text: "/slow" });
    await until(() => chat.messages.some(({ role, parts }) => role === "assistant" && parts.some((part) => part.text)));
    await cut(host);
    await sent;
    assert.equal(chat.status, "error", `ai ${version}`);
    // What the stock client does to resume gets the whole of it.
    await chat.resumeStream();
    await until(async () => (await committed(host, `cut-${version}`)).runs.at(-1).state.Ended);
    assert.equal(chat.status, "ready");
  }
  const agent = new HttpAgent({ url: `${host.origin}/v1/threads/cut-ui/ag-ui`, threadId: "cut-ui" });
  agent.addMessage({ id: "ask", role: "user", content: "/slow" });
  let said = false;
  const running = agent.runAgent({}, { onTextMessageContentEvent: () => void (said = true) });
  running.catch(() => {});
  await until(() => said);
  // The client rejects a promise of its own too, which nobody can hold, and says so on the console.
  const stray = () => {};
  const { error } = console;
  process.on("unhandledRejection", stray);
  console.error = () => {};
  await cut(host);
  await assert.rejects(running, "the agent's run");
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.error = error;
  process.off("unhandledRejection", stray);
}

/** How many paths went well by client, and what failed. */
export async function wire() {
  const host = await Host.start({ deltaMs: 1 });
  const failures = [];
  const ok = {};
  const attempt = async (row, name, action) => {
    ok[row] ??= { ok: 0, failed: 0 };
    try {
      await action();
      ok[row].ok += 1;
    } catch (error) {
      ok[row].failed += 1;
      failures.push(`${row}, over the host's bytes, ${name}: ${error.stack}`);
    }
  };
  for (const [number, say] of SCRIPTS.entries()) {
    await attempt("ag-ui", say, () => agUi(host, say, `w-ui-${number}`));
    for (const version of [6, 7]) await attempt(`ai-sdk ${version}`, say, () => aiSdk(version, host, say, `w-${version}-${number}`));
  }
  await attempt("ai-sdk 7", "a cut", () => cuts(host));
  await host.stop();
  return { ok, failures };
}
