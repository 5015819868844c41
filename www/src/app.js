// @ts-check
// The demo: one thread, followed by the package, shown by this page.
//
// `?thread=` names the thread; without it the page makes one and writes it into the address, so that a reload and a
// second tab follow the same one. `?transport=fetch` reads the live stream by fetch. `?query.name=value` goes to the
// host with every read (`?query.fault=drop:0.2`, say). `?replay` plays the session that was opened from a file.
// `?source=dsh&session=…` follows a session of a dsh host that has this page's origin; `&launch=…` is its launch token.

import { announcer } from "./announce.js";
import { Composer, freshId } from "./composer.js";
import { byId, setText } from "./dom.js";
import { faultButtons } from "./faults.js";
import { ItemList } from "./items.js";
import { naive } from "./naive.js";
import { panel } from "./panel.js";
import { replaySource } from "./replay.js";
import { stickyScroll } from "./scroll.js";
import { openedSession, sessionButtons } from "./session.js";
import { isNewThread, statusBar } from "./status.js";

/** @typedef {import("../../pkg/index.js").ThreadClient} ThreadClient */
/** @typedef {import("../../pkg/index.js").View} View */

const PACKAGE = "/pkg/index.js";

/** The thread that the address names; a fresh one is written into it. */
function threadOfAddress() {
  const address = new URL(location.href);
  const named = address.searchParams.get("thread");
  if (named) return named;
  const fresh = freshId("t");
  address.searchParams.set("thread", fresh);
  history.replaceState(null, "", address);
  return fresh;
}

/**
 * What the address says about how to follow.
 * @param {string} threadId
 * @returns {import("../../pkg/index.js").HttpOptions}
 */
function optionsOfAddress(threadId) {
  const parameters = new URLSearchParams(location.search);
  /** @type {Record<string, string>} */
  const query = {};
  for (const [name, value] of parameters) if (name.startsWith("query.")) query[name.slice("query.".length)] = value;
  return {
    base: "/v1",
    threadId,
    query,
    transport: parameters.get("transport") === "fetch" ? "fetch" : undefined,
  };
}

/**
 * The session of a dsh host that the address names; null where it names none.
 * @param {typeof import("../../pkg/index.js")} threadfold
 */
function dshOfAddress(threadfold) {
  const parameters = new URLSearchParams(location.search);
  if (parameters.get("source") !== "dsh") return null;
  const [url, token] = [parameters.get("url") ?? "/", parameters.get("launch") ?? undefined];
  return threadfold.dsh({ url, sessionId: parameters.get("session") ?? "", token });
}

/** @param {string} text */
function giveUp(text) {
  setText(byId("connection-text"), "Not started");
  byId("connection").dataset.tone = "bad";
  setText(byId("notice-text"), text);
  const reload = byId("notice-action");
  reload.textContent = "Reload";
  reload.addEventListener("click", () => location.reload());
  byId("notice").hidden = false;
}

async function start() {
  /** @type {typeof import("../../pkg/index.js")} */
  let threadfold;
  try {
    threadfold = await import(PACKAGE);
  } catch (error) {
    giveUp("The package is not at /pkg/index.js. Build it and start the host with “cargo xtask demo”, then reload this page.");
    throw error;
  }
  /** @type {ReturnType<typeof dshOfAddress>} */
  let dsh;
  try {
    dsh = dshOfAddress(threadfold);
  } catch (error) {
    giveUp(error instanceof Error ? error.message : String(error));
    throw error;
  }
  const threadId = dsh ? dsh.options.sessionId : threadOfAddress();
  setText(byId("thread-id"), threadId);
  const session = openedSession();
  const options = optionsOfAddress(threadId);
  const thread = new threadfold.ThreadClient({
    source: dsh ?? (session ? replaySource(session) : threadfold.threadfold(options)),
    onAnomaly: (anomaly) => console.debug("threadfold:", anomaly.code, anomaly.message),
  });
  Object.assign(window, { thread });

  const scroll = stickyScroll();
  const composer = new Composer(thread, scroll.toEnd);
  const list = new ItemList(byId("items"), {
    answer: (item, answer) => thread.resume(item.pending_tool_use_id, answer, { runId: item.run_id }),
    sendAgain: (item) => composer.again(item),
  });
  const showStatus = statusBar(thread);
  const announce = announcer(thread.view);
  const count = panel(thread);
  const compare = dsh || session ? () => {} : naive(thread, options);
  if (dsh) {
    // What the reference host alone can do, another host's page does not offer.
    for (const id of ["naive", "new-thread", "welcome-chips", "chips-toggle"]) byId(id).hidden = true;
    for (const id of ["faults-title", "session-save"]) /** @type {HTMLElement} */ (byId(id).parentElement).hidden = true;
  } else {
    faultButtons(threadId);
    sessionButtons(threadId);
  }

  let opened = false;
  const render = () => {
    const { view } = thread;
    opened ||= view.status.state === "live" || isNewThread(view);
    byId("welcome").hidden = !opened || view.items.length > 0;
    showStatus(view);
    composer.render(view);
    announce(view);
    if (list.render(view.items)) scroll.grew();
    count();
    compare();
  };
  thread.subscribe(render);
  render();
  // Another tab may have written the first message meanwhile.
  window.addEventListener("focus", () => {
    if (isNewThread(thread.view)) thread.retry();
  });
  await connect(thread);
}

/** @param {ThreadClient} thread */
async function connect(thread) {
  try {
    await thread.connect();
  } catch (error) {
    // What became of the connection is in the view, with a sentence and a button; a package that can't run is not.
    if (error instanceof Error && "code" in error && /^wasm_|^internal$/.test(String(error.code))) giveUp(error.message);
    else if (!isNewThread(thread.view)) console.warn("threadfold:", error);
  }
}

void start();
