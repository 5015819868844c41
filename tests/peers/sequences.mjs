// Random threads as a transcoder sees them: Facts as the fold makes them, and previews as a bad network leaves them.

export function dice(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { chance: (p) => next() < p, below, pick: (list) => list[below(list.length)] };
}

const WORDS = ["plain ", "zwölf ", "😀", "\"quoted\" ", "line\n", "{\"a\":", "漢字 ", "👩‍👩‍👧", "data: x\n\n", "\\ud83d "];

const words = (d, most) => Array.from({ length: 1 + d.below(most) }, () => d.pick(WORDS)).join("");

/** Cut anywhere, in the middle of a character too. */
function pieces(d, text) {
  const cut = [];
  for (let at = 0; at < text.length; ) {
    const to = Math.min(text.length, at + 1 + d.below(9));
    cut.push(text.slice(at, to));
    at = to;
  }
  return cut;
}

function block(d) {
  return d.pick([
    { type: "redacted" },
    { type: "image", source: { type: "url", url: "https://example.org/a.png", media_type: "image/png" } },
    { type: "image", source: { type: "file", file_id: "f" } },
    { type: "document", source: { type: "base64", media_type: "text/plain", data: "YQ==" }, title: "Paper" },
    { type: "search_result", source: "https://example.org/r", title: "Result", content: [] },
    { type: "search_result", source: "shelf 3", title: "Book", content: [] },
    { type: "hologram", value: 1 },
  ]);
}

