// What the command writes: the table of docs/bench.md and the chart of docs/bench.svg.

import { growth, ratios, short } from "./figures.js";

const verdict = ({ bound, kept }, sign) => (bound === undefined ? "" : ` (${sign} ${bound}: ${kept ? "kept" : "**missed**"})`);

/** The tables as Markdown. */
export function markdown({ machine, cases, series, frame }) {
  const lines = [
    "# Measurements",
    "",
    "Written by `cargo xtask bench`; times are medians of rounds in processes or pages of their own, with the middle half of",
    "the rounds in brackets. In Node they are of the process's own work (user and system), in Chromium of the wall's clock.",
    "Ratios compare within one run on one machine. What each contender ended with was checked to be",
    "the same text and calls before its time counted.",
    "",
    `${machine.what}, ${machine.rounds} rounds, ${machine.when}. ${machine.versions}`,
    "",
    "![The mixed run by contender, and what must not grow](bench.svg)",
    "",
  ];
  for (const where of new Set(cases.map(({ where }) => where))) {
    lines.push(`## Beside the others, in ${where}`, "", "| case | contender | ms | × threadfold |", "|---|---|---|---|");
    for (const { case: measured, figures } of cases.filter((entry) => entry.where === where)) {
      const others = new Map(ratios(measured, figures).map((entry) => [entry.name, entry]));
      for (const [name, found] of Object.entries(figures)) {
        const beside = others.get(name);
        const label = name === "threadfold" ? `${measured.name}: ${measured.what}` : "";
        lines.push(`| ${label} | ${name} | ${short(found.median)} [${short(found.low)}–${short(found.high)}] | ${beside ? short(beside.ratio) + verdict(beside, "≥") : ""} |`);
      }
    }
    lines.push("");
  }
  if (series.length > 0) lines.push("## What must not grow", "", "| series | where | points | growth |", "|---|---|---|---|");
  for (const { series: measured, where, figures } of series) {
    const points = measured.points.map((point, at) => `${point.toLocaleString("en")}: ${short(figures[at].median)} ${measured.unit}`).join("<br>");
    const found = growth(measured, figures);
    lines.push(`| ${measured.name}: ${measured.what} | ${where} | ${points} | ${short(found.ratio)}${verdict(found, "≤")} |`);
  }
  if (series.length > 0) lines.push("");
  if (frame) lines.push(...frameTable(frame));
  return lines.join("\n");
}

function frameTable(frame) {
  const row = ({ name, deltas, tasks, longest, own, busy, seconds }) =>
    `| ${name} | ${deltas} | ${tasks} | ${short(longest)} ms | ${own === undefined ? "" : `${short(own)} ms`} | ${short((100 * busy) / (seconds * 1000))} % |`;
  return [
    "## The frame",
    "",
    "A page with 1,000 settled messages, 200 Deltas a second, in Chromium, drawn by React. Tasks are those of the main thread",
    "as Chromium traced them, React's work and the page's own included.",
    "",
    "| page | Deltas | tasks over 16 ms | longest task | longest call of threadfold | share of the main thread |",
    "|---|---|---|---|---|---|",
    ...frame.map(row),
    "",
  ];
}

const COLOURS = { threadfold: "#0b7a5f", floor: "#8a8a8a", ai: "#c2571a", "ag-ui": "#7a4fb5", langgraph: "#2d6cb3" };

