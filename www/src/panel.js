// @ts-check
// The side panel: counters, the picture of the lanes, the faults; a sheet over the page where there is no room beside it.

import { byId, make, setText } from "./dom.js";
import { Lanes } from "./lanes.js";

/** @typedef {import("../../pkg/index.js").Stats} Stats */
/** @typedef {import("../../pkg/index.js").ThreadClient} ThreadClient */

/** Names in `stats()` and how they are called here. @type {readonly (readonly [keyof Stats, string])[]} */
const COUNTERS = Object.freeze([
  ["deltas", "Deltas"],
  ["commits", "Commits"],
  ["reads", "Reads"],
  ["losses", "Losses"],
  ["gaps", "Gaps"],
  ["reopens", "Reopens"],
  ["duplicates", "Duplicates"],
  ["openings", "Openings"],
  ["frames", "Frames"],
]);

const EVERY = 200;
const CALM = 1000;

/**
 * @param {ThreadClient} thread
 * @returns {() => void} To be called with each change of the view.
 */
export function panel(thread) {
  const lanes = new Lanes();
  const list = byId("counters");
  /** @type {Map<keyof Stats, HTMLElement>} */
  const values = new Map();
  for (const [name, label] of COUNTERS) {
    const value = make("dd", { "data-stat": name }, "0");
    values.set(name, value);
    list.append(make("div", {}, make("dt", {}, label), value));
  }
  const count = () => {
    const stats = thread.stats();
    lanes.sample(stats, thread.view.status.state);
    for (const [name, value] of values) setText(value, stats[name].toLocaleString("en"));
  };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const tick = () => {
    count();
    lanes.draw();
    setTimeout(tick, calm.matches ? CALM : EVERY);
  };
  tick();
  sheet();
  return count;
}

/** Opens and closes the panel as a sheet; the keyboard follows it in and out. */
function sheet() {
  const aside = byId("panel");
  const toggle = byId("panel-toggle");
  const close = byId("panel-close");
  const scrim = byId("scrim");
  /** @param {boolean} open */
  const set = (open) => {
    aside.dataset.open = String(open);
    toggle.setAttribute("aria-expanded", String(open));
    scrim.hidden = !open;
    for (const rest of document.querySelectorAll(".bar, .chat")) rest.toggleAttribute("inert", open);
    (open ? close : toggle).focus();
  };
  toggle.addEventListener("click", () => set(true));
  close.addEventListener("click", () => set(false));
  scrim.addEventListener("click", () => set(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && aside.dataset.open === "true") set(false);
  });
  // Room beside the chat again: nothing may stay locked behind a sheet that is none any more.
  matchMedia("(max-width: 60rem)").addEventListener("change", ({ matches }) => {
    if (!matches && aside.dataset.open === "true") set(false);
  });
}
