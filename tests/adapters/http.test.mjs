// Clients that know nothing of threadfold, on the host's own wires for them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { HttpAgent } from "@ag-ui/client";
import * as six from "ai-6";
import * as seven from "ai-7";
import { Host } from "../../www/tests/support/host.mjs";
import { until } from "../../www/tests/support/until.mjs";
import { chatOver, judge, play } from "./chat.mjs";
import { agUiMessages, plainMessages } from "../peers/expected-ag-ui.mjs";
import { committed, RECORDINGS, SCRIPT } from "./thread.mjs";

// An agent writes each failure to the console.
console.error = () => {};

const sayings = [
  { what: `${SCRIPT.length} scripted paths`, said: SCRIPT.filter((text) => !/paus/.test(text)), start: { deltaMs: 0 } },
  { what: `${RECORDINGS.length} recordings`, said: RECORDINGS.map((file) => `Replay ${path.basename(file)}`), start: { deltaMs: 0, replay: RECORDINGS } },
];

for (const { what, said, start } of sayings) {
  for (const [version, ai] of [[6, six], [7, seven]]) {
    test(`the default transport of ai ${version}: ${what}`, async () => {
      const host = await Host.start(start);
      try {
        const api = `${host.origin}/v1/threads/t/ai-sdk?version=${version}`;
        const page = chatOver(ai, new ai.DefaultChatTransport({ api }));
        // What version 6 has to take back breaks the answer; see below.
        for (const text of said.filter((text) => version === 7 || !/^\/fail(-mid)?$/.test(text))) {
          await play(page, host, "t", text);
          await judge(page, host, "t").catch((error) => {
            throw new Error(`${text}: ${error.stack}`);
          });
        }
      } finally {
        await host.stop();
      }
    });
  }

  test(`HttpAgent: ${what}`, async () => {
    const host = await Host.start(start);
    try {
      const agent = new HttpAgent({ url: `${host.origin}/v1/threads/t/ag-ui`, threadId: "t" });
      let told;
      agent.subscribe({
        onRunFinishedEvent: ({ pendingToolCallIds = [] }) => void (told = { pending: pendingToolCallIds }),
        onRunErrorEvent: ({ event }) => void (told = { error: event.code, pending: [] }),
      });
      let number = 0;
      for (const text of said) {
        agent.addMessage({ id: `m-${++number}`, role: "user", content: text });
        let input = {};
        for (let turn = 0; turn < 12; turn++) {
          told = undefined;
          await agent.runAgent(input);
          assert.ok(told, `${text}: the run ended without a word`);
          const [interrupt] = agent.pendingInterrupts;
          input = interrupt ? { resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: turn % 2 === 0 } }] } : {};
          if (told.pending.length > 0) agent.addMessage({ id: `t-${++number}`, role: "tool", toolCallId: told.pending[0], content: "teal" });
          else if (!interrupt) break;
        }
        const { facts, said: asked } = await committed(host, "t");
        const end = facts.at(-1).fact;
        assert.equal(told.error, end.type === "run_failed" ? end.code : undefined, text);
        // This agent keeps its own answer to a call beside the log's.
        const messages = agent.messages.filter(({ role, id }) => role !== "tool" || !/^t-\d+$/.test(id));
        assert.deepEqual(plainMessages(messages), plainMessages(agUiMessages(new Map(asked.map((message) => [message.run_id, [message]])), facts)), text);
      }
    } finally {
      await host.stop();
    }
  });
}

for (const [version, ai] of [[6, six], [7, seven]]) {
  test(`the default transport of ai ${version}: an answer that is cut is an error`, async () => {
    const host = await Host.start({ deltaMs: 2 });
    try {
      const chatOn = (thread) => chatOver(ai, new ai.DefaultChatTransport({ api: `${host.origin}/v1/threads/${thread}/ai-sdk?version=${version}` })).chat;
      const chat = chatOn("cut");
      await host.hold("cut", 9);
      const sent = chat.sendMessage({ text: "/plain" });
      const { active } = await host.held("cut");
      await until("it shows", () => chat.messages.at(-1).parts.some(({ text }) => text === active.text));
      await host.cut();
      await sent;
      assert.equal(chat.status, "error");
      const retracted = chatOn("retracted");
      await host.hold("retracted", 5);
      const again = retracted.sendMessage({ text: "/fail-mid" });
      await host.held("retracted");
      await host.release("retracted");
      await again;
      assert.equal(retracted.status, version === 6 ? "error" : "ready");
    } finally {
      await host.stop();
    }
  });
}

test("HttpAgent: an answer that is cut rejects", async () => {
  const host = await Host.start({ deltaMs: 2 });
  try {
    // It lets go of a promise that rejects as well, which would end this process.
    const program = fileURLToPath(new URL("run-http-agent.mjs", import.meta.url));
    await host.hold("cut", 9);
    const run = promisify(execFile)(process.execPath, ["--unhandled-rejections=warn", program, `${host.origin}/v1/threads/cut/ag-ui`]);
    await host.held("cut");
    await host.cut();
    assert.equal((await run).stdout.trim().split("\n").at(-1), "rejected");
  } finally {
    await host.stop();
  }
});
