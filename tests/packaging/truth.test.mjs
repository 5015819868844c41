// The types tell the truth: what really comes out is written down as TypeScript with its declared type, and compiled.
// A key that the types lack, one that they promise in vain, and a value out of its union all fail there.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Project } from "./support/project.mjs";
import { LIVE, PAGE, withBigNumber } from "./support/everything.mjs";
import { playSessions } from "./support/sessions.mjs";

let project;
let threadfold;
let kept;
before(async () => {
  project = await Project.make("truth", {});
  threadfold = await import(pathToFileURL(project.path("node_modules/threadfold/node.js")).href);
  kept = await everything();
  await recorded(kept);
});
after(() => project?.remove());

const until = async (what, look) => {
  for (let tries = 0; !look(); tries++) {
    assert.ok(tries < 6000, what());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

/** Follows a thread that has everything, and keeps all that it tells, by the name of its type. */
async function everything() {
  const { ThreadClient, classify, fold, terminal } = threadfold;
  const kept = { View: [], ThreadEvent: [], Changes: [], Status: [], Stats: [], Anomaly: [], Accepted: [], CommittedQuery: [], SendRequest: [], ResumeRequest: [], PlacedFact: fold(PAGE) };
  kept.Fact = [terminal({ Ended: "MaxSteps" }), terminal("Awaiting", { target: { Pause: "Manual" } })];
  kept.Page = [PAGE];
  kept.Envelope = [{ event: { run_id: "r", kind: { tier: "delta", event: { type: "text_delta", delta: "x" } } }, assistant_response: { thread_id: "t", step: 0, response: 0 } }];
  assert.deepEqual(classify(kept.Envelope[0].event.kind), { tier: "delta", live: true, audit: false });

  // What travels between the module and the mirror is JSON text; it is a public type too.
  const { parse } = JSON;
  JSON.parse = (text, ...more) => {
    const value = parse(text, ...more);
    if (value?.changes && Number.isInteger(value.number)) kept.Changes.push(parse(text));
    return value;
  };
  let sink;
  const thread = new ThreadClient({
    onAnomaly: (anomaly) => kept.Anomaly.push(anomaly),
    source: {
      openLive: (given) => void (sink = given),
      readCommitted: (query) => {
        kept.CommittedQuery.push(query);
        const rows = (all) => all.filter((row) => row.seq > query.after);
        return withBigNumber({ ...PAGE, messages: rows(PAGE.messages), runs: rows(PAGE.runs) });
      },
      resume: async (request) => void kept.ResumeRequest.push(request),
      send: async (request) => {
        kept.SendRequest.push(request);
        const { input } = request;
        if (input.content[0].text === "no") throw Object.assign(new Error("a run is active"), { status: 409, code: "run_active" });
        return { run_id: "r-new", message_id: input.message_id };
      },
    },
  });
  const keep = () => (kept.View.push(thread.view), kept.Status.push(thread.view.status));
  keep();
  thread.subscribe(keep);
  const reading = (async () => {
    for await (const event of thread.events()) kept.ThreadEvent.push(event);
  })();
  const connected = thread.connect();
  await until(() => "the stream is opened", () => sink);
  LIVE.slice(0, 1).forEach(([name, data]) => sink.event(name, data));
  await connected;
  kept.Accepted.push(await thread.resume("c5", { approve: false, reason: "no" }), await thread.resume("c3", { content: "three", is_error: true }));
  for (const [name, data] of LIVE.slice(1)) {
    sink.event(name, data);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  kept.Accepted.push(await thread.send("yes"), await thread.send("and then", { onActive: "queue" }));
  await thread.send("no").catch((error) => assert.equal(error.code, "run_active"));
  await until(() => "a failed send is shown", () => thread.view.items.some((item) => item.send?.state === "failed"));
  sink.closed({ status: 503, retryAfter: 60_000 });
  await until(() => "the preview is unconfirmed", () => thread.view.items.some((item) => item.origin === "unconfirmed"));
  kept.Stats.push(thread.stats());
  keep();
  thread.close();
  keep();
  await reading;
  JSON.parse = parse;
  return kept;
}

/** What recorded sessions of a dsh host come to, each form of it once. */
async function recorded(kept) {
  const once = (values) => {
    const forms = new Set(values.map(form));
    return (value) => {
      const before = forms.size;
      if (forms.add(form(value)).size > before) values.push(value);
    };
  };
  const played = await playSessions(threadfold, { view: once(kept.View), event: once(kept.ThreadEvent) });
  assert.ok(played >= 20, `${played} sessions`);
}

/** A value's form: its keys, the types of what they hold, and the words that tell one kind from another. */
function form(value, key = "") {
  if (Array.isArray(value)) return `[${[...new Set(value.map((one) => form(one)))].sort()}]`;
  if (value === null || typeof value !== "object") return ["kind", "type", "state", "origin", "cause"].includes(key) ? String(value) : value === null ? "null" : typeof value;
  return `{${Object.keys(value).sort().map((key) => `${key}:${form(value[key], key)}`)}}`;
}

/** A value as TypeScript has it; what is undefined stays there. */
function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value === null || typeof value !== "object") return value === undefined ? "undefined" : JSON.stringify(value);
  return `{ ${Object.keys(value).map((key) => `${JSON.stringify(key)}: ${literal(value[key])}`).join(", ")} }`;
}

/** Every object and array in a value. */
function* objects(value) {
  if (value === null || typeof value !== "object") return;
  yield value;
  for (const key of Object.keys(value)) yield* objects(value[key]);
}

const BLOCKS = ["text", "image", "document", "search_result", "redacted", "tool_use", "tool_result", "thinking"];

test("what comes out has the types that are declared", async () => {
  // Any object would do for an unknown block, so the known ones are named as such.
  const contents = [...objects(kept.PlacedFact), ...objects(kept.Page)].flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const known = contents.filter(({ type }) => BLOCKS.includes(type));
  assert.deepEqual([...new Set(known.map(({ type }) => type))].sort(), [...BLOCKS].sort());
  kept.KnownBlock = known;
  const lines = ['import type * as T from "threadfold";'];
  for (const [type, values] of Object.entries(kept)) {
    const texts = [...new Set(values.map(literal))];
    assert.ok(texts.length > 0, `nothing of ${type} came out`);
    texts.forEach((text, number) => lines.push(`export const ${type}${number}: T.${type} = ${text};`));
  }
  // The compiler must be able to refuse: a key too much, one too few, a word that no union has.
  const [view] = kept.View;
  for (const wrong of [{ ...view, more: 1 }, { items: view.items, run: view.run }, { ...view, status: { state: "online" } }]) {
    lines.push("// @ts-expect-error", `export const wrong${lines.length}: T.View = ${literal(wrong)};`);
  }
  await project.write({
    "truth.ts": `${lines.join("\n")}\n`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: "es2022", module: "nodenext", lib: ["es2022", "dom"], types: [] },
      files: ["truth.ts"],
    }),
  });
  await project.tool("tsc", ["--project", "tsconfig.json"]);
});

