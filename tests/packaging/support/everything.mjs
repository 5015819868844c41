// A thread in which everything occurs that the types name, and a live stream on top of it.

let seq = -1;
const messages = [];
const runs = [];
const message = (run_id, id, role, content, more = {}) => messages.push({ seq: ++seq, time: 1, run_id, ...more, message: { id, role, content } });
const state = (run_id, value, resume_ticket) => runs.push({ seq: ++seq, time: 1, run_id, state: value, ...(resume_ticket && { resume_ticket }) });
const said = (text) => [{ type: "text", text }];
const assistant = (run, step, content) => message(run, `${run}-assistant-${step}`, "Assistant", content, { step, response: 0 });
const call = (id, input = {}) => ({ type: "tool_use", id, name: "tool", input });
const result = (tool_use_id, is_error = false) => ({ type: "tool_result", tool_use_id, content: said("done"), is_error });
const ticket = (reason, call_id) => ({ target: { ToolCall: { reason, call_id, tool: { tool_id: "tool", arguments: { x: 1 } } } } });

function begin(run) {
  message(run, `m-${run}`, "User", said("go"));
  state(run, "Running");
}

message(null, "system", "System", said("be brief"));
begin("r1");
assistant("r1", 0, [
  { type: "thinking", text: "hm", signature: "s" },
  ...said("look"),
  { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
  { type: "document", source: { type: "text" }, title: "A", context: "B" },
  { type: "search_result", source: "s", title: "t", content: [], citations: { enabled: true } },
  { type: "redacted" },
  { type: "hologram", depth: 3 },
  call("c1", { a: { b: [1, { c: null }] } }),
  call("c2"),
]);
message("r1", "tool-c1", "Tool", [result("c1"), result("nobody")]);
state("r1", "Awaiting", ticket("Permission", "c2"));
message("r1", "tool-c2", "Tool", [result("c2", true)]);
state("r1", "Running");
message("r1", "r1-steer-0", "User", said("shorter"));
message("r1", "r1-continuation-1-0", "User", said("go on"));
message("r1", "resume-input-c2", "User", said("input"));
message("r1", "agent-thread-report-1", "User", said("report"));
assistant("r1", 1, said("done"));
state("r1", { Ended: "NaturalEnd" });
begin("r2");
assistant("r2", 0, [call("c3")]);
state("r2", "Awaiting", ticket("ClientExecution", "c3"));
begin("r3");
assistant("r3", 0, [call("c4")]);
state("r3", { Ended: "Cancelled" });
begin("r4");
state("r4", { Ended: "MaxSteps" });
begin("r5");
state("r5", { Ended: { Stopped: "guard" } });
begin("r6");
state("r6", { Ended: { Error: { Inference: { code: "overloaded", message: "too busy" } } } });
begin("r7");
state("r7", { Ended: "Indeterminate" });
begin("r8");
state("r8", "Awaiting", { target: { Pause: "Manual" } });
state("r8", "Running");
assistant("r8", 0, [call("big", { n: "BIG" }), call("c5")]);
state("r8", "Awaiting", ticket("Permission", "c5"));

/** A number that JavaScript has no room for; it travels as text. */
export const withBigNumber = (page) => JSON.stringify(page).replace('"BIG"', "12815844532926915242");

/** A committed page. */
export const PAGE = { contract: "threadfold/1", thread_id: "t1", epoch: "e1", frontier: seq, has_more: false, messages, runs };

const frontier = seq;
const live = { attempt: "a1", started_after: frontier + 2, run_id: "r9", step: 0, response: 0 };
const delta = (index, value) => ["delta", { attempt: "a1", revision: 3 + index, index, delta: value }];

/** Events of the live stream, in order. */
export const LIVE = [
  ["opened", { contract: "threadfold/1", epoch: "e1", frontier, revision: 1, active: null }],
  ["nonsense", {}],
  // The call that waits is answered: its disposition is amended.
  ["committed", { frontier: frontier + 1, records: [{ seq: frontier + 1, time: 2, run_id: "r8", message: { id: "tool-c5", role: "Tool", content: [result("c5")] } }] }],
  ["committed", { frontier: frontier + 2, records: [{ seq: frontier + 2, time: 2, run_id: "r9", state: "Running" }] }],
  ["start", { ...live, revision: 2 }],
  delta(0, { type: "reasoning_delta", delta: "let me " }),
  delta(1, { type: "text_delta", delta: "Hel" }),
  delta(2, { type: "text_delta", delta: "lo" }),
  delta(3, { type: "tool_call_delta", id: "c6", name: "tool", args_delta: "" }),
  delta(4, { type: "tool_call_delta", id: "c6", name: "tool", args_delta: '{"a":[1,' }),
  delta(5, { type: "tool_call_delta", id: "c6", name: "tool", args_delta: "2" }),
];
