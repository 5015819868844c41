// The mirror against what the core tells: the same fixture that the core's tests hold it to.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { countItems, Mirror, sliceItems } from "../src/mirror.js";

const scenarios = JSON.parse(readFileSync(new URL("../../tests/fixtures/view-changes.json", import.meta.url), "utf8"));

/** A scenario's steps, by the beginning of its name. */
const stepsOf = (name) => scenarios.find((scenario) => scenario.name.startsWith(name)).steps;

/** A mirror that is told the steps one by one, and may ask at any time for what was left out of them. */
function player() {
  let step;
  const mirror = new Mirror(() => step?.older);
  return { mirror, apply: (next) => mirror.apply((step = next).changes) };
}

/** The mirror after the first `count` steps. */
function after(steps, count = steps.length) {
  const { mirror, apply } = player();
  for (const step of steps.slice(0, count)) assert.equal(apply(step), true);
  return mirror;
}

const whole = (number, view) => {
  const mirror = new Mirror();
  mirror.replace({ number, view });
  return mirror.view;
};

for (const { name, steps } of scenarios) {
  test(`changes lead to the whole: ${name}`, () => {
    const text = JSON.stringify(steps);
    const { mirror, apply } = player();
    let before = mirror.view;
    for (const step of steps) {
      const { changes, view } = step;
      const frozen = JSON.stringify(before);
      assert.equal(apply(step), true);
      assert.notEqual(mirror.view, before);
      assert.equal(JSON.stringify(before), frozen, "a view that was handed out never changes");
      if (view) assert.deepEqual(mirror.view, whole(changes.number, view));
      before = mirror.view;
    }
    assert.equal(JSON.stringify(steps), text, "what is handed in is not altered");
  });

  test(`the whole at any time keeps what is equal: ${name}`, () => {
    const { mirror, apply } = player();
    for (const step of steps) {
      const { changes, view } = step;
      apply(step);
      if (!view) continue;
      const { items, run, status } = mirror.view;
      mirror.replace({ number: changes.number, view });
      assert.equal(mirror.view.items, items);
      assert.equal(mirror.view.run, run);
      assert.equal(mirror.view.status, status);
    }
  });
}

test("a view that is looked at late shows what it was, and the same list each time", () => {
  for (const { steps } of scenarios) {
    const { mirror, apply } = player();
    const views = steps.map((step) => (apply(step), mirror.view));
    steps.forEach(({ changes, view }, at) => {
      if (view) assert.deepEqual(views[at], whole(changes.number, view));
      assert.equal(views[at].items, views[at].items);
    });
  }
});

test("a part of the list is what a slice of the whole list is", () => {
  for (const { steps } of scenarios) {
    for (let count = 1; count <= steps.length; count++) {
      const { view } = after(steps, count);
      const other = after(steps, count).view;
      const places = [undefined, 0, 1, 2, -1, -2, -90, 90, NaN, Infinity, 1.5];
      for (const start of places) {
        for (const end of places) {
          const some = sliceItems(view, start, end);
          assert.deepEqual(some, other.items.slice(start, end), `${start} to ${end}`);
          assert.equal(sliceItems(view, start, end), some);
        }
      }
      assert.equal(countItems(view), other.items.length);
      assert.equal(view.items, view.items);
    }
  }
  const foreign = { items: [{ key: "a" }, { key: "b" }], run: null, status: { state: "idle" } };
  assert.deepEqual([countItems(foreign), sliceItems(foreign, -1)], [2, [{ key: "b" }]]);
});

