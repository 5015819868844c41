// What is said in a measurement, before any system's wire: steps of a run, each a list of fragments.
//
// A fragment is ["t", text], ["r", reasoning] or ["a", call, name, arguments]: a piece of the arguments of the step's
// call with that number, with the tool's name on its first.

import fragments from "../../tests/fixtures/openai-chat/fragments.json" with { type: "json" };

/** Recorded answers of real models and one streamed file, over and over, until there are so many fragments. */
export function mixed(count, history = 0) {
  const sources = [...Object.values(fragments), file(200)];
  const steps = [];
  let left = count;
  for (let at = 0; left > 0; at = (at + 1) % sources.length) {
    steps.push(sources[at].slice(0, left));
    left -= steps.at(-1).length;
  }
  return conversation(steps, history);
}

/** One answer of so many fragments of text. */
export function text(count, script = "ascii", history = 0) {
  const words = WORDS[script];
  return conversation([Array.from({ length: count }, (_, at) => ["t", words[(at * 7) % words.length]])], history);
}

/** One call whose arguments come in so many fragments of about 24 bytes. */
export function call(count, history = 0) {
  return conversation([file(count)], history);
}

/** So many calls whose arguments come in turn, a fragment each. */
export function lanes(count, calls) {
  const pieces = file(Math.ceil(count / calls));
  const turns = pieces.flatMap(([, , name, args]) => Array.from({ length: calls }, (_, lane) => ["a", lane, name, args]));
  return conversation([turns], 0);
}

/** So many fragments of a call's arguments, after so many bytes of them came in one. */
export function longCall(count, before) {
  const [open, ...rest] = file(count);
  return conversation([[open, ["a", 0, "", "x".repeat(before)], ...rest]], 0);
}

/** One answer of text after an answer that is in the log: so many fragments, after so many messages. */
export const textAfter = (count, history) => text(count, "ascii", history);

/** A log of so many messages in runs of a question, a call with its result, and an answer. */
export function log(messages, after = 0) {
  const page = { contract: "threadfold/1", thread_id: "t", epoch: "e", frontier: -1, has_more: false, messages: [], runs: [] };
  let seq = after;
  for (let run = 0; page.messages.length < messages; run += 1) {
    const run_id = `run-${after}-${run}`;
    const time = 1_700_000_000_000 + seq;
    const row = (message, place) => page.messages.push({ seq: seq++, time, run_id, ...place, message });
    const call = `call-${run}`;
    row({ id: `ask-${after}-${run}`, role: "User", content: [{ type: "text", text: `Question ${run}?` }] });
    page.runs.push({ seq: seq++, time, run_id, state: "Running" });
    row({ id: `${run_id}-assistant-0`, role: "Assistant", content: [{ type: "thinking", text: "Look it up." }, { type: "tool_use", id: call, name: "search", input: { query: `row ${run}`, limit: 20 } }] }, { step: 0, response: 0 });
    row({ id: `tool-${call}`, role: "Tool", content: [{ type: "tool_result", tool_use_id: call, content: [{ type: "text", text: `found ${run}` }], is_error: false }] });
    row({ id: `${run_id}-assistant-1`, role: "Assistant", content: [{ type: "text", text: `Answer ${run}: ${WORDS.ascii.join("").repeat(2)}` }] }, { step: 1, response: 0 });
    page.runs.push({ seq: seq++, time, run_id, state: { Ended: "NaturalEnd" } });
  }
  page.frontier = seq - 1;
  return page;
}

const WORDS = {
  ascii: ["The ", "cost ", "of ", "a ", "fragment ", "must ", "not ", "depend ", "on ", "what ", "came ", "before", ". ", "\n\n", "So ", "it ", "is ", "measured", ": "],
  cjk: ["消息", "提交", "之前", "只是", "预览", "。", "断线", "以后", "重新", "读取", ",", "内容", "不会", "重复", "😀", "\n"],
};

/** The arguments of a tool that writes a file. */
function file(count) {
  const line = (at) => `let row_${at} = \\"${at}\\";\\n`;
  const pieces = Array.from({ length: Math.max(1, count - 2) }, (_, at) => ["a", 0, "", line(at)]);
  return [["a", 0, "write_file", '{"path":"a.rs","text":"'], ...pieces, ["a", 0, "", '"}']];
}

function conversation(steps, history) {
  const said = Array.from({ length: history }, (_, at) => ({
    role: at % 2 ? "assistant" : "user",
    text: at % 2 ? `Answer ${at}: ${WORDS.ascii.join("").repeat(4)}` : `Question ${at}?`,
  }));
  return { history: said, steps: steps.map(step), fragments: steps.reduce((sum, step) => sum + step.length, 0) };
}

/** A step with what its fragments come to. */
function step(pieces, number) {
  const whole = { reasoning: "", text: "", calls: [] };
  for (const [kind, first, name, args] of pieces) {
    if (kind === "t") whole.text += first;
    else if (kind === "r") whole.reasoning += first;
    else (whole.calls[first] ??= { id: `call-${number}-${first}`, name, args: "", output: `done ${number}` }).args += args;
  }
  for (const call of whole.calls) if (!isJson(call.args)) call.args = "{}"; // cut by the count: see `pieces`
  const cut = whole.calls.some((call) => call.args === "{}");
  const kept = cut ? pieces.filter(([kind]) => kind !== "a") : pieces;
  const opened = cut ? whole.calls.map(({ name }, at) => ["a", at, name, "{}"]) : [];
  return { number, pieces: [...kept, ...opened], ...whole };
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What every contender has to end with, in one form. */
export function expected({ history, steps }) {
  return {
    history: history.map(({ text }) => text),
    steps: steps.map(({ reasoning, text, calls }) => ({
      reasoning,
      text,
      calls: calls.map(({ name, args, output }) => [name, JSON.stringify(JSON.parse(args)), output]),
    })),
  };
}
