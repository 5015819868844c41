// @ts-check
// Saving a thread's session to a file, and opening one to be played again.

import { byId, setText } from "./dom.js";

/** @typedef {import("../../pkg/index.js").Page} Page */

const KEY = "threadfold.session";

/** The session that this tab was told to play. @returns {Page | null} */
export function openedSession() {
  if (!new URLSearchParams(location.search).has("replay")) return null;
  const text = sessionStorage.getItem(KEY);
  return text ? JSON.parse(text) : null;
}

/** @param {string} threadId */
export function sessionButtons(threadId) {
  const file = /** @type {HTMLInputElement} */ (byId("session-file"));
  /** @param {() => Promise<void>} action */
  const attempt = async (action) => {
    try {
      await action();
    } catch (error) {
      setText(byId("session-outcome"), error instanceof Error ? error.message : String(error));
      byId("session-outcome").dataset.tone = "bad";
    }
  };
  byId("session-save").addEventListener("click", () => void attempt(() => save(threadId)));
  byId("session-open").addEventListener("click", () => file.click());
  file.addEventListener("change", () => void attempt(open));

  async function open() {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const text = await chosen.text();
    /** @type {Page} */
    let session;
    try {
      session = JSON.parse(text);
    } catch {
      throw new Error("This file is not JSON.");
    }
    if (session?.contract !== "threadfold/1" || !Array.isArray(session.messages) || !Array.isArray(session.runs)) {
      throw new Error("This file is no session: it lacks the contract, messages or runs.");
    }
    sessionStorage.setItem(KEY, text);
    location.search = new URLSearchParams({ thread: session.thread_id, replay: "" }).toString();
  }
}

/** All of the log, in one page. @param {string} threadId */
async function save(threadId) {
  /** @type {Page | undefined} */
  let whole;
  for (let after = -1; ; ) {
    const response = await fetch(`/v1/threads/${encodeURIComponent(threadId)}/committed?after=${after}&limit=1000`);
    if (!response.ok) throw new Error(`There is nothing to save (${response.status}).`);
    /** @type {Page} */
    const page = await response.json();
    whole = whole ? { ...page, messages: [...whole.messages, ...page.messages], runs: [...whole.runs, ...page.runs] } : page;
    after = Math.max(after, ...page.messages.map((row) => row.seq), ...page.runs.map((row) => row.seq));
    if (!page.has_more) break;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(whole)], { type: "application/json" }));
  link.download = `thread-${threadId}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}