/** One sequence: `inputs` for a transcoder, and `facts`, all Facts as they read at the end, with their positions. */
export function sequence(seed) {
  const d = dice(seed);
  const inputs = [];
  const facts = new Map();
  const rows = {};
  const hit = (row) => (rows[row] = (rows[row] ?? 0) + 1);
  let seq = 0;
  let index = 0;
  let divergent = false;
  const row = () => ((seq += 1), (index = 0));
  const add = (run_id, fact, more = {}, at = undefined) => {
    const position = at ?? { seq, index: (index += 1) };
    const placed = { type: "fact", position, run_id, ...more, fact };
    inputs.push(placed);
    facts.set(`${position.seq}/${position.index}`, { ...placed });
    hit(fact.type);
    return position;
  };
  const amend = (position, changes) => {
    const placed = facts.get(`${position.seq}/${position.index}`);
    placed.fact = { ...placed.fact, ...changes };
    inputs.push({ type: "amend", position, fact: placed.fact });
    hit(`amend ${placed.fact.disposition}`);
  };
  const runs = 1 + d.below(2);
  for (let r = 0; r < runs; r += 1) run(`run${r}`);
  return { seed, inputs, facts: [...facts.values()], rows, divergent };

  function preview(run_id, coordinate, response, mode) {
    const withCoordinate = mode !== "bare";
    const say = (delta) => {
      inputs.push({ type: "delta", run_id, ...(withCoordinate ? { coordinate } : {}), delta });
      hit(delta.type);
    };
    let deltas = [];
    if (response.thinking !== undefined) {
      for (const delta of pieces(d, response.thinking)) deltas.push({ type: "reasoning_delta", delta });
    }
    for (const delta of pieces(d, response.streamed)) deltas.push({ type: "text_delta", delta });
    const calls = response.calls.map((call) => {
      const args = d.chance(0.2) ? JSON.stringify(call.input, null, 1) : JSON.stringify(call.input);
      return ["", ...pieces(d, args)].map((args_delta) => ({ type: "tool_call_delta", id: call.id, name: call.name, args_delta }));
    });
    // Two calls of one id can't be told apart while they stream; some providers send them all the same.
    if (new Set(response.calls.map((call) => call.id)).size === response.calls.length || d.chance(0.3)) {
      const heads = calls.map((call) => call.shift());
      deltas.push(...heads);
      while (calls.some((call) => call.length)) {
        const call = d.pick(calls.filter((call) => call.length));
        deltas.push(call.shift());
      }
    }
    const fault = d.chance(0.55) ? "none" : d.pick(["cut", "cut", "lost", "doubled", "altered", "extra", "shuffled", "renamed", "reset", "late"]);
    hit(`preview ${fault}`);
    if (fault === "cut") deltas = deltas.slice(0, d.below(deltas.length + 1));
    if (fault === "lost" && deltas.length) deltas.splice(d.below(deltas.length), 1 + d.below(3));
    if (fault === "doubled" && deltas.length) {
      const at = d.below(deltas.length);
      deltas.splice(at, 0, deltas[at]);
    }
    if (fault === "altered") deltas.push({ type: "text_delta", delta: "never said" });
    if (fault === "extra") deltas.push({ type: "tool_call_delta", id: `never${seq}`, name: "never", args_delta: "{" });
    if (fault === "renamed") for (const delta of deltas) if (delta.name) delta.name = "something else";
    if (fault === "shuffled") deltas.sort(() => d.below(3) - 1);
    if (fault !== "none" && fault !== "cut" && fault !== "late") divergent = true;
    const late = fault === "late" ? deltas.splice(d.below(deltas.length + 1)) : [];
    deltas.forEach(say);
    if (fault === "reset") {
      inputs.push({ type: "reset", run_id, ...(withCoordinate ? { coordinate } : {}) });
      hit("reset");
      if (d.chance(0.5)) deltas.forEach(say);
    }
    // After the Facts the same response's fragments mean nothing; one without a coordinate could not be told apart.
    return withCoordinate ? () => late.forEach(say) : () => {};
  }

  function run(run_id) {
    row();
    const message = { id: `ask-${run_id}`, role: "User", content: [{ type: "text", text: "a question" }] };
    inputs.push({ type: "said", message });
    add(run_id, { type: "run_started" }, {}, { seq, index: 0 });
    const steps = 1 + d.below(4);
    for (let step = 0; step < steps; step += 1) {
      const responses = 1 + (d.chance(0.15) ? 1 : 0);
      let calls = [];
      for (let response = 0; response < responses; response += 1) {
        calls = respond(run_id, { run_id, step, response }, response < responses - 1);
        if (response < responses - 1) {
          row();
          add(run_id, { type: "continuation", steered: false, detail: { cause: "max_tokens" } }, { message_id: `${run_id}-continuation-${step}-${response}` });
        }
      }
      for (const call of calls) {
        if (d.chance(0.06)) return end(run_id, calls);
        if (d.chance(0.2) && !rest(run_id, call, calls)) return;
        row();
        amend(call.position, { disposition: "executed" });
        const content = d.chance(0.1) ? [{ type: "text", text: words(d, 3) }, block(d)] : [{ type: "text", text: words(d, 4) }];
        add(run_id, { type: "tool_result", id: call.id, content, is_error: d.chance(0.2) }, { call: call.position });
        call.done = true;
      }
    }
    end(run_id, []);
  }

  function respond(run_id, coordinate, truncated) {
    const texts = d.chance(0.85) ? Array.from({ length: 1 + d.below(2) }, () => words(d, 8)) : [];
    const content = texts.map((text) => ({ type: "text", text }));
    if (d.chance(0.12)) {
      const other = block(d);
      hit(`block ${other.type}`);
      content.splice(d.below(content.length + 1), 0, other);
    }
    const response = {
      thinking: d.chance(0.4) ? words(d, 6) : undefined,
      streamed: texts.join(""),
      calls: truncated || d.chance(0.4) ? [] : Array.from({ length: 1 + d.below(3) }, () => ({
        id: d.pick(["c1", "c2", "c3", "c4", "c5"]),
        name: d.pick(["search", "read", "mcp__files__read"]),
        input: d.pick([{}, { q: words(d, 3) }, { n: 2 ** 40, deep: [1, { a: null }] }]),
      })),
    };
    const mode = d.chance(0.1) ? "bare" : "at";
    const late = d.chance(0.85) ? preview(run_id, coordinate, response, mode) : () => {};
    row();
    const name = `${run_id}-assistant-${coordinate.step}`;
    const more = { message_id: truncated ? `${name}-truncated-${coordinate.response}` : name, coordinate };
    if (response.thinking !== undefined) add(run_id, { type: "assistant_thinking", id: more.message_id, text: response.thinking }, more);
    if (content.length) add(run_id, { type: "assistant_message", id: more.message_id, content }, more);
    for (const call of response.calls) {
      call.position = add(run_id, { type: "tool_call", ...call, disposition: "open", position: undefined }, more);
    }
    late();
    return response.calls;
  }

  /** False when the sequence ends waiting. */
  function rest(run_id, call, calls) {
    const reason = d.pick(["tool_permission", "client_execution", "manual_pause", "user_input"]);
    row();
    const disposition = { tool_permission: "pending_builtin", client_execution: "pending_client" }[reason];
    if (disposition) amend(call.position, { disposition });
    const waits = disposition ? { call: call.position } : {};
    const pending_tool_use_id = disposition ? call.id : reason === "user_input" ? "input-1" : null;
    add(run_id, { type: "awaiting", pending_tool_use_id, reason }, waits);
    hit(`awaiting ${reason}`);
    if (run_id === `run${runs - 1}` && d.chance(0.3)) return false;
    if (d.chance(0.1)) {
      end(run_id, calls);
      return false;
    }
    add(run_id, { type: "continuation", steered: false, detail: { cause: "resumed", pending_tool_use_id } }, {}, { seq: seq + 1, index: 0 });
    return true;
  }

  function end(run_id, calls) {
    row();
    for (const call of calls.filter((call) => !call.done)) amend(call.position, { disposition: "unresolved" });
    const fact = d.pick([
      { type: "run_finished", exhausted: false, cause: "natural_end" },
      { type: "run_finished", exhausted: false, cause: "stopped" },
      { type: "run_finished", exhausted: false, cause: "cancelled" },
      { type: "run_finished", exhausted: true, cause: "max_steps" },
      { type: "run_failed", code: "overloaded", message: "no answer" },
      { type: "run_failed", code: "indeterminate", message: "execution outcome could not be determined" },
    ]);
    add(run_id, fact);
    hit(`${fact.type} ${fact.cause ?? fact.code}`);
  }
}

/** The same thread on a stream that outruns the log: what is committed is read later than what streams behind it. */
export function lagging(inputs, d) {
  const told = [];
  let late = [];
  const catchUp = () => void told.push(...late.splice(0));
  for (const input of inputs) {
    const streams = input.type === "delta" || input.type === "reset";
    // A reset is told when what was shown is known to be no part of the log, or of what is read with it.
    if (input.type === "reset") catchUp();
    if (streams) told.push(input);
    else if (late.length > 0 || d.chance(0.15)) late.push(input);
    else told.push(input);
    if (late.length > 0 && d.chance(0.1)) catchUp();
  }
  catchUp();
  return told;
}

/** The same thread read from the log at `at`, then followed: a new instance after a reload. */
export function rejoined(inputs, at) {
  const facts = new Map();
  const before = [];
  for (const input of inputs.slice(0, at)) {
    if (input.type === "said") before.push(input);
    if (input.type === "fact") {
      const copy = { ...input };
      facts.set(`${input.position.seq}/${input.position.index}`, copy);
      before.push(copy);
    }
    if (input.type === "amend") facts.get(`${input.position.seq}/${input.position.index}`).fact = input.fact;
  }
  return [...before, ...inputs.slice(at)];
}
