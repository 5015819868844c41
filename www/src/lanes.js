// @ts-check
// A picture of the last while: fragments of the live lane as ticks, commits of the log as marks, and the wire as a band that
// breaks where it was lost. It is drawn from counts, so it costs the same whatever the traffic. It zooms, and says what a
// place in it means.

import { byId, make, setText } from "./dom.js";

/** @typedef {import("../../pkg/index.js").Stats} Stats */
/** @typedef {import("../../pkg/index.js").Status} Status */

const SLICE = 200;
/** How much is kept: ten minutes. */
const KEPT = 3000;
/** How much is seen at once, in slices: from ten seconds to all that is kept. */
const SPANS = Object.freeze([50, 150, 600, KEPT]);
/** Bars in the picture at most; beyond that a bar is several slices. */
const BARS = 150;
const NAMES = /** @type {const} */ (["deltas", "commits", "reads", "losses", "openings", "gaps"]);
/** The marks: what each is called, how it looks, its colour. */
const MARKS = Object.freeze([
  ["Deltas", "ticks", "--accent"],
  ["Commit", "line", "--good"],
  ["Read", "ring", "--good"],
  ["Opened", "ring", "--warn"],
  ["Lost", "cross", "--bad"],
]);
const [LEFT, RIGHT] = [40, 12];

/**
 * What happened in one slice of time.
 * @typedef {object} Slice
 * @property {number} deltas
 * @property {number} commits
 * @property {number} reads Of the log: at the start, and whatever mends a loss or a hole.
 * @property {number} losses
 * @property {number} openings
 * @property {number} gaps
 * @property {Status["state"]} state How the wire stood at its end.
 */

export class Lanes {
  #canvas = /** @type {HTMLCanvasElement} */ (byId("lanes"));
  /** @type {Slice[]} */
  #slices = [];
  #started = 0;
  /** A stream that never was open is not lost. */
  #wasOpen = false;
  /** @type {Record<string, number>} */
  #last = {};
  #colours = colours();
  #zoom = 1;
  /** The bar that is pointed at, counted from the right; null when none is. @type {number | null} */
  #pointed = null;