test("what was left out is read when it is looked at, once, and each view has what it had", () => {
  const item = (key, more = {}) => ({ kind: "user", key, origin: "committed", run_id: null, seq: 0, time: 0, message_id: key, parts: [], send: null, ...more });
  const older = { op: "older", spans: [{ from: 0, items: [item("a"), item("b")] }, { from: 3, items: [item("d")] }] };
  let asked = 0;
  const mirror = new Mirror(() => (asked++, older));
  const keys = (view, ...range) => sliceItems(view, ...range).map(({ key }) => key).join("");
  mirror.apply({ number: 1, changes: [{ op: "tail", from: 0, older: 2, items: [item("c")] }] });
  const first = mirror.view;
  mirror.apply({ number: 2, changes: [{ op: "tail", from: 3, older: 1, items: [item("e")] }] });
  const second = mirror.view;
  // Both lists are copied with what is not read: a settled item changes.
  mirror.apply({ number: 3, changes: [{ op: "item", key: "e", set: { time: 9 } }] });
  const third = mirror.view;
  assert.deepEqual([first, second, third].map(countItems), [3, 5, 5]);
  assert.deepEqual([keys(first, -1), keys(second, -1), keys(third, 4)], ["c", "e", "e"]);
  assert.equal(asked, 0, "the end is there");
  assert.deepEqual([keys(third, 3), asked], ["de", 1]);
  assert.deepEqual([keys(first), keys(second), keys(third)], ["abc", "abcde", "abcde"]);
  assert.deepEqual([first, second, third].map(({ items }) => items.map(({ key }) => key).join("")), ["abc", "abcde", "abcde"]);
  assert.deepEqual([sliceItems(second, 4)[0].time, sliceItems(third, 4)[0].time], [0, 9]);
  assert.equal(first.items[0], third.items[0], "and is the same in all of them");
  mirror.apply({ number: 4, changes: [{ op: "item", key: "a", set: { time: 7 } }] });
  assert.deepEqual([mirror.view.items[0].time, third.items[0].time, asked], [7, 0, 1]);
});

test("what was left out and can't be read any more is not there", () => {
  const mirror = new Mirror();
  const last = { kind: "user", key: "b", origin: "committed", run_id: null, seq: 1, time: 0, message_id: "b", parts: [], send: null };
  mirror.apply({ number: 1, changes: [{ op: "tail", from: 0, older: 1, items: [last] }] });
  assert.deepEqual(mirror.view.items, [last]);
});

test("the last status is that of the page's own", () => {
  const mirror = after(stepsOf("a message is sent"));
  const { items, run } = mirror.view;
  mirror.setStatus({ state: "closed" });
  assert.deepEqual(mirror.view, { items, run, status: { state: "closed" } });
  assert.equal(mirror.view.items, items);
});

test("p08 what did not change keeps its identity", () => {
  const steps = stepsOf("two calls stream");
  for (let count = 1; count < steps.length; count++) {
    const [before, next] = [after(steps, count), steps[count]];
    const { items } = before.view;
    before.apply(next.changes);
    const named = new Set(next.changes.changes.flatMap((change) => change.key ?? (change.items ?? []).map((item) => item.key)));
    for (const item of items) {
      const now = before.view.items.find(({ key }) => key === item.key);
      assert.equal(now === item, !named.has(item.key), item.key);
      for (const [number, part] of (item.parts ?? []).entries()) {
        if (JSON.stringify(part) === JSON.stringify(now.parts[number])) assert.equal(now.parts[number], part);
      }
    }
  }
});

test("what streams beside and behind something open copies nothing of the history", () => {
  const LONG = 5000;
  const item = (key, origin) => ({ kind: "assistant", key, origin, run_id: "r", seq: null, time: null, parts: [{ type: "text", text: key }] });
  const history = Array.from({ length: LONG }, (_, number) => item(`old${number}`, "committed"));
  const mirror = new Mirror();
  let number = 0;
  const apply = (...changes) => assert.equal(mirror.apply({ number: (number += 1), changes }), true);
  apply({ op: "tail", from: 0, items: history });
  // Whoever looks once has the list; from then on nothing as long as it is made unless somebody looks again.
  assert.equal(mirror.view.items.length, LONG);
  const { slice, concat } = Array.prototype;
  let longest = 0;
  for (const [name, copy] of [["slice", slice], ["concat", concat]]) {
    Array.prototype[name] = function (...given) {
      const made = copy.apply(this, given);
      longest = Math.max(longest, made.length);
      return made;
    };
  }
  try {
    apply({ op: "tail", from: LONG, items: [item("a", "preview")] });
    apply({ op: "append", key: "a", part: 0, text: "+" });
    apply({ op: "tail", from: LONG + 1, items: [item("b", "preview")] });
    for (const key of ["a", "b", "a", "b"]) apply({ op: "append", key, part: 0, text: "+" });
    apply({ op: "tail", from: LONG, items: [item("a", "committed"), "b"] });
    apply({ op: "append", key: "b", part: 0, text: "+" });
  } finally {
    Object.assign(Array.prototype, { slice, concat });
  }
  assert.ok(longest < 10, `a list of ${longest} was copied`);
  assert.deepEqual(mirror.view.items.slice(LONG).map(({ key, origin, parts }) => [key, origin, parts[0].text]), [["a", "committed", "a"], ["b", "preview", "b+++"]]);
});

