// @ts-check
// What a screen reader is told: whole sentences every few seconds while an answer streams, its rest on commit, and the
// moments at which something is decided. Never a token.

import { byId } from "./dom.js";
import { verdictOf } from "./boundary.js";

/** @typedef {import("../../pkg/index.js").View} View */
/** @typedef {import("../../pkg/index.js").AssistantItem} AssistantItem */

/** Milliseconds between two announcements of progress, and before one that can't wait. */
const EVERY = 4000;
const SOON = 300;
/** Characters of one announcement of progress. */
const AT_MOST = 400;

/**
 * @param {View} first What was there when the page opened; it is history and not announced.
 * @returns {(view: View) => void}
 */
export function announcer(first) {
  const region = byId("announcer");
  /** @type {Map<string, number>} */
  const told = new Map();
  /** @type {Set<string>} */
  const decided = new Set();
  /** @type {string[]} */
  let queue = [];
  let timer = 0;
  let started = false;
  let wasAway = false;
  let view = first;

  const flush = () => {
    timer = 0;
    sentences(view);
    if (queue.length === 0) return;
    region.textContent = queue.join(" ").slice(-AT_MOST * 2);
    queue = [];
    timer = window.setTimeout(flush, EVERY);
  };
  /** @param {View} now */
  const sentences = (now) => {
    for (const item of now.items.slice(-3)) {
      if (item.kind !== "assistant") continue;
      const text = spoken(item);
      const from = told.get(item.key) ?? 0;
      const until = item.origin === "committed" ? text.length : lastSentence(text);
      if (until <= from) continue;
      told.set(item.key, until);
      const news = text.slice(from, until).trim();
      if (news) queue.push(news.length > AT_MOST ? `${news.slice(0, AT_MOST)} …` : news);
    }
  };

  return (now) => {
    view = now;
    const away = now.status.state === "waiting" || now.status.state === "offline";
    if (!started) {
      if (now.status.state !== "live") return;
      started = true;
      for (const item of now.items) {
        if (item.kind !== "assistant") decided.add(item.key);
        else if (item.origin === "committed") told.set(item.key, Infinity);
      }
    }
    let urgent = away !== wasAway;
    if (urgent) queue.push(away ? "The connection is lost; trying again." : "Connected again.");
    wasAway = away;
    for (const item of now.items.slice(-8)) {
      if (item.kind !== "awaiting" && item.kind !== "finished" && item.kind !== "failed") continue;
      if (decided.has(item.key)) continue;
      decided.add(item.key);
      urgent = true;
      sentences(now);
      const verdict = verdictOf(item);
      queue.push(`${verdict.text} ${verdict.detail ?? ""}`.trim().replace(/[^.!?]$/, "$&."));
    }
    if (timer && !urgent) return;
    clearTimeout(timer);
    timer = window.setTimeout(flush, urgent ? SOON : EVERY);
  };
}

/** @param {AssistantItem} item */
function spoken(item) {
  return item.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/**
 * Where the last whole sentence ends; its punctuation in any of the scripts that have their own.
 * @param {string} text
 * @returns {number}
 */
function lastSentence(text) {
  const end = /[.!?…。！？؟।\n](?=[^.!?…。！？؟।\n]*$)/u.exec(text);
  return end ? end.index + 1 : 0;
}
