// `fold`, `terminal` and `classify` over the fixtures that the core's own tests read.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { classify, fold, terminal, ThreadfoldError } from "threadfold";

const fixture = (name) => JSON.parse(readFileSync(new URL(`../../tests/fixtures/${name}.json`, import.meta.url), "utf8"));

for (const { name, records, windowed, facts } of fixture("fold")) {
  test(`fold: ${name}`, () => assert.deepEqual(fold(records, { windowed }), facts));
}

test("classify routes every event as the table says", () => {
  for (const { event, route } of fixture("classify")) assert.deepEqual(classify(event), route);
});

test("terminal gives the Fact of a state, and nothing while the run goes on", () => {
  assert.equal(terminal("Running"), null);
  assert.deepEqual(terminal({ Ended: "MaxSteps" }), { type: "run_finished", exhausted: true, cause: "max_steps" });
  assert.equal(terminal({ Ended: "Indeterminate" }).type, "run_failed");
  assert.equal(terminal({ Ended: "SomethingNew" }).type, "run_failed");
  const ticket = { target: { RemoteInput: { reason: "UserInput", call_id: "c1" } } };
  assert.deepEqual(terminal("Awaiting", ticket), { type: "awaiting", pending_tool_use_id: "c1", reason: "user_input" });
});

test("a page folds as its rows do, and text keeps all digits", () => {
  const input = "12815844532926915242";
  const row = `{"seq":0,"time":1,"run_id":"r","step":0,"response":0,"message":{"id":"m","role":"Assistant","content":[{"type":"tool_use","id":"c","name":"n","input":${input}}]}}`;
  const rows = fold(`[${row}]`);
  const page = fold(`{"contract":"threadfold/1","thread_id":"t","epoch":"e","frontier":0,"messages":[${row}],"runs":[]}`);
  assert.deepEqual(page, rows);
  assert.deepEqual(rows.map(({ fact }) => fact.type), ["run_started", "tool_call"]);
});

test("W08: plain objects come out at every level, and null stays null", () => {
  const input = { a: { b: [1, { c: null }] } };
  const content = [{ type: "tool_use", id: "c", name: "n", input }];
  const [, call] = fold([{ seq: 0, time: 1, run_id: "r", step: 0, response: 0, message: { id: "m", role: "Assistant", content } }]);
  assert.deepEqual(call.fact.input, input);
});

test("what is no row, no state and no event is refused with what is wrong about it", () => {
  const refused = (call, about) =>
    assert.throws(call, (error) => error instanceof ThreadfoldError && error.code === "bad_argument" && about.test(error.message));
  refused(() => fold(undefined), /rows is missing/);
  refused(() => fold("<!doctype html>"), /^page: /);
  refused(() => fold([{ seq: -4, run_id: "r", state: "Running" }]), /-4/);
  refused(() => classify({ tier: "rumour", event: {} }), /rumour/);
  refused(() => terminal("Awaiting", { target: 1, other: [] }) && terminal(undefined), /state is missing/);
});
