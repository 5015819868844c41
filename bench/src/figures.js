// From samples to figures: medians, spreads and whether each bound is kept.

import { median } from "./sample.js";

/** The median of the rounds, and how far their middle half spreads around it. */
export function figure(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part) => sorted[Math.round(part * (sorted.length - 1))];
  return { median: median(sorted), low: at(0.25), high: at(0.75), least: sorted[0], rounds: sorted.length };
}

/** The verdicts of a case: how many times threadfold's time each contender takes. */
export function ratios({ bounds = {} }, figures) {
  const ours = figures.threadfold?.median;
  const others = Object.entries(figures).filter(([name]) => name !== "threadfold");
  return others.map(([name, { median }]) => ({ name, ratio: median / ours, bound: bounds[name], kept: bounds[name] === undefined ? undefined : median / ours >= bounds[name] }));
}

/** The verdict of a series: the figure at the bound's point over the first. */
export function growth({ points, to, bound }, figures) {
  const ratio = figures[points.indexOf(to)].median / figures[0].median;
  return { ratio, bound, kept: bound === undefined ? undefined : ratio <= bound };
}

/** A number with three digits that count. */
export const short = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
