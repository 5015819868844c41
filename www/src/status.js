// @ts-check
// How things stand, always in sight: the connection, the run, and, where the page needs help, a sentence with a button.

import { verdictOf } from "./boundary.js";
import { attribute, byId, setText } from "./dom.js";

/** @typedef {import("../../pkg/index.js").View} View */
/** @typedef {import("../../pkg/index.js").Status} Status */
/** @typedef {import("../../pkg/index.js").ThreadClient} ThreadClient */

/** Milliseconds that the wire may be away before the page says more than a word about it. */
const PATIENCE = 2500;

/**
 * Shows the states; returns what to call with each new view.
 * @param {ThreadClient} thread
 * @returns {(view: View) => void}
 */
export function statusBar(thread) {
  let since = Date.now();
  /** @type {View} */
  let view = thread.view;
  byId("notice-action").addEventListener("click", () => thread.retry());

  const show = () => {
    const connection = connectionText(view);
    setText(byId("connection-text"), connection.text);
    attribute(byId("connection"), "data-tone", connection.tone);
    attribute(byId("connection"), "data-state", view.status.state);
    const run = runText(view);
    setText(byId("run-text"), run.text);
    attribute(byId("run"), "data-tone", run.tone);
    const help = helpText(view, Date.now() - since);
    byId("notice").hidden = help === undefined;
    if (help !== undefined) setText(byId("notice-text"), help);
    attribute(byId("notice"), "data-tone", connection.tone);
  };
  // A countdown and a growing patience need a clock of their own.
  setInterval(() => {
    if (view.status.state !== "live") show();
  }, 500);

  return (next) => {
    if (view.status.state === "live" || next.status.state === "live") since = Date.now();
    view = next;
    show();
  };
}

/**
 * A thread that nobody has written to is not there yet, which is no failure.
 * @param {View} view
 * @returns {boolean}
 */
export function isNewThread(view) {
  return view.status.state === "failed" && view.status.code === "not_found" && view.items.every((item) => item.seq === null);
}

/**
 * @param {View} view
 * @returns {{ text: string, tone?: string }}
 */
function connectionText(view) {
  const { status } = view;
  if (isNewThread(view)) return { text: "Ready", tone: "good" };
  switch (status.state) {
    case "idle": return { text: "Starting" };
    case "connecting": return { text: "Connecting", tone: "busy" };
    case "live": return { text: "Live", tone: "good" };
    case "catching_up": return { text: "Catching up", tone: "busy" };
    case "offline": return { text: "Offline", tone: "warn" };
    case "waiting": {
      const seconds = Math.ceil((status.retry_at - Date.now()) / 1000);
      return { text: seconds > 0 ? `Retrying in ${seconds} s` : "Retrying", tone: "warn" };
    }
    case "unauthorized": return { text: "Not authorised", tone: "bad" };
    case "failed": return { text: "Given up", tone: "bad" };
    case "closed": return { text: "Closed" };
  }
}

/**
 * @param {View} view
 * @returns {{ text: string, tone?: string }}
 */
function runText(view) {
  if (!view.run) return { text: "No run yet" };
  if (view.run.state === "running") return { text: "Running", tone: "busy" };
  if (view.run.state === "awaiting") return { text: "Waiting for you", tone: "warn" };
  for (let at = view.items.length - 1; at >= 0; at -= 1) {
    const item = view.items[at];
    if ((item?.kind !== "finished" && item?.kind !== "failed") || item.run_id !== view.run.run_id) continue;
    const verdict = verdictOf(item);
    return { text: verdict.short, tone: verdict.tone ?? (verdict.short === "Finished" ? "good" : undefined) };
  }
  return view.run.state === "failed" ? { text: "Failed", tone: "bad" } : { text: "Finished", tone: "good" };
}

/**
 * @param {View} view
 * @param {number} away Milliseconds since the wire was last there.
 * @returns {string | undefined}
 */
function helpText(view, away) {
  const { status } = view;
  if (isNewThread(view)) return undefined;
  switch (status.state) {
    case "unauthorized": return "The host refused this page’s credentials. Sign in again, then try again; nothing that you see is lost.";
    case "failed": return failureText(status);
    case "offline": return "There is no network. What you see is kept, and the page goes on when it is back.";
    case "waiting":
    case "connecting":
      return away > PATIENCE ? "No usable answer comes from the host. What you see is kept, and the page keeps trying. Is the host running?" : undefined;
    default: return undefined;
  }
}

/**
 * @param {Extract<Status, { state: "failed" }>} status
 * @returns {string}
 */
function failureText({ code }) {
  switch (code) {
    case "not_found": return "The host does not know this thread any more. Start a new thread, or try again.";
    case "no_stream": return "The host has no live stream for this thread (204). Try again, or look at how the host is set up.";
    case "foreign_contract": return "What answers there does not speak threadfold/1. Check the address that this page was opened from.";
    default: return `Following was given up (${code}). Try again; nothing that you see is lost.`;
  }
}
