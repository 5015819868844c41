// @ts-check
// A picture of the last half minute: fragments of the live lane as ticks, commits of the log as marks, and the wire as a band
// that breaks where it was lost. It is drawn from counts, so it costs the same whatever the traffic.

import { byId, make } from "./dom.js";

/** @typedef {import("../../pkg/index.js").Stats} Stats */
/** @typedef {import("../../pkg/index.js").Status} Status */

const SLICE = 200;
const SLICES = 150;

/**
 * What happened in one slice of time.
 * @typedef {object} Slice
 * @property {number} deltas
 * @property {number} commits
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
  /** @type {Record<string, number>} */
  #last = {};
  #colours = colours();

  constructor() {
    const legend = byId("legend");
    for (const [name, colour] of [["Deltas", "--accent"], ["Commits", "--good"], ["Opened", "--warn"], ["Lost", "--bad"]]) {
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
      this.#slices.push({ deltas: 0, commits: 0, losses: 0, openings: 0, gaps: 0, state });
      if (this.#slices.length > SLICES) {
        this.#slices.shift();
        this.#started += 1;
      }
    }
    const slice = this.#slices[this.#slices.length - 1];
    if (!slice) return;
    for (const name of /** @type {const} */ (["deltas", "commits", "losses", "openings", "gaps"])) {
      const value = stats[name];
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
    const [left, right] = [40, 12];
    const step = (width - left - right) / SLICES;
    const rows = { live: height * 0.5, log: height * 0.66, wire: height * 0.87 };

    pen.fillStyle = c.line;
    for (const y of [rows.live, rows.log]) pen.fillRect(left, y, width - left - right, 1);
    pen.fillRect(left, rows.wire - 1, width - left - right, 2);
    pen.fillStyle = c.soft;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    for (const [name, y] of Object.entries(rows)) pen.fillText(name, 9, name === "live" ? y - 6 : y);

    const from = left + (SLICES - this.#slices.length) * step;
    this.#slices.forEach((slice, at) => {
      const x = from + at * step;
      if (slice.deltas > 0) {
        const tall = Math.max(4, Math.min(1, Math.log2(1 + slice.deltas) / 7) * (rows.live - 12));
        pen.fillStyle = c.accent;
        pen.fillRect(x, rows.live - tall, Math.max(1, step - 0.6), tall);
      }
      if (slice.state !== "live" && slice.state !== "catching_up") return;
      pen.fillStyle = slice.state === "live" ? c.accent : c.soft;
      pen.fillRect(x, rows.wire - 2, step + 0.5, 4);
    });
    // Marks come after the bands, so that nothing covers them.
    this.#slices.forEach((slice, at) => {
      const x = from + (at + 0.5) * step;
      if (slice.commits > 0) {
        pen.fillStyle = c.good;
        pen.fillRect(x - 1, rows.log - 7, 2, 14);
      }
      if (slice.openings > 0) ring(pen, x, rows.wire, c.warn, c.ground);
    });
    // A loss is often mended within a slice or two: it stands a little above, so that both are seen.
    this.#slices.forEach((slice, at) => {
      if (slice.losses > 0 || slice.gaps > 0) cross(pen, from + (at + 0.5) * step, rows.wire - 8, c.bad);
    });
    this.#describe();
  }

  #describe() {
    const sum = { deltas: 0, commits: 0, losses: 0, openings: 0, gaps: 0 };
    for (const slice of this.#slices) {
      sum.deltas += slice.deltas;
      sum.commits += slice.commits;
      sum.losses += slice.losses + slice.gaps;
      sum.openings += slice.openings;
    }
    const text = `In the last 30 seconds: ${sum.deltas} Deltas, ${sum.commits} commits, ${sum.losses} losses, ${sum.openings} openings of the stream`;
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
    pen.moveTo(x - 3, y - 3 * way);
    pen.lineTo(x + 3, y + 3 * way);
  }
  pen.stroke();
}
