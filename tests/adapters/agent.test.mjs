// AG-UI's own agent over our thread and the host: every path, and what people do with an agent besides.

import assert from "node:assert/strict";
import path from "node:path";
import { after, test } from "node:test";
import { ThreadAgent, toAgUiMessages } from "../../pkg/ag-ui.js";
import { Host } from "../../www/tests/support/host.mjs";
import { until } from "../../www/tests/support/until.mjs";
import { agUiMessages, plainMessages } from "../peers/expected-ag-ui.mjs";
import { client, committed, FAULTS, RECORDINGS, SCRIPT } from "./thread.mjs";

let number = 0;

/** What a page has: an agent, and what its subscriber was told. */
function pageOf(host, threadId) {
  const thread = client(host, threadId);
  const agent = new ThreadAgent({ thread, threadId });
  const told = { pending: [], errors: [], failed: [] };
  agent.subscribe({
    onRunFinishedEvent: ({ pendingToolCallIds = [] }) => void (told.pending = pendingToolCallIds),
    onRunErrorEvent: ({ event }) => void told.errors.push(event.code),
    onRunFailed: ({ error }) => {
      told.failed.push(error);
      // The agent says on the console what it rejects with as well.
      return { stopPropagation: false };
    },
  });
  return { thread, agent, told, close: () => thread.close() };
}

const say = ({ agent }, text) => agent.addMessage({ id: `m-${++number}`, role: "user", content: text });

/** Runs, and answers what is asked, until the run is over. Gives the error that the last run rejected with. */
async function play(page, text) {
  const { agent, told } = page;
  say(page, text);
  let input = {};
  for (let turn = 0; turn < 12; turn++) {
    told.pending = [];
    const error = await agent.runAgent(input).then(() => undefined, (error) => error);
    if (error) return error;
    const [interrupt] = agent.pendingInterrupts;
    if (interrupt) input = { resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: turn % 2 === 0 } }] };
    else if (told.pending.length > 0) {
      agent.addMessage({ id: `t-${++number}`, role: "tool", toolCallId: told.pending[0], content: "teal" });
      input = {};
    } else return undefined;
  }
  throw new Error(`${text} does not end`);
}

async function judge(agent, host, threadId) {
  const { facts, said } = await committed(host, threadId);
  const wanted = agUiMessages(new Map(said.map((message) => [message.run_id, [message]])), facts);
  assert.deepEqual(plainMessages(agent.messages), plainMessages(wanted));
  return facts.at(-1).fact;
}

/** A conversation in a thread of its own, judged after each answer; then the same thread in a page that comes later. */
async function talk(host, fault, said, threadId) {
  if (fault) await host.fault(fault, { thread: threadId });
  const page = pageOf(host, threadId);
  let at = "";
  try {
    for (at of said) {
      const error = await play(page, at);
      const end = await judge(page.agent, host, threadId);
      assert.equal(error?.code, end.type === "run_failed" ? end.code : undefined);
    }
    at = "a reload";
    const later = pageOf(host, threadId);
    await later.thread.connect();
    assert.deepEqual(plainMessages(toAgUiMessages(later.thread)), plainMessages(page.agent.messages));
    await later.agent.connectAgent();
    await judge(later.agent, host, threadId);
    later.close();
  } catch (error) {
    throw new Error(`${threadId}, ${at}: ${error.stack}`);
  } finally {
    page.close();
  }
}

async function all(host, talks) {
  const failed = (await Promise.allSettled(talks)).filter(({ reason }) => reason);
  await host.stop();
  if (failed.length > 0) throw failed[0].reason;
}

// An agent writes each failure that it rejects with to the console.
console.error = () => {};

test(`the agent ends with what the log says: ${SCRIPT.length} scripted paths, with ${FAULTS.length} kinds of network`, async () => {
  const host = await Host.start({ deltaMs: 0, pingMs: 200 });
  // A snapshot keeps no reasoning of a log that was replaced by one with the same.
  await all(host, FAULTS.map((fault) => talk(host, fault, SCRIPT, `agent-${fault}`)));
});

test(`the agent ends with what the log says: ${RECORDINGS.length} recordings, clean and with a third of the frames lost`, async () => {
  const host = await Host.start({ deltaMs: 0, pingMs: 200, replay: RECORDINGS });
  const said = RECORDINGS.map((file) => `Replay ${path.basename(file)}`);
  await all(host, ["", "drop:0.3"].map((fault) => talk(host, fault, said, `agent-${fault}`)));
});

