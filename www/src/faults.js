// @ts-check
// The buttons that break things. All but going offline are done by the host, to this thread only where that is possible;
// the host counts what it injected, and says what is on.

import { byId, make, setText } from "./dom.js";

/** Toggles: label, and the word of the host's fault specification. @type {readonly (readonly [string, string])[]} */
const TOGGLES = Object.freeze([
  ["Lose 20 %", "drop:0.2"],
  ["Duplicate 20 %", "duplicate:0.2"],
  ["Half-open", "half-open:5"],
  ["Delay", "delay:120"],
]);

const EVERY = 2000;

/**
 * @param {string} threadId
 */
export function faultButtons(threadId) {
  const area = byId("faults");
  const outcome = byId("fault-outcome");
  /** @type {Map<string, HTMLButtonElement>} */
  const toggles = new Map();
  /** @type {HTMLButtonElement[]} */
  const hostButtons = [];
  let timer = 0;
  /** @type {Record<string, number> | undefined} */
  let before;

  /** @param {string} text @param {string} [tone] */
  const say = (text, tone = "") => {
    setText(outcome, text);
    outcome.dataset.tone = tone;
  };

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   */
  const admin = async (method, path, body) => {
    const response = await fetch(`/admin/${path}`, {
      method,
      cache: "no-store",
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw Object.assign(new Error(`The host refused this (${response.status}).`), { status: response.status });
    return response.json();
  };

  /**
   * What was injected since the page was opened. A restarted host counts from zero again.
   * @param {Record<string, number>} injected
   */
  const sinceOpened = (injected) => {
    if (!before || Object.entries(before).some(([name, count]) => (injected[name] ?? 0) < count)) before = before ? {} : injected;
    const from = before;
    return Object.entries(injected)
      .map(([name, count]) => /** @type {const} */ ([name, count - (from[name] ?? 0)]))
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${count} × ${name}`);
  };

  /** Shows what is on at the host, which forgets it when it is restarted. */
  const look = async () => {
    clearTimeout(timer);
    try {
      const { active, injected } = await admin("GET", "faults");
      /** @type {{ thread: string | null, spec: string }[]} */
      const sets = active;
      const ours = sets.filter((set) => set.thread === null || set.thread === threadId);
      const words = new Set(ours.flatMap((set) => set.spec.split(",")));
      for (const [word, button] of toggles) button.setAttribute("aria-pressed", String(words.has(word)));
      const counts = sinceOpened(injected);
      if (counts.length > 0) say(`The host injected ${counts.join(", ")}.`);
    } catch (error) {
      // A host that is away is shown by the connection; one that has no such buttons says so once.
      if (error && typeof error === "object" && "status" in error) {
        for (const button of hostButtons) button.disabled = true;
        say("Start the host with --allow-faults to break things.");
        return;
      }
    }
    if (!document.hidden) timer = window.setTimeout(look, EVERY);
  };

  /** @param {HTMLButtonElement} pressed */
  const toggle = async (pressed) => {
    pressed.setAttribute("aria-pressed", String(pressed.getAttribute("aria-pressed") !== "true"));
    const on = [...toggles].filter(([, button]) => button.getAttribute("aria-pressed") === "true").map(([word]) => word);
    await attempt(() => admin("POST", "faults", { thread: threadId, spec: on.join(","), seed: Date.now() % 2 ** 31 }));
    await look();
  };

  /** @param {() => Promise<unknown>} action */
  const attempt = async (action) => {
    try {
      await action();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "bad");
    }
  };

  /**
   * @param {string} label
   * @param {string} name
   * @param {(button: HTMLButtonElement) => unknown} action
   * @param {{ pressed?: boolean, wide?: boolean, host?: boolean }} [how]
   */
  const add = (label, name, action, how = {}) => {
    const button = make(
      "button",
      {
        type: "button",
        class: `button${how.wide ? " wide" : ""}`,
        "data-fault": name,
        "aria-pressed": how.pressed ? "false" : undefined,
      },
      label,
    );
    button.addEventListener("click", () => void action(button));
    if (how.host !== false) hostButtons.push(button);
    area.append(button);
    return button;
  };

  add("Cut the wire", "cut", () =>
    attempt(async () => {
      const { connections } = await admin("POST", "cut");
      say(connections === 1 ? "One stream was cut." : `${connections} streams were cut.`);
    }),
  );
  for (const [label, word] of TOGGLES) {
    toggles.set(word, add(label, word.replace(/:.*/, ""), toggle, { pressed: true }));
  }
  add("Go offline", "offline", goOffline, { pressed: true, host: false });
  add("Kill and restart the host", "exit", async () => {
    // A host that dies does not answer.
    await admin("POST", "exit").catch((error) => {
      if (error && typeof error === "object" && "status" in error) say(String(error.message), "bad");
      else say("The host was killed; whoever supervises it starts it anew.");
    });
  }, { wide: true });
  add("Reload", "reload", () => location.reload(), { host: false });
  add("Second tab", "tab", () => window.open(location.href, "_blank", "noopener"), { host: false });

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !hostButtons[0]?.disabled) void look();
  });
  void look();
}

/**
 * Tells the page what a browser without a network would tell it.
 * @param {HTMLButtonElement} button
 */
function goOffline(button) {
  const offline = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(offline));
  button.textContent = offline ? "Go online" : "Go offline";
  window.dispatchEvent(new Event(offline ? "offline" : "online"));
}