test("a commit that says what the preview said keeps its parts", () => {
  const steps = stepsOf("a message is sent");
  const before = after(steps, 5).view.items[1];
  const committed = after(steps, 6);
  assert.deepEqual([before.origin, before.seq, before.time], ["preview", null, null]);
  const mirror = after(steps, 5);
  const preview = mirror.view.items[1];
  mirror.apply(steps[5].changes);
  const item = mirror.view.items[1];
  assert.deepEqual([item.origin, item.seq, item.key], ["committed", 2, preview.key]);
  assert.equal(item.parts, preview.parts);
  assert.deepEqual(committed.view, mirror.view);
});

test("a replaced log keeps what is the same in both", () => {
  const steps = stepsOf("the log is replaced");
  const mirror = after(steps, steps.length - 1);
  const before = mirror.view.items;
  mirror.apply(steps.at(-1).changes);
  const now = mirror.view.items;
  assert.equal(now[0], before[0]);
  assert.equal(now[0].parts, before[0].parts);
  assert.notEqual(now[1], before[1]);
  assert.equal(now[1].key, before[1].key);
  assert.equal(now.at(-1), before.at(-1));
});

test("the input is what the arguments denote, read or not, and parsed once", () => {
  const steps = stepsOf("two calls stream");
  const inputs = steps.map((_, at) => after(steps, at + 1).view.items[0].parts.filter((part) => part.type === "tool_call").map((part) => part.input));
  assert.deepEqual(inputs.slice(0, 4), [
    [],
    [undefined],
    [{ path: "/höme/😀" }, { n: 251229204212 }],
    [{ path: "/höme/😀é" }, { n: Number("2512292042121000001") }],
  ]);
  const mirror = after(steps, 4);
  const call = mirror.view.items[0].parts[3];
  const { input } = call;
  assert.equal(call.input, input);
  for (const { changes } of steps.slice(4)) mirror.apply(changes);
  const settled = mirror.view.items[0].parts[3];
  assert.deepEqual([call.state, settled.state], ["streaming", "error"]);
  assert.equal(settled.input, input, "the same arguments denote the same value, whatever became of the call");
  assert.equal(mirror.view.items[0].parts[3].args, '{"n":2512292042121000001}', "all digits are there");
  assert.deepEqual(mirror.view.items[1].tool.input, { path: "/x" });
});

test("a view is complete as JSON, and copies of its objects are complete", () => {
  const { view } = after(stepsOf("two calls stream"));
  const copy = JSON.parse(JSON.stringify(view));
  assert.deepEqual(copy, JSON.parse(JSON.stringify(structuredClone(view))));
  const part = copy.items[0].parts[2];
  assert.deepEqual(Object.keys(part), ["type", "id", "name", "args", "input", "state", "output"]);
  assert.deepEqual(part.input, { path: "/höme/😀é" });
  assert.deepEqual({ ...view.items[0].parts[2] }, part);
});

