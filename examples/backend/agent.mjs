// In the place of a model: answers by what is asked, in pieces. A model's adapter yields the same.

const TEXT = "Recovery is simple when the log decides: what was committed is read again, and nothing else is believed. ";
const CALL = { id: "call-1", name: "send_email", input: { to: "ada@example.org", subject: "The engine" } };

/**
 * @param {{ text?: string }[]} content What the person said.
 * @param {{ content: unknown } | undefined} result What came of the tool call that was waited for.
 */
export async function* agent(content, result) {
  const said = content.map((block) => block.text ?? "").join(" ");
  const [word] = said.split(" ");
  if (result) return yield* text(`The tool says: ${JSON.stringify(result.content)}`);
  if (word === "/approve" || word === "/client-tool") {
    yield* text("Let me use a tool. ");
    yield { type: "tool_call_delta", id: CALL.id, name: CALL.name, args_delta: "" };
    for (const args_delta of pieces(JSON.stringify(CALL.input))) yield { type: "tool_call_delta", id: CALL.id, name: CALL.name, args_delta };
    return yield { await: word === "/approve" ? "Permission" : "ClientExecution" };
  }
  if (word === "/fail") {
    yield* text("This is going to fail in the middle of its sen");
    throw Object.assign(new Error("the model is overloaded"), { code: "overloaded" });
  }
  yield* text(word === "/long" ? TEXT.repeat(8) : `You said: ${said}. ${TEXT}`);
}

const pieces = (text) => text.match(/.{1,9}/gs) ?? [];

async function* text(words) {
  for (const delta of pieces(words)) {
    await new Promise((resolve) => setTimeout(resolve, Number(process.env.PACE_MS ?? 40)));
    yield { type: "text_delta", delta };
  }
}
