// C1: what is read, and the commands that begin and end runs.

import { randomUUID } from "node:crypto";
import { isEnded, rowsOf, stateOf } from "../backend.mjs";
import { expect, isInteger, NotExercised, same, show } from "../expect.mjs";

const ROLES = ["System", "User", "Assistant", "Tool"];
const CAUSES = ["NaturalEnd", "MaxSteps", "Cancelled", "Indeterminate"];

/** A thread with one run that is over; made once. */
export async function settled(context) {
  context.settled ??= (async () => {
    const thread = context.backend.thread();
    const accepted = await context.backend.begin(thread, context.scenarios.text);
    return { thread, accepted, ...(await context.backend.settled(thread, accepted.run_id)) };
  })();
  return context.settled;
}

/** A run that is at work, in a thread of its own. */
export async function atWork(context) {
  const prompt = context.scenario("long");
  const thread = context.backend.thread();
  const accepted = await context.backend.begin(thread, prompt);
  return { thread, run: accepted.run_id };
}

const refusal = ({ status, json, what }, wanted, code) => {
  same(status, wanted, `the status of ${what}`);
  expect(typeof json.error?.code === "string" && typeof json.error?.message === "string", `the body of a refusal is {error:{code,message}}, not ${show(json)}`);
  if (code) same(json.error.code, code, `the code of ${what}`);
};

