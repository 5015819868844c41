// What people do with a chat besides talking: leaving, stopping, coming back, being two.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as six from "ai-6";
import * as seven from "ai-7";
import { toUIMessages } from "../../pkg/ai-sdk.js";
import { Host } from "../../www/tests/support/host.mjs";
import { until } from "../../www/tests/support/until.mjs";
import { chatOf, judge } from "./chat.mjs";
import { committed } from "./thread.mjs";

const host = await Host.start({ deltaMs: 2, pingMs: 200 });
after(() => host.stop());

const open = [];
after(() => open.forEach((page) => page.close()));

const textOf = ({ chat }) => chat.messages.at(-1).parts.filter(({ type }) => type === "text").map(({ text }) => text).join("");
const rests = ({ chat }) => until("the chat rests", () => chat.status === "ready" || chat.status === "error");
const lastFact = async (thread) => (await committed(host, thread)).facts.at(-1).fact;

for (const [version, ai] of [[6, six], [7, seven]]) {
  const page = (thread, options) => {
    const made = chatOf(ai, version, host, thread, options);
    open.push(made);
    return made;
  };
  /** A page whose agent holds after so many Deltas, and has shown them. */
  const held = async (thread, text, deltas, options) => {
    const made = page(thread, options);
    await host.hold(thread, deltas);
    const sent = made.chat.sendMessage({ text });
    const { active } = await host.held(thread);
    await until("the page shows it", () => textOf(made) === active.text);
    return { ...made, sent };
  };
  const the = (what, body) => test(`ai ${version}: ${what}`, body);
  const name = (word) => `${word}-${version}`;

  the("stop() of the chat stops reading and leaves the run alone; the transport's ends it", async () => {
    const left = await held(name("left"), "/plain", 9);
    await left.chat.stop();
    assert.equal(left.chat.status, "ready");
    await host.release(name("left"));
    await until("the run ends well", async () => (await lastFact(name("left"))).cause === "natural_end");
    await left.chat.resumeStream();
    await judge(left, host, name("left"));

    const ended = await held(name("ended"), "/plain", 9);
    await ended.transport.stop();
    await ended.sent;
    assert.deepEqual([ended.chat.status, (await lastFact(name("ended"))).cause], ["ready", "cancelled"]);
    await judge(ended, host, name("ended"));
  });

  the("where abort means cancel, stop() of the chat ends the run", async () => {
    const { chat } = await held(name("abort"), "/plain", 9, { abort: "cancel" });
    await chat.stop();
    await until("the run is cancelled", async () => (await lastFact(name("abort"))).cause === "cancelled");
  });

  the("a page that comes while the answer streams has all of it, and one that comes for an approval can give it", async () => {
    const one = await held(name("again"), "/reason", 12);
    one.close();
    const two = page(name("again"));
    await two.thread.connect();
    two.chat.messages = toUIMessages(two.thread);
    const resumed = two.chat.resumeStream();
    await until("it streams", () => two.chat.status === "streaming");
    await host.release(name("again"));
    await resumed;
    await judge(two, host, name("again"));

    const asked = page(name("asked"));
    await asked.chat.sendMessage({ text: "/approve" });
    asked.close();
    const answering = page(name("asked"));
    await answering.thread.connect();
    answering.chat.messages = toUIMessages(answering.thread);
    const call = answering.chat.messages.at(-1).parts.find(({ state }) => state === "approval-requested");
    await answering.chat.addToolApprovalResponse({ id: call.approval.id, approved: false, reason: "no" });
    await until("the run ends", async () => (await lastFact(name("asked"))).type === "run_finished");
    await rests(answering);
    await judge(answering, host, name("asked"));
  });

  the("of two pages that answer, the first wins, and both show what came of it", async () => {
    const one = page(name("two"));
    await one.chat.sendMessage({ text: "/approve" });
    const two = page(name("two"));
    await two.thread.connect();
    two.chat.messages = toUIMessages(two.thread);
    for (const { chat } of [one, two]) {
      const { approval } = chat.messages.at(-1).parts.find(({ state }) => state === "approval-requested");
      void chat.addToolApprovalResponse({ id: approval.id, approved: true });
    }
    await until("the run ends", async () => (await lastFact(name("two"))).type === "run_finished");
    for (const made of [one, two]) {
      await until("it is shown", () => /Done: the mail/.test(textOf(made)));
      await rests(made);
      await judge(made, host, name("two"));
    }
  });

  the("what another page says comes to a page that is followed", async () => {
    const one = page(name("other"));
    await one.chat.sendMessage({ text: "/plain" });
    const two = page(name("other"));
    await two.thread.connect();
    two.chat.messages = toUIMessages(two.thread);
    await one.chat.sendMessage({ text: "/tools" });
    await until("it comes", () => two.chat.messages.length === 4 && /Reykjavík: /.test(textOf(two)));
    await rests(two);
    await judge(two, host, name("other"));
  });

  the("a chat that nobody has told to come back shows an error when its stream is cut, and resuming mends it", async () => {
    const made = await held(name("alone"), "/fail-mid", 5, { follow: false });
    await host.release(name("alone"));
    await made.sent;
    // Version 7 takes the step back within the stream.
    if (version === 6) {
      assert.deepEqual([made.chat.status, made.chat.error.code], ["error", "cut"]);
      await made.chat.resumeStream();
    }
    await judge(made, host, name("alone"));
  });

  the("a client that is closed in the middle is an error", async () => {
    const { chat, thread, sent } = await held(name("closed"), "/plain", 9);
    thread.close();
    await sent;
    assert.deepEqual([chat.status, chat.error.code], ["error", "closed"]);
    await host.release(name("closed"));
  });

  the("a thread that is not there yet has nothing to resume, and no message is rewritten", async () => {
    const made = page(name("new"));
    await made.chat.resumeStream();
    assert.deepEqual([made.chat.status, made.chat.messages], ["ready", []]);
    await made.chat.sendMessage({ text: "/plain" });
    await judge(made, host, name("new"));
    await made.chat.regenerate();
    assert.deepEqual([made.chat.status, made.chat.error.code], ["error", "unsupported"]);
  });

  the("a run that failed while nobody looked is an error for who comes back", async () => {
    const { run_id } = await host.send(name("failed"), "/fail");
    await host.rested(name("failed"), run_id);
    const made = page(name("failed"));
    await made.thread.connect();
    made.chat.messages = toUIMessages(made.thread);
    await made.chat.resumeStream();
    assert.equal(made.chat.status, "error");
    await judge(made, host, name("failed"));
  });
}