test("a gap is told, changes nothing, and the whole heals it", () => {
  const steps = stepsOf("a message is sent");
  const mirror = after(steps, 3);
  const { view } = mirror;
  assert.equal(mirror.apply(steps[4].changes), false);
  assert.equal(mirror.view, view);
  assert.equal(mirror.apply(steps[3].changes), false, "no more changes until the whole has come");
  mirror.replace({ number: steps[4].changes.number, view: steps[4].view });
  assert.deepEqual(mirror.view, after(steps, 5).view);
  assert.equal(mirror.apply(steps[5].changes), true);
  assert.deepEqual(mirror.view, after(steps, 6).view);
});

test("changes that do not fit are told, and change nothing", () => {
  const steps = stepsOf("a message is sent");
  const bad = [
    { op: "append", key: "nobody", part: 0, text: "x" },
    { op: "append", key: "message:m1", part: 7, text: "x" },
    { op: "part", key: "run:r1/3", part: { type: "text", text: "x" } },
    { op: "call", key: "message:m1", part: 0, state: "output", output: null },
    { op: "tail", from: 9, items: [] },
    { op: "tail", from: 1, items: ["message:m1"] },
    { op: "tail", from: 1, items: ["run:r9/8"] },
    { op: "later" },
  ];
  for (const change of bad) {
    const mirror = after(steps);
    const { view } = mirror;
    const fits = { op: "append", key: "message:m1", part: 0, text: "!" };
    const more = { op: "tail", from: 3, items: [{ ...steps.at(-1).view.items[2], key: "run:r9/9" }] };
    assert.equal(mirror.apply({ number: steps.length + 1, changes: [more, fits, change] }), false, JSON.stringify(change));
    assert.equal(mirror.view, view);
    assert.equal(mirror.view.items.length, 3);
    mirror.replace({ number: 40, view: steps.at(-1).view });
    assert.equal(mirror.view.items, view.items);
    assert.equal(mirror.apply({ number: 41, changes: [fits] }), true);
    assert.equal(mirror.view.items[0].parts[0].text, "hi!");
    assert.equal(mirror.apply({ number: 42, changes: [more] }), true);
    assert.deepEqual(mirror.view.items.map((item) => item.key).slice(2), ["run:r1/3", "run:r9/9"]);
    assert.equal(view.items[0].parts[0].text, "hi");
  }
});

/** The fields of each kind of item and of each type of part, as `types/view.d.ts` documents them. */
const BASE = ["key", "kind", "origin", "seq", "time", "run_id"];
const FIELDS = {
  user: [...BASE, "message_id", "parts", "send"],
  injected: [...BASE, "reason", "message_id", "parts"],
  system: [...BASE, "message_id", "parts"],
  assistant: [...BASE, "message_id", "step", "response", "parts"],
  orphan_result: [...BASE, "message_id", "tool_use_id", "is_error", "output"],
  awaiting: [...BASE, "reason", "pending_tool_use_id", "tool", "call", "resolved"],
  finished: [...BASE, "exhausted", "cause", "detail"],
  failed: [...BASE, "code", "message"],
  text: ["type", "text"],
  reasoning: ["type", "text"],
  tool_call: ["type", "id", "name", "args", "input", "state", "output"],
  image: ["type", "source"],
  document: ["type", "source", "title", "context"],
  search_result: ["type", "source", "title", "content", "citations"],
  redacted: ["type"],
  unknown: ["type", "block"],
};

test("w10 every item and part has exactly the documented fields, and null where there is nothing", () => {
  const seen = new Set();
  const check = (object, name) => {
    seen.add(name);
    assert.deepEqual(Object.keys(object).sort(), [...FIELDS[name]].sort());
    for (const key of Object.keys(object)) if (key !== "input") assert.notEqual(object[key], undefined, `${name}.${key}`);
  };
  for (const { steps } of scenarios) {
    const { mirror, apply } = player();
    for (const step of steps) {
      apply(step);
      for (const item of mirror.view.items) {
        check(item, item.kind);
        for (const part of [...(item.parts ?? []), ...(item.output ?? [])]) {
          check(part, part.type);
          (part.output ?? []).forEach((inner) => check(inner, inner.type));
        }
      }
    }
  }
  assert.deepEqual([...seen].sort(), Object.keys(FIELDS).sort());
});