export const committed = [
  {
    id: "send",
    title: "a send is accepted with the run, the client's message id and its seq, and makes the thread",
    check: async (context) => {
      const { accepted } = await settled(context);
      expect(typeof accepted.run_id === "string", `run_id is ${show(accepted.run_id)}`);
      same(accepted.message_id, accepted.sent.input.message_id, "message_id");
      expect(isInteger(accepted.seq), `seq is ${show(accepted.seq)}`);
    },
  },
  {
    id: "unknown-thread",
    title: "a thread that nobody has begun is 404, with a code and a sentence",
    check: async ({ backend }) => refusal(await backend.read(backend.thread()), 404),
  },
  {
    id: "page",
    title: "a page names the contract, the thread, its epoch and its frontier",
    check: async (context) => {
      const { thread, ...page } = await settled(context);
      same(page.contract, "threadfold/1", "contract");
      same(page.thread_id, thread, "thread_id");
      expect(typeof page.epoch === "string" && page.epoch !== "", `epoch is ${show(page.epoch)}`);
      expect(isInteger(page.frontier, -1), `frontier is ${show(page.frontier)}`);
      expect(Array.isArray(page.messages) && Array.isArray(page.runs), "messages and runs are arrays");
    },
  },
  {
    id: "dense",
    title: "seq counts both kinds of rows without a hole, up to the frontier",
    check: async (context) => {
      const { rows, frontier } = await settled(context);
      rows.forEach((row, index) => {
        if (index > 0) same(row.seq, rows[index - 1].seq + 1, `the seq after ${rows[index - 1].seq}`);
      });
      same(rows.at(-1)?.seq, frontier, "the last seq of a page that has all");
    },
  },
  {
    id: "rows",
    title: "rows have a time, messages a role and blocks, an assistant's message its coordinate, states a known form",
    check: async (context) => {
      const { rows } = await settled(context);
      for (const row of rows) {
        expect(isInteger(row.time, 1e12), `the time of row ${row.seq} is ${show(row.time)}, and should be milliseconds since 1970`);
        if (row.message) {
          expect(typeof row.message.id === "string" && ROLES.includes(row.message.role) && Array.isArray(row.message.content), `row ${row.seq} holds no message: ${show(row.message)}`);
          for (const block of row.message.content) expect(typeof block?.type === "string", `a block of row ${row.seq} has no type`);
          if (row.message.role === "Assistant") expect(isInteger(row.step) && isInteger(row.response), `the assistant's message at ${row.seq} has no step and response`);
        } else {
          const ended = row.state?.Ended;
          const known = ["Running", "Awaiting"].includes(row.state) || CAUSES.includes(ended) || ended?.Stopped !== undefined || ended?.Error !== undefined;
          expect(known && typeof row.run_id === "string", `row ${row.seq} holds no state of a run: ${show(row)}`);
        }
      }
    },
  },
  {
    id: "begin",
    title: "a run begins with the person's message, committed with its first state",
    check: async (context) => {
      const { thread, accepted } = await settled(context);
      const [first, second] = rowsOf(await context.backend.page(thread, { limit: 1 }));
      same(first?.message?.id, accepted.message_id, "the first message's id");
      same(first.message.content, accepted.sent.input.content, "what the person said");
      same(first.run_id, accepted.run_id, "its run");
      same([second?.run_id, second?.state], [accepted.run_id, "Running"], "the row after it, which a page of one row must hold too");
    },
  },
  {
    id: "end",
    title: "a run ends in a committed state, after its answer, and nothing of it comes later",
    check: async (context) => {
      const { rows, accepted, state } = await settled(context);
      expect(isEnded(state.state), `the run rests as ${show(state.state)}; is there a scenario text="…" that simply ends?`);
      const late = rows.find((row) => row.run_id === accepted.run_id && row.seq > state.seq);
      expect(!late, `row ${late?.seq} belongs to a run that has ended at ${state.seq}`);
      expect(rows.some((row) => row.message?.role === "Assistant"), "no message of the assistant is committed");
    },
  },
  {
    id: "pages",
    title: "pages of one commit each add up to the whole, and `after` leaves out its row",
    check: async (context) => {
      const { thread, rows } = await settled(context);
      const small = await context.backend.log(thread, 1);
      same(small.rows, rows, "what pages with limit=1 add up to");
    },
  },
  {
    id: "backwards",
    title: "`before` reads what is older, and says whether there is more",
    check: async (context) => {
      const { thread, rows, frontier } = await settled(context);
      const read = [];
      for (let before = frontier + 1; ; ) {
        const page = await context.backend.page(thread, { before, limit: 1 });
        read.unshift(...rowsOf(page));
        if (!page.has_more) break;
        expect(rowsOf(page).length > 0, `a page before ${before} is empty and says has_more`);
        before = read[0].seq;
      }
      same(read, rows, "what pages backwards add up to");
    },
  },
  {
    id: "unchanged",
    title: "what was committed reads the same again",
    check: async (context) => {
      const { thread, rows } = await settled(context);
      same((await context.backend.log(thread)).rows.slice(0, rows.length), rows, "the log, read again");
    },
  },
  {
    id: "epoch",
    title: "a page of an epoch that is over is 409, of this one 200",
    check: async (context) => {
      const { thread, epoch } = await settled(context);
      refusal(await context.backend.read(thread, { epoch: `${epoch}-not` }), 409);
      same((await context.backend.read(thread, { epoch })).status, 200, "the status for the epoch of now");
    },
  },
  {
    id: "parameters",
    title: "a parameter that makes no sense is 400",
    check: async (context) => {
      const { thread } = await settled(context);
      for (const query of [{ limit: "0" }, { after: "soon" }]) refusal(await context.backend.read(thread, query), 400);
    },
  },
  {
    id: "repeat",
    title: "a send that is repeated with its key is one run",
    check: async (context) => {
      const { backend } = context;
      const { thread, accepted } = await settled(context);
      const again = await backend.ask(backend.path(thread, "runs"), { body: accepted.sent });
      same(again.status, 202, "the status of the repeated send");
      same(again.json.run_id, accepted.run_id, "its run");
      const { rows } = await backend.log(thread);
      same(rows.filter((row) => row.message?.id === accepted.message_id).length, 1, "how often the message is committed");
    },
  },
  {
    id: "run",
    title: "a run's latest row is read by its id",
    check: async (context) => {
      const { backend } = context;
      const { thread, accepted, state } = await settled(context);
      const { status, json } = await backend.ask(backend.path(thread, `runs/${accepted.run_id}`));
      same([status, json.state, json.seq], [200, state.state, state.seq], "status, state and seq");
    },
  },
  {
    id: "apart",
    title: "threads know nothing of each other",
    check: async (context) => {
      const { backend } = context;
      const { accepted } = await settled(context);
      const other = backend.thread();
      const { run_id } = await backend.begin(other, context.scenarios.text);
      const { rows } = await backend.settled(other, run_id);
      expect(rows.every((row) => row.run_id !== accepted.run_id), "another thread's rows are in this one");
    },
  },
  {
    id: "active",
    title: "a second send while a run is active is refused, with run_active, and leaves no trace",
    check: async (context) => {
      const { backend } = context;
      const { thread, run } = await atWork(context);
      const second = await backend.send(thread, "not now");
      const { rows } = await backend.log(thread);
      if (isEnded(stateOf(rows, run)?.state)) throw new NotExercised("the long run was over too soon");
      refusal(second, 409, "run_active");
      expect(rows.every((row) => row.message?.id !== second.body.input.message_id), "the refused message is committed");
    },
  },
  {
    id: "cancel",
    title: "a cancelled run ends as Cancelled",
    check: async (context) => {
      const { backend } = context;
      const { thread, run } = await atWork(context);
      const { status, json } = await backend.command(thread, run, "cancel", {});
      same(status, 202, `the status of a cancel (${show(json)})`);
      const { state } = await backend.settled(thread, run, isEnded);
      same(state.state, { Ended: "Cancelled" }, "the run's state");
    },
  },
  {
    id: "leaving",
    title: "a client's leaving ends no run",
    check: async (context) => {
      const { backend } = context;
      const { thread, run } = await atWork(context);
      const live = await backend.live(thread);
      if (live.status !== 200) throw new NotExercised("there is no live stream");
      await live.until("a first event", ([event]) => event);
      live.close();
      const { state } = await backend.settled(thread, run, isEnded);
      same(state.state, { Ended: "NaturalEnd" }, "the state of a run whose only listener left");
    },
  },
  {
    id: "failure",
    title: "a run that fails ends as an error with a code and a message",
    check: async (context) => {
      const { backend } = context;
      const thread = backend.thread();
      const { run_id } = await backend.begin(thread, context.scenario("fail"), { idempotency_key: randomUUID() });
      const { state } = await backend.settled(thread, run_id, isEnded);
      const failure = state.state.Ended?.Error;
      expect(failure, `the run ended as ${show(state.state)}`);
      if (typeof failure === "object") expect(typeof failure.Inference?.code === "string" && typeof failure.Inference?.message === "string", `the failure is ${show(failure)}`);
    },
  },
];