  constructor() {
    this.#controls();
    const legend = byId("legend");
    for (const [name, look, colour] of MARKS) {
      const swatch = make("i", { class: look });
      swatch.style.setProperty("--swatch", `var(${colour})`);
      legend.append(make("li", {}, swatch, name));
    }
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => {
        this.#colours = colours();
      });
    }
  }

  /**
   * Takes the counts as they are now.
   * @param {Stats} stats
   * @param {Status["state"]} state
   */
  sample(stats, state) {
    const now = Math.floor(Date.now() / SLICE);
    if (!this.#started) this.#started = now - 1;
    while (this.#started + this.#slices.length < now + 1) {
      this.#slices.push({ ...nothing(), state });
      if (this.#slices.length > KEPT) {
        this.#slices.shift();
        this.#started += 1;
      }
    }
    const slice = this.#slices[this.#slices.length - 1];
    if (!slice) return;
    this.#wasOpen ||= state === "live" || state === "catching_up";
    for (const name of NAMES) {
      const value = stats[name];
      if (name !== "losses" || this.#wasOpen) slice[name] += Math.max(0, value - (this.#last[name] ?? 0));
      this.#last[name] = value;
    }
    slice.state = state;
  }

  /** What is seen, from the left: bars of one or several slices. @returns {Slice[]} */
  #bars() {
    const span = this.#span;
    const each = Math.ceil(span / BARS);
    // A bar's slices stay together while time goes on.
    const end = this.#started + this.#slices.length;
    const first = Math.max(this.#started, Math.ceil(end / each) * each - span);
    /** @type {Slice[]} */
    const bars = [];
    for (let at = first; at < end; at++) {
      const slice = /** @type {Slice} */ (this.#slices[at - this.#started]);
      const bar = bars.at(-1);
      if (!bar || at % each === 0) bars.push({ ...slice });
      else {
        for (const name of NAMES) bar[name] += slice[name];
        bar.state = slice.state;
      }
    }
    return bars;
  }

  get #span() {
    return /** @type {number} */ (SPANS[this.#zoom]);
  }

  draw() {
    const width = this.#canvas.clientWidth;
    const height = this.#canvas.clientHeight;
    const pen = this.#canvas.getContext("2d");
    if (!pen || width === 0) return;
    const ratio = devicePixelRatio || 1;
    if (this.#canvas.width !== Math.round(width * ratio)) {
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const c = this.#colours;
    const bars = this.#bars();
    const step = this.#step();
    const rows = { live: height * 0.5, log: height * 0.66, wire: height * 0.87 };

    pen.fillStyle = c.line;
    for (const y of [rows.live, rows.log]) pen.fillRect(LEFT, y, width - LEFT - RIGHT, 1);
    pen.fillRect(LEFT, rows.wire - 1, width - LEFT - RIGHT, 2);
    pen.fillStyle = c.soft;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    for (const [name, y] of Object.entries(rows)) pen.fillText(name, 9, name === "live" ? y - 6 : y);

    const from = width - RIGHT - bars.length * step;
    bars.forEach((bar, at) => {
      const x = from + at * step;
      if (bar.deltas > 0) {
        const tall = Math.max(4, Math.min(1, Math.log2(1 + bar.deltas) / 7) * (rows.live - 12));
        pen.fillStyle = c.accent;
        pen.fillRect(x, rows.live - tall, Math.max(1, step - 0.6), tall);
      }
      if (bar.state !== "live" && bar.state !== "catching_up") return;
      pen.fillStyle = bar.state === "live" ? c.accent : c.soft;
      pen.fillRect(x, rows.wire - 2, step + 0.5, 4);
    });
    // Marks come after the bands, so that nothing covers them.
    bars.forEach((bar, at) => {
      const x = from + (at + 0.5) * step;
      if (bar.commits > 0) {
        pen.fillStyle = c.good;
        pen.fillRect(x - 1, rows.log - 7, 2, 14);
      }
      if (bar.reads > 0) ring(pen, x, rows.log, c.good, c.ground);
      if (bar.openings > 0) ring(pen, x, rows.wire, c.warn, c.ground);
    });
    // A loss is often mended within a bar or two: it stands a little above, so that both are seen.
    bars.forEach((bar, at) => {
      if (bar.losses > 0 || bar.gaps > 0) cross(pen, from + (at + 0.5) * step, rows.wire - 8, c.bad);
    });
    if (this.#pointed !== null) {
      pen.fillStyle = c.soft;
      pen.fillRect(width - RIGHT - (this.#pointed + 0.5) * step, 6, 1, height - 12);
    }
    this.#describe(bars);
  }

  #step() {
    return (this.#canvas.clientWidth - LEFT - RIGHT) / Math.min(BARS, this.#span);
  }

  /** Zoom by button, wheel and key; a bar is told of where the pointer or the arrow keys are. */
  #controls() {
    const canvas = this.#canvas;
    const [closer, wider] = [byId("lanes-closer"), byId("lanes-wider")];
    /** @param {number} zoom */
    const zoom = (zoom) => {
      this.#zoom = Math.max(0, Math.min(SPANS.length - 1, zoom));
      closer.toggleAttribute("disabled", this.#zoom === 0);
      wider.toggleAttribute("disabled", this.#zoom === SPANS.length - 1);
      byId("lanes-title").textContent = `Last ${spoken(this.#span)}`;
      this.draw();
    };
    /** @param {number | null} bar */
    const point = (bar) => {
      this.#pointed = bar === null ? null : Math.max(0, Math.min(Math.min(BARS, this.#span) - 1, bar));
      this.draw();
    };
    closer.addEventListener("click", () => zoom(this.#zoom - 1));
    wider.addEventListener("click", () => zoom(this.#zoom + 1));
    canvas.addEventListener("wheel", (event) => {
      const wanted = this.#zoom + Math.sign(event.deltaY);
      // At either end the wheel is the panel's again.
      if (wanted < 0 || wanted >= SPANS.length) return;
      event.preventDefault();
      zoom(wanted);
    }, { passive: false });
    canvas.addEventListener("pointermove", ({ offsetX }) => point(Math.floor((canvas.clientWidth - RIGHT - offsetX) / this.#step())));
    for (const over of ["pointerleave", "blur"]) canvas.addEventListener(over, () => point(null));
    canvas.addEventListener("keydown", ({ key }) => {
      if (key === "ArrowLeft") point((this.#pointed ?? -1) + 1);
      else if (key === "ArrowRight") point((this.#pointed ?? 1) - 1);
      else if (key === "+") zoom(this.#zoom - 1);
      else if (key === "-") zoom(this.#zoom + 1);
    });
  }

  /** @param {Slice[]} bars */
  #describe(bars) {
    const sum = nothing();
    for (const bar of bars) for (const name of NAMES) sum[name] += bar[name];
    const whole = `In the last ${spoken(this.#span)}: ${sum.deltas} Deltas, ${sum.commits} commits, ${sum.reads} reads of the log, ${sum.losses + sum.gaps} losses, ${sum.openings} openings of the stream`;
    const bar = this.#pointed === null ? undefined : bars.at(-1 - this.#pointed);
    const ago = ((this.#pointed ?? 0) * this.#span * SLICE) / Math.min(BARS, this.#span) / 1000;
    const there = this.#pointed === null ? "" : `${ago < 10 ? ago.toFixed(1) : Math.round(ago)} s ago: ${bar ? happened(bar) : "before this page was opened"}`;
    setText(byId("lanes-tip"), there || "Point at a mark to read it");
    const text = there || whole;
    if (this.#canvas.getAttribute("aria-label") !== text) this.#canvas.setAttribute("aria-label", text);
  }
}

function nothing() {
  return { deltas: 0, commits: 0, reads: 0, losses: 0, openings: 0, gaps: 0 };
}

/** @param {number} slices */
function spoken(slices) {
  const seconds = (slices * SLICE) / 1000;
  return seconds < 120 ? `${seconds} seconds` : `${seconds / 60} minutes`;
}

/** @param {Slice} bar */
function happened({ deltas, commits, reads, losses, openings, gaps, state }) {
  /** @param {number} count @param {string} one */
  const some = (count, one, many = `${one}s`) => (count > 0 ? [`${count} ${count === 1 ? one : many}`] : []);
  const things = [
    ...some(deltas, "Delta"), ...some(commits, "commit"), ...some(reads, "read of the log", "reads of the log"), ...some(losses, "stream lost", "streams lost"), ...some(gaps, "hole seen", "holes seen"), ...some(openings, "stream opened", "streams opened"),
  ];
  return `${things.join(", ") || "nothing"}; ${state.replaceAll("_", " ")}`;
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    accent: value("accent"), good: value("good"), warn: value("warn"), bad: value("bad"),
    line: value("line"), soft: value("soft"), ground: value("ground"),
  };
}

/** @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {number} r @param {string} colour */
function dot(pen, x, y, r, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fill();
}

/** @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {string} colour @param {string} ground */
function ring(pen, x, y, colour, ground) {
  dot(pen, x, y, 5, ground);
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(x, y, 4, 0, 2 * Math.PI);
  pen.stroke();
}

/** @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {string} colour */
function cross(pen, x, y, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const way of [-1, 1]) {
    pen.moveTo(x - 3, y - 3 * way);
    pen.lineTo(x + 3, y + 3 * way);
  }
  pen.stroke();
}
