// @ts-check
// A picture of the last minute: fragments of the live lane as ticks, commits of the log as marks, and the wire as a band
// that breaks where it was lost. It is drawn from counts, so it costs the same whatever the traffic.

import { byId, make } from "./dom.js";

/** @typedef {import("../../pkg/index.js").Stats} Stats */
/** @typedef {import("../../pkg/index.js").Status} Status */

const SLICE = 200;
const SLICES = 300;

/**
 * What happened in one slice of time.
 * @typedef {object} Slice
 * @property {number} deltas
 * @property {number} commits
 * @property {number} losses
 * @property {number} reopens
 * @property {number} gaps
 * @property {Status["state"]} state How the wire stood at its end.
 */

export class Lanes {
  #canvas = /** @type {HTMLCanvasElement} */ (byId("lanes"));
  /** @type {Slice[]} */
  #slices = [];
  #started = 0;
  /** @type {Record<string, number>} */
  #last = {};
  #colours = colours();

  constructor() {
    const legend = byId("legend");
    for (const [name, colour] of [["Deltas", "--accent"], ["Commits", "--good"], ["Reopened", "--warn"], ["Lost", "--bad"]]) {
      const swatch = make("i");
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
      this.#slices.push({ deltas: 0, commits: 0, losses: 0, reopens: 0, gaps: 0, state });
      if (this.#slices.length > SLICES) {
        this.#slices.shift();
        this.#started += 1;
      }
    }
    const slice = this.#slices[this.#slices.length - 1];
    if (!slice) return;
    for (const name of /** @type {const} */ (["deltas", "commits", "losses", "reopens", "gaps"])) {
      const value = stats[name] ?? 0;
      slice[name] += Math.max(0, value - (this.#last[name] ?? 0));
      this.#last[name] = value;
    }
    slice.state = state;
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
    const left = 12;
    const step = (width - 2 * left) / SLICES;
    const rows = { deltas: height * 0.42, commits: height * 0.66, wire: height * 0.86 };

    pen.fillStyle = c.line;
    for (const y of [rows.deltas, rows.commits]) pen.fillRect(left, y, width - 2 * left, 1);

    this.#slices.forEach((slice, at) => {
      const x = left + (SLICES - this.#slices.length + at) * step;
      if (slice.deltas > 0) {
        const tall = Math.min(1, Math.log2(1 + slice.deltas) / 7) * (rows.deltas - 14);
        pen.fillStyle = c.accent;
        pen.fillRect(x, rows.deltas - Math.max(3, tall), Math.max(1, step - 0.15), Math.max(3, tall));
      }
      pen.fillStyle = slice.state === "live" ? c.accent : slice.state === "catching_up" ? c.soft : "transparent";
      pen.fillRect(x, rows.wire - 2.5, step + 0.5, 5);
    });
    // Marks come after the band, so that nothing covers them.
    this.#slices.forEach((slice, at) => {
      const x = left + (SLICES - this.#slices.length + at) * step + step / 2;
      if (slice.commits > 0) dot(pen, x, rows.commits, 3.5, c.good);
      if (slice.losses > 0 || slice.gaps > 0) cross(pen, x, rows.wire, c.bad);
      if (slice.reopens > 0) ring(pen, x, rows.wire, c.warn, c.ground);
    });
    pen.fillStyle = c.soft;
    pen.font = "10px system-ui, sans-serif";
    pen.fillText("live", left, 11);
    pen.fillText("log", left, rows.commits - 8);
    pen.fillText("wire", left, rows.wire - 8);
    this.#describe();
  }

  #describe() {
    const sum = { deltas: 0, commits: 0, losses: 0, reopens: 0, gaps: 0 };
    for (const slice of this.#slices) {
      sum.deltas += slice.deltas;
      sum.commits += slice.commits;
      sum.losses += slice.losses + slice.gaps;
      sum.reopens += slice.reopens;
    }
    const text = `In the last minute: ${sum.deltas} Deltas, ${sum.commits} commits, ${sum.losses} losses, ${sum.reopens} reopened streams`;
    if (this.#canvas.getAttribute("aria-label") !== text) this.#canvas.setAttribute("aria-label", text);
  }
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
    pen.moveTo(x - 4, y - 4 * way);
    pen.lineTo(x + 4, y + 4 * way);
  }
  pen.stroke();
}