/** The chart: bars for the mixed run on a logarithmic scale, and a line for each series. */
export function svg({ cases, series }) {
  const mixed = cases.filter(({ case: { name } }) => ["mixed", "mixed-1460", "mixed-64", "ascii", "cjk", "arguments"].includes(name));
  const width = 860;
  const out = [];
  let y = 30;
  const text = (x, at, content, more = "") => out.push(`<text x="${x}" y="${at}" ${more}>${content}</text>`);
  text(20, y, "Time of a case in ms, on a logarithmic scale", 'class="title"');
  const most = Math.max(1, ...mixed.flatMap(({ figures }) => Object.values(figures).map(({ high }) => high)));
  const scale = (ms) => (Math.log10(Math.max(1, ms)) / Math.log10(most)) * 470;
  for (const { case: measured, where, figures } of mixed) {
    y += 24;
    text(20, y, `${measured.name}, ${where}`);
    for (const [name, { median }] of Object.entries(figures)) {
      out.push(`<rect x="200" y="${y - 10}" width="${scale(median).toFixed(1)}" height="12" fill="${COLOURS[name]}"/>`);
      text(206 + scale(median), y, `${name} ${short(median)}`, 'class="small"');
      y += 16;
    }
  }
  y += 40;
  text(20, y, "Growth: each point over the first of its series; the dashed line is the bound", 'class="title"');
  const column = (width - 40) / 4;
  series.forEach(({ series: measured, where, figures }, number) => {
    const left = 20 + (number % 4) * column;
    const top = y + 20 + Math.floor(number / 4) * 150;
    const ratio = figures.map(({ median }) => median / figures[0].median);
    const highest = Math.max(2, ...ratio);
    const px = (at) => left + (at / Math.max(1, ratio.length - 1)) * (column - 50);
    const py = (value) => top + 100 - (value / highest) * 80;
    text(left, top + 8, `${measured.name}, ${where}`, 'class="small"');
    if (measured.bound) out.push(`<line x1="${left}" x2="${left + column - 50}" y1="${py(measured.bound)}" y2="${py(measured.bound)}" stroke="#999" stroke-dasharray="4 3"/>`);
    out.push(`<polyline points="${ratio.map((value, at) => `${px(at).toFixed(1)},${py(value).toFixed(1)}`).join(" ")}" fill="none" stroke="${COLOURS.threadfold}" stroke-width="2"/>`);
    measured.points.forEach((point, at) => text(px(at) - 6, top + 116, point >= 1000 ? `${point / 1000}k` : point, 'class="small"'));
    text(px(ratio.length - 1) + 4, py(ratio.at(-1)), `×${short(ratio.at(-1))}`, 'class="small"');
  });
  const height = y + 40 + Math.ceil(series.length / 4) * 150;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<style>.title { font-weight: 600 } .small { font-size: 11px } text { fill: #222 } @media (prefers-color-scheme: dark) { text { fill: #ddd } }</style>
${out.join("\n")}
</svg>
`;
}

/** The tables for a screen. */
export function screen({ cases, series, frame }) {
  const lines = [];
  for (const { case: measured, where, figures } of cases) {
    lines.push(`${measured.name} (${measured.what}), ${where}`);
    const others = new Map(ratios(measured, figures).map((entry) => [entry.name, entry]));
    for (const [name, { median, low, high }] of Object.entries(figures)) {
      const beside = others.get(name);
      const note = beside ? `× ${short(beside.ratio)}${verdict(beside, "≥").replaceAll("**", "")}` : "";
      lines.push(`   ${name.padEnd(11)} ${short(median).padStart(8)} ms  [${short(low)}–${short(high)}]  ${note}`);
    }
  }
  for (const { series: measured, where, figures } of series) {
    const found = growth(measured, figures);
    const points = measured.points.map((point, at) => `${point}: ${short(figures[at].median)}`).join("  ");
    lines.push(`${measured.name} (${measured.what}), ${where}: ${points} ${measured.unit}  growth ${short(found.ratio)}${verdict(found, "≤").replaceAll("**", "")}`);
  }
  for (const { name, deltas, tasks, longest, own, busy, seconds } of frame ?? []) {
    const ours = own === undefined ? "" : `, longest call of threadfold ${short(own)} ms`;
    lines.push(`frame, ${name}: ${deltas} Deltas, ${tasks} tasks over 16 ms, longest ${short(longest)} ms${ours}, main thread ${short((100 * busy) / (seconds * 1000))} %`);
  }
  return lines.join("\n");
}
