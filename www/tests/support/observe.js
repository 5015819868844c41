// Runs in the page, before its own scripts: what the tests look at. It reads what is visible (`innerText`) by the data
// attributes that the page promises, and never looks into the page's or the client's internals.

window.judge = {
  /** Every item of the page, in the order of the document. */
  items() {
    return [...document.querySelectorAll("[data-key][data-kind]")].map((element) => ({
      key: element.dataset.key,
      kind: element.dataset.kind,
      origin: element.dataset.origin ?? null,
      seq: element.dataset.seq ?? null,
      text: element.innerText,
      buttons: [...element.querySelectorAll("button")].filter((button) => button.checkVisibility()).length,
      parts: judge.parts(element),
    }));
  },

  /** The text, reasoning and calls of an item. */
  parts(element) {
    const found = element.querySelectorAll('[data-part="text"], [data-part="reasoning"], [data-part="tool_call"]');
    return [...found].map((part) => {
      const type = part.dataset.part;
      if (type !== "tool_call") return { type, text: part.innerText };
      const role = (name) => part.querySelector(`[data-role="${name}"]`);
      return {
        type,
        call_id: part.dataset.callId,
        name: role("name")?.innerText ?? part.innerText,
        args: role("args")?.innerText ?? "",
        raw: role("args")?.textContent ?? "",
        result: role("result")?.innerText ?? null,
      };
    });
  },

  /** What is visible of one response while it streams; null when nothing of it is. */
  response(run, step, response) {
    const same = (item) => item.kind === "assistant" && item.run_id === run && item.step === step && item.response === response;
    const item = thread.view.items.find(same);
    const element = item && document.querySelector(`[data-key="${CSS.escape(item.key)}"]`);
    if (!element) return null;
    const parts = judge.parts(element);
    const joined = (type) => parts.filter((part) => part.type === type).map((part) => part.text).join("");
    return {
      key: item.key,
      origin: [item.origin, element.dataset.origin],
      seq: element.dataset.seq ?? null,
      text: joined("text"),
      reasoning: joined("reasoning"),
      calls: parts.filter((part) => part.type === "tool_call").map(({ call_id: id, raw, args }) => ({ id, raw, args })),
      view: item.parts.filter((part) => part.type === "text").map((part) => part.text).join(""),
    };
  },

  /** Notes every Fact that the client tells from now on; those of before are told first. */
  listen() {
    const facts = new Map();
    judge.facts = () => [...facts.values()].sort((a, b) => a.position.seq - b.position.seq || a.position.index - b.position.index);
    judge.problems = [];
    void (async () => {
      for await (const event of thread.events()) {
        if (event.type === "fact") {
          const place = `${event.position.seq}.${event.position.index}`;
          if (facts.has(place)) judge.problems.push(`the Fact at ${place} was told twice`);
          facts.set(place, structuredClone(event));
        } else if (event.type === "amend") {
          const known = facts.get(`${event.position.seq}.${event.position.index}`);
          if (!known) judge.problems.push(`a Fact was amended that was never told: ${JSON.stringify(event)}`);
          else known.fact = event.fact;
        } else if (event.type === "reset" && event.run_id === undefined) {
          facts.clear();
        }
      }
    })();
  },
};