test("what people do with an agent besides", async (t) => {
  const host = await Host.start({ deltaMs: 2, pingMs: 200 });
  const pages = [];
  const page = (thread) => pages[pages.push(pageOf(host, thread)) - 1];
  const lastFact = async (thread) => (await committed(host, thread)).facts.at(-1).fact;
  /** A page whose agent holds after so many Deltas. */
  const held = async (thread, text, deltas) => {
    const made = page(thread);
    await host.hold(thread, deltas);
    say(made, text);
    const run = made.agent.runAgent().then(() => undefined, (error) => error);
    const { active } = await host.held(thread);
    await until("it shows", () => made.agent.messages.at(-1).content === active.text);
    return { ...made, run };
  };

  await t.test("detaching leaves the run alone, and connecting takes it up; aborting ends it", async () => {
    const left = await held("left", "/plain", 9);
    await left.agent.detachActiveRun();
    assert.equal(await left.run, undefined);
    const again = left.agent.connectAgent();
    await host.release("left");
    await again;
    await judge(left.agent, host, "left");

    const ended = await held("ended", "/plain", 9);
    ended.agent.abortRun();
    assert.equal(await ended.run, undefined);
    assert.equal((await lastFact("ended")).cause, "cancelled");
    await judge(ended.agent, host, "ended");
  });

  await t.test("a page that comes while the answer streams has all of it, under the same ids", async () => {
    const one = await held("again", "/reason", 40);
    one.close();
    const two = page("again");
    const connected = two.agent.connectAgent();
    await until("it shows", () => two.agent.messages.length === one.agent.messages.length);
    assert.deepEqual(two.agent.messages, one.agent.messages);
    await host.release("again");
    await connected;
    await judge(two.agent, host, "again");
  });

  await t.test("a client that is closed in the middle rejects, and a clone runs as the agent does", async () => {
    const { thread, run } = await held("closed", "/plain", 9);
    thread.close();
    assert.equal((await run).code, "closed");
    await host.release("closed");
    const made = page("clone");
    const clone = made.agent.clone();
    say({ agent: clone }, "/plain");
    await clone.runAgent();
    await judge(clone, host, "clone");
  });

  await t.test("events that stop before the run's end reject, and connecting mends it", async () => {
    const made = page("short");
    const { turns } = made.agent;
    const first = () => new TransformStream({ transform: (event, controller) => (controller.enqueue(event), controller.terminate()) });
    turns.read = (...wanted) => Object.getPrototypeOf(turns).read.apply(turns, wanted).pipeThrough(first());
    say(made, "/plain");
    await assert.rejects(made.agent.runAgent(), (error) => error.code === "truncated");
    delete turns.read;
    await made.agent.connectAgent();
    await judge(made.agent, host, "short");
  });

  await t.test("an interrupt that another page has answered goes on all the same, and what says nothing is refused", async () => {
    const one = page("two");
    say(one, "/approve");
    await one.agent.runAgent();
    const two = page("two");
    await two.agent.connectAgent();
    const [{ id }] = two.agent.pendingInterrupts;
    assert.equal(id, one.agent.pendingInterrupts[0].id);
    await Promise.all([one, two].map(({ agent }) => agent.runAgent({ resume: [{ interruptId: id, status: "resolved" }] })));
    for (const { agent } of [one, two]) await judge(agent, host, "two");
    await assert.rejects(one.agent.runAgent(), (error) => error.code === "nothing_pending");
  });

  await t.test("a cancelled interrupt is a no, and a pause that is cancelled ends the run", async () => {
    const no = page("no");
    say(no, "/approve");
    await no.agent.runAgent();
    await no.agent.runAgent({ resume: [{ interruptId: no.agent.pendingInterrupts[0].id, status: "cancelled" }] });
    assert.match(no.agent.messages.at(-1).content, /did not send/);
    const rest = page("rest");
    say(rest, "/pause");
    await rest.agent.runAgent();
    await rest.agent.runAgent({ resume: [{ interruptId: rest.agent.pendingInterrupts[0].id, status: "cancelled" }] });
    assert.equal((await lastFact("rest")).cause, "cancelled");
  });

  await t.test("a run that failed while nobody looked rejects for who comes back", async () => {
    const { run_id } = await host.send("failed", "/fail");
    await host.rested("failed", run_id);
    const made = page("failed");
    await assert.rejects(made.agent.connectAgent(), (error) => error.code === "upstream_unavailable");
    assert.deepEqual(made.told.errors, ["upstream_unavailable"]);
  });
  pages.forEach(({ close }) => close());
  await host.stop();
});