/** Words of the unions that must have come out, so that the compiler has seen them. */
const WORDS = {
  PlacedFact: ["run_started", "assistant_message", "assistant_thinking", "tool_call", "tool_result", "awaiting", "continuation", "run_finished", "run_failed", "executed", "pending_client", "pending_builtin", "unresolved", "max_steps", "cancelled", "stopped", "natural_end"],
  View: [
    "user", "injected", "system", "assistant", "orphan_result", "awaiting", "finished", "failed", "text", "reasoning", "tool_call", "image", "document", "search_result", "redacted", "unknown",
    "preview", "unconfirmed", "committed", "streaming", "open", "unresolved", "output", "error", "pending_builtin", "attempt", "retry", "sending", "queued", "steer", "continuation", "resume_input", "report", "idle", "connecting", "live", "waiting", "closed", "running",
  ],
  ThreadEvent: ["fact", "amend", "delta", "reset", "text_delta", "reasoning_delta", "tool_call_delta"],
  Changes: ["tail", "append", "part", "call", "item", "view"],
};

test("every member of the unions came out", () => {
  for (const [type, words] of Object.entries(WORDS)) {
    const said = new Set([...objects(kept[type])].flatMap((object) => Object.values(object)).filter((value) => typeof value === "string"));
    assert.deepEqual(words.filter((word) => !said.has(word)), [], `of ${type}`);
  }
});

test("what comes out is plain: objects and arrays at every level, null as null, whole in JSON", () => {
  for (const [type, values] of Object.entries(kept)) {
    for (const object of objects(values)) {
      const plain = Array.isArray(object) ? Array.prototype : Object.prototype;
      assert.equal(Object.getPrototypeOf(object), plain, type);
    }
    const whole = values.map((value) => JSON.parse(JSON.stringify(value)));
    // An undefined input is the one thing that JSON has no word for.
    assert.equal(JSON.stringify(whole), JSON.stringify(values));
  }
  const nested = kept.PlacedFact.find(({ fact }) => fact.type === "tool_call").fact.input;
  assert.deepEqual(nested, { a: { b: [1, { c: null }] } });
});

test("sequence numbers are exact or refused, and arguments keep all their digits", () => {
  const { fold } = threadfold;
  const at = (seq) => `[{"seq":${seq},"time":1,"run_id":"r","state":"Running"}]`;
  assert.equal(fold(at("9007199254740991"))[0].position.seq, 9007199254740991);
  for (const seq of ["9007199254740992", "12815844532926915242", "1.5", "-2"]) {
    assert.throws(() => fold(at(seq)), (error) => error.code === "bad_argument", seq);
  }
  const call = kept.View.flatMap((view) => view.items).flatMap((item) => item.parts ?? []).find((part) => part.id === "big");
  assert.equal(call.args, '{"n":12815844532926915242}');
});
