// @ts-check
// What the host's own page shows of a session, to be compared with what ours does.

import { until } from "../support/until.mjs";

/** @typedef {{ turn: string, user?: string, text?: string, call?: string }} Line */
/** What is said in a session, in order, and how its turns ended. @typedef {{ lines: Line[], ends: { turn: string, completed: boolean }[] }} Shown */

/** Opens the host's own page on a session, as a person does, and reads what it shows. @param {import("./world.mjs").World} world @param {string} session @returns {Promise<Shown>} */
export async function own(world, session) {
  const context = await world.browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(`${world.host.origin}/?token=${world.host.token}`);
    const row = page.locator(`[data-row-key="session:${session}"]`);
    const notice = page.getByRole("button", { name: "Continue" });
    await page.addLocatorHandler(notice, () => notice.click());
    await row.click({ timeout: 60_000 });
    let before = "";
    return await until(`the host's own page shows ${session}`, async () => {
      const shown = await page.locator(`[data-conversation-session="${session}"]`).evaluateAll(read);
      const now = JSON.stringify(shown);
      // It is drawn piece by piece: what is whole stays as it is.
      if (shown.lines.length > 0 && now === before) return shown;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return undefined;
    }, 60_000);
  } finally {
    await context.close();
  }
}

/** The same of our page. @param {import("./follow.mjs").Following} following @returns {Promise<Shown>} */
export async function ours(following) {
  /** @type {any[]} */
  const items = (await following.view()).items.map((/** @type {any} */ item) => ({ ...item, turn: item.run_id?.replace("turn-", "") ?? "" }));
  const said = items.filter(({ kind, origin }) => kind === "assistant" || (kind === "user" && origin === "committed"));
  const lines = said.flatMap(({ kind, turn, parts }) =>
    parts.flatMap((/** @type {any} */ { type, text, id }) => {
      if (type === "tool_call") return [{ turn, call: id }];
      return type === "text" && plain(text) !== "" ? [{ turn, [kind === "user" ? "user" : "text"]: plain(text) }] : [];
    }),
  );
  const over = items.filter(({ kind }) => kind === "finished" || kind === "failed");
  return { lines, ends: over.map(({ kind, turn }) => ({ turn, completed: kind === "finished" })) };
}

/** As a browser draws it: runs of white space are one. @param {string} text */
const plain = (text) => text.replace(/\s+/g, " ").trim();

/** Runs in the host's page, which marks what it shows by what it is. @param {Element[]} conversations @returns {Shown} */
function read(conversations) {
  /** @type {Shown} */
  const shown = { lines: [], ends: [] };
  const plain = (/** @type {Element | null} */ element) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
  for (const element of conversations.flatMap((conversation) => [...conversation.querySelectorAll("[data-chat-flow-kind]")])) {
    const { chatFlowKind: kind, chatTurn: turn = "", chatGroupPart: part } = /** @type {HTMLElement} */ (element).dataset;
    if (kind === "user") shown.lines.push({ turn, user: plain(element.querySelector('[data-slot="conversation.user.text.node"]')) });
    if (kind === "tool-call") shown.lines.push({ turn, call: element.querySelector("[data-chat-call-id]")?.getAttribute("data-chat-call-id") ?? "" });
    if (kind === "turn-process") shown.ends.push({ turn, completed: plain(element.querySelector('[role="status"]')) === "Completed" });
    if (kind !== "assistant-step" || part !== "response") continue;
    for (const block of element.querySelectorAll('[class*="_markdown"]')) {
      if (plain(block) !== "") shown.lines.push({ turn, text: plain(block) });
    }
  }
  return shown;
}
