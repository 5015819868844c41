// C2: the live stream, one cut with the log and frames in one order.

import { isEnded, rowsOf, textOf } from "../backend.mjs";
import { expect, isInteger, NotExercised, same, show } from "../expect.mjs";
import { atWork } from "./committed.mjs";

const FRAMES = ["start", "delta", "end"];
const NAMES = ["opened", ...FRAMES, "committed", "ping", "bye"];

/** A thread with one run, and a second run of it followed from before its beginning to behind its end. */
async function followed(context) {
  context.strict ??= (async () => {
    const { backend, scenarios } = context;
    const thread = backend.thread();
    const first = await backend.begin(thread, scenarios.text);
    const before = await backend.settled(thread, first.run_id);
    const live = await backend.live(thread);
    if (live.status !== 200) return { live, before };
    const { run_id } = await backend.begin(thread, scenarios.long ?? scenarios.text);
    const log = await backend.settled(thread, run_id, isEnded);
    await live.until(`a committed event up to ${log.frontier}`, () => live.of("committed").some(({ data }) => data.frontier >= log.frontier)).catch(() => {});
    await live.until("the end of the attempt", () => live.of("end").length >= live.of("start").length && live.of("end").length > 0, 1000).catch(() => {});
    return { live, before, thread, run: run_id, log, rows: log.rows.filter((row) => row.run_id === run_id) };
  })();
  return context.strict;
}

/** The events of each attempt, in order. */
function attempts(live) {
  const found = new Map();
  for (const event of live.of(...FRAMES)) {
    const { attempt } = event.data;
    if (!found.has(attempt)) found.set(attempt, []);
    found.get(attempt).push(event);
  }
  return [...found.values()];
}

const recordOf = (rows, { step, response }) => rows.find((row) => row.message?.role === "Assistant" && row.step === step && row.response === response);
const append = (text, { delta }) => (delta.type === "text_delta" ? text + delta.delta : text);

