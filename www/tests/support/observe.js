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
      // Reasoning of the past is folded away until somebody opens it; then its visible text is all of it.
      const folded = part.closest("details:not([open])");
      if (type !== "tool_call") return { type, text: folded ? part.textContent : part.innerText };
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

// What happens between two looks: every change of the list of items is looked at as it happens.
Object.assign(window.judge, {
  samples: [],
  broken: [],

  /** Looks at each change from now on: at the text of each answer, and at which elements stand for which key. */
  watch() {
    const elements = new Map();
    const committed = new Set();
    const last = new Map();
    let filled = false;
    const look = () => {
      const present = new Set();
      for (const element of document.querySelectorAll("[data-key][data-kind]")) {
        const { key, kind, origin } = element.dataset;
        if (present.has(key)) judge.broken.push(`${key} is shown twice`);
        present.add(key);
        if (elements.has(key) && elements.get(key) !== element) judge.broken.push(`${key} has another element than before`);
        elements.set(key, element);
        if (origin === "committed") committed.add(key);
        else if (committed.has(key)) judge.broken.push(`${key} was committed and is ${origin} now`);
        if (kind !== "assistant") continue;
        const text = judge.parts(element).filter((part) => part.type === "text").map((part) => part.text).join("");
        if (last.get(key) === `${origin} ${text}`) continue;
        last.set(key, `${origin} ${text}`);
        judge.samples.push({ key, origin, text });
      }
      if (filled && present.size === 0) judge.broken.push("the view was blank");
      filled ||= present.size > 0;
      for (const key of committed) {
        if (!present.has(key)) judge.broken.push(`${key} was committed and vanished`);
      }
      // An attempt that was given up goes; the retry under the same key may have an element of its own.
      for (const key of elements.keys()) {
        if (!present.has(key)) elements.delete(key);
      }
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["data-origin"] });
    look();
  },

  /** Counts changes inside the elements that are committed now. */
  settled() {
    judge.touched = [];
    const observer = new MutationObserver((records) => {
      for (const { target, type } of records) {
        const element = target.nodeType === 1 ? target : target.parentElement;
        judge.touched.push(`${type} in ${element?.closest("[data-key]")?.dataset.key}`);
      }
    });
    for (const element of document.querySelectorAll('[data-key][data-origin="committed"]')) {
      observer.observe(element, { subtree: true, childList: true, characterData: true, attributes: true });
    }
  },
});

// What the page holds of the browser: the module's memory, streams and requests that are open.
window.held = { memories: [], sources: new Set(), fetches: 0, opened: 0 };
{
  const wrap = (name) => {
    const original = WebAssembly[name];
    WebAssembly[name] = async (...args) => {
      const made = await original.apply(WebAssembly, args);
      const { exports } = made.instance ?? made;
      if (exports?.memory) held.memories.push(exports.memory);
      return made;
    };
  };
  wrap("instantiate");
  wrap("instantiateStreaming");
  window.EventSource = class extends EventSource {
    constructor(...args) {
      super(...args);
      held.sources.add(this);
      held.opened += 1;
    }
    close() {
      held.sources.delete(this);
      super.close();
    }
  };
}
