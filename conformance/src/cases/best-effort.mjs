// C4: a live stream of plain envelopes.

import { isEnded, textOf } from "../backend.mjs";
import { expect, NotExercised, same, show } from "../expect.mjs";

const DELTAS = { text_delta: ["delta"], reasoning_delta: ["delta"], tool_call_delta: ["id", "name", "args_delta"] };

/** A thread with one run, and a second run of it followed from before its beginning. */
async function followed(context) {
  context.plain ??= (async () => {
    const { backend, scenarios } = context;
    const thread = backend.thread();
    const first = await backend.begin(thread, scenarios.text);
    await backend.settled(thread, first.run_id);
    const live = await backend.live(thread);
    if (live.status !== 200) return { live };
    const { run_id } = await backend.begin(thread, scenarios.long ?? scenarios.text);
    const log = await backend.settled(thread, run_id, isEnded);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const envelopes = live.of("message").map(({ data }) => data.event ? { ...data.event, at: data.assistant_response } : data);
    return { live, thread, run: run_id, rows: log.rows.filter((row) => row.run_id === run_id), envelopes };
  })();
  return context.plain;
}

const texts = (envelopes) => envelopes.filter(({ kind }) => kind?.event?.type === "text_delta");

export const bestEffort = [
  {
    id: "stream",
    title: "the live stream is an event stream that nothing on the way may store",
    check: async (context) => {
      const { live } = await followed(context);
      same(live.status, 200, "the status of live");
      expect(/^text\/event-stream\b/.test(live.headers.get("content-type") ?? ""), `its media type is ${live.headers.get("content-type")}`);
      expect(/no-store|no-cache/.test(live.headers.get("cache-control") ?? ""), `its cache-control is ${live.headers.get("cache-control")}`);
    },
  },
  {
    id: "envelopes",
    title: "each event is an envelope with a run, and Facts or Deltas that the vocabulary has",
    check: async (context) => {
      const { live, run, envelopes } = await followed(context);
      same(live.odd, [], "lines that are no event of this wire");
      expect(envelopes.length > 0, "nothing came while a run was at work");
      for (const { run_id, kind } of envelopes) {
        same(run_id, run, "the run of an event");
        expect(["fact", "delta"].includes(kind?.tier) && typeof kind.event?.type === "string", `an envelope holds ${show(kind)}`);
        if (kind.tier === "delta") for (const key of DELTAS[kind.event.type] ?? []) expect(typeof kind.event[key] === "string", `${kind.event.type} has no ${key}`);
      }
    },
  },
  {
    id: "coordinates",
    title: "Deltas say to which response they belong, and it is one of the run's records",
    check: async (context) => {
      const { envelopes, rows } = await followed(context);
      const deltas = envelopes.filter(({ kind }) => kind.tier === "delta");
      if (deltas.every(({ at }) => at === undefined)) throw new NotExercised("no Delta has assistant_response; a late one can stand beside its record until the next read");
      for (const { at } of deltas) expect(rows.some((row) => row.step === at?.step && row.response === at?.response), `no record is of ${show(at)}`);
    },
  },
  {
    id: "streamed",
    title: "what was streamed is what is committed",
    check: async (context) => {
      const { envelopes, rows } = await followed(context);
      const streamed = texts(envelopes).map(({ kind }) => kind.event.delta).join("");
      const said = rows.filter((row) => row.message?.role === "Assistant").map((row) => textOf(row.message)).join("");
      same(streamed, said, "the text of all Deltas");
    },
  },
];