export const strict = [
  {
    id: "stream",
    title: "the live stream is an event stream in the contract's framing, which nothing on the way may keep or change",
    check: async (context) => {
      const { live } = await followed(context);
      same(live.status, 200, "the status of live");
      expect(/^text\/event-stream\b/.test(live.headers.get("content-type") ?? ""), `its media type is ${live.headers.get("content-type")}`);
      for (const word of ["no-store", "no-transform"]) expect(live.headers.get("cache-control")?.includes(word), `cache-control has no ${word}`);
      same(live.headers.get("x-accel-buffering"), "no", "x-accel-buffering");
      same(live.carriageReturns, false, "whether there are carriage returns");
      same(live.odd, [], "lines that are no event of this wire (id lines promise a replay that there is not)");
    },
  },
  {
    id: "opened",
    title: "`opened` comes first and once, with the log's epoch and frontier, and null when nothing streams",
    check: async (context) => {
      const { live, before } = await followed(context);
      const [first] = live.events;
      same(first?.name, "opened", "the first event");
      same(live.of("opened").length, 1, "how often it comes");
      same(first.data.contract, "threadfold/1", "its contract");
      same(first.data.epoch, before.epoch, "its epoch, against the page's");
      same(first.data.frontier, before.frontier, "its frontier, against the page's");
      expect(isInteger(first.data.revision), `its revision is ${show(first.data.revision)}`);
      same(first.data.active, null, "active, while no attempt streams");
    },
  },
  {
    id: "names",
    title: "every event has one of the contract's names",
    check: async (context) => {
      const { live } = await followed(context);
      for (const { name } of live.events) expect(NAMES.includes(name), `an event is named ${show(name)}`);
    },
  },
  {
    id: "revision",
    title: "revision grows by one with each start, delta and end",
    check: async (context) => {
      const { live } = await followed(context);
      let last = live.of("opened")[0]?.data.revision;
      for (const { name, data } of live.of(...FRAMES)) {
        same(data.revision, last + 1, `the revision of a ${name} after ${last}`);
        last = data.revision;
      }
    },
  },
  {
    id: "attempts",
    title: "an attempt starts, counts its Deltas from 0, ends, and only then another starts",
    check: async (context) => {
      const { live, run } = await followed(context);
      const all = attempts(live);
      expect(all.length > 0, "no attempt was streamed");
      let open = null;
      for (const { name, data } of live.of(...FRAMES)) {
        if (name === "start") expect(open === null, `${data.attempt} starts while ${open} is open`);
        open = name === "end" ? null : data.attempt;
      }
      for (const [start, ...rest] of all) {
        same(start.name, "start", "an attempt's first event");
        same(start.data.run_id, run, "its run");
        expect(isInteger(start.data.started_after, -1) && isInteger(start.data.step) && isInteger(start.data.response), `a start is ${show(start.data)}`);
        const end = rest.pop();
        same(end?.name, "end", "an attempt's last event");
        rest.forEach(({ data }, index) => same(data.index, index, "the index of a delta"));
        same(end.data.index, rest.length, "the index of an end, which is the number of Deltas");
      }
    },
  },
  {
    id: "settlement",
    title: "a committed end names the record of its attempt, behind started_after",
    check: async (context) => {
      const { live, rows } = await followed(context);
      for (const [start, ...rest] of attempts(live)) {
        const { outcome } = rest.at(-1)?.data ?? {};
        if (outcome?.kind === "abandoned") continue;
        same(outcome?.kind, "committed", "an end's outcome");
        const record = recordOf(rows, start.data);
        same(outcome.seq, record?.seq, `the seq of the end, against the record of step ${start.data.step}, response ${start.data.response}`);
        expect(record.seq > start.data.started_after, `started_after ${start.data.started_after} is not before the record ${record.seq}`);
      }
    },
  },
  {
    id: "end-after-committed",
    title: "a committed end comes after the `committed` that carries its record",
    check: async (context) => {
      const { live } = await followed(context);
      let frontier = live.of("opened")[0]?.data.frontier;
      for (const { name, data } of live.events) {
        if (name === "committed") frontier = data.frontier;
        if (name === "end" && data.outcome?.kind === "committed") expect(data.outcome.seq <= frontier, `an end says that ${data.outcome.seq} is committed, and the stream has announced only ${frontier}`);
      }
    },
  },
  {
    id: "announced",
    title: "`committed` announces the log in order: its records join on, and are the rows that are read",
    check: async (context) => {
      const { live, log } = await followed(context);
      let frontier = live.of("opened")[0]?.data.frontier;
      for (const { data } of live.of("committed")) {
        expect(isInteger(data.frontier) && data.frontier > frontier, `a frontier of ${show(data.frontier)} follows ${frontier}`);
        if (data.records) same(data.records, log.rows.filter((row) => row.seq > frontier && row.seq <= data.frontier), "the records of a committed event");
        frontier = data.frontier;
      }
      same(frontier, log.frontier, "the last frontier that was announced");
    },
  },
  {
    id: "durable",
    title: "what is announced can be read at once",
    check: async (context) => {
      const { backend, scenarios } = context;
      const thread = backend.thread();
      const first = await backend.begin(thread, scenarios.text);
      await backend.settled(thread, first.run_id);
      const live = await backend.live(thread);
      const { run_id } = await backend.begin(thread, scenarios.text);
      for (let seen = 0; ; seen += 1) {
        const { data } = await live.until("the next commit", () => live.of("committed")[seen]);
        const page = await backend.page(thread, { after: data.frontier - 1 });
        expect(page.frontier >= data.frontier && rowsOf(page).some((row) => row.seq === data.frontier), `${data.frontier} is announced, and a read right after it reaches ${page.frontier}`);
        const state = data.records?.findLast((row) => row.run_id === run_id && row.state)?.state ?? rowsOf(page).findLast((row) => row.state)?.state;
        if (isEnded(state)) break;
      }
      live.close();
    },
  },
  {
    id: "streamed",
    title: "what was streamed of a committed attempt is what is committed",
    check: async (context) => {
      const { live, rows } = await followed(context);
      for (const [start, ...rest] of attempts(live)) {
        if (rest.at(-1)?.data.outcome?.kind !== "committed") continue;
        const record = recordOf(rows, start.data);
        expect(record, `no record is of ${show(start.data)}`);
        same(rest.filter(({ name }) => name === "delta").reduce((text, { data }) => append(text, data), ""), textOf(record.message), "the text of its Deltas");
      }
    },
  },
  {
    id: "join",
    title: "who comes in the middle of an answer gets what was streamed, and the next Delta joins on",
    check: async (context) => {
      const { backend } = context;
      const { thread, run } = await atWork(context);
      const first = await backend.live(thread);
      const deltas = () => first.of("delta").map(({ data }) => data);
      await first.until("some Deltas", () => (first.of("opened")[0]?.data.active?.next ?? 0) + deltas().length >= 5 || first.of("end").length > 0);
      const second = await backend.live(thread);
      const { data } = await second.until("`opened`", ([event]) => event);
      if (!data.active) throw new NotExercised("the long run's attempt was over too soon");
      const { active } = data;
      same(active.run_id, run, "the active attempt's run");
      const { state, rows } = await backend.settled(thread, run, isEnded);
      const record = recordOf(rows, active);
      expect(record, `the run ended as ${show(state.state)} without a record of ${show({ step: active.step, response: active.response })}`);
      await second.until("the end of the attempt", () => second.of("end").some((end) => end.data.attempt === active.attempt));
      const rest = second.of("delta").map((event) => event.data).filter((delta) => delta.attempt === active.attempt);
      expect(isInteger(active.next, 1), `next is ${show(active.next)}`);
      if (rest.length > 0) same(rest[0].index, active.next, "the index of the first Delta after `opened`, against its next");
      const joined = active.deltas.reduce((text, delta) => append(text, { delta }), "");
      const whole = rest.reduce(append, joined);
      same(whole, textOf(record.message), "the baseline's text with the Deltas after it");
      const [own] = first.of("opened");
      const from = own.data.active?.next ?? 0;
      const seen = deltas().filter((delta) => delta.attempt === active.attempt && delta.index < active.next);
      if (seen.length > 0) same(from + seen.length, active.next, "next, against the Deltas that came to another stream before");
      first.close();
      second.close();
    },
  },
  {
    id: "ping",
    title: "a named `ping` comes at least every 15 s, with epoch, frontier and revision",
    check: async (context) => {
      const { live, log } = await followed(context);
      const { data } = await live.until("a ping", () => live.of("ping").at(-1), Math.min(context.backend.patience, 20_000));
      same(data.epoch, log.epoch, "its epoch");
      expect(isInteger(data.frontier, -1) && isInteger(data.revision), `it is ${show(data)}`);
    },
  },
];
