// What is printed: a line for each case, and why for each that did not pass.

const MARKS = { passed: "ok  ", failed: "FAIL", skipped: "--  " };

export function report({ base, level, results }) {
  const lines = [`${base}, level ${level}`];
  let heading = "";
  for (const { group, id, title, verdict, why } of results) {
    if (group !== heading) lines.push("", (heading = group));
    lines.push(`  ${MARKS[verdict]} ${id}: ${title}${verdict === "skipped" ? ` (not exercised: ${why})` : ""}`);
    if (verdict === "failed") lines.push(...why.split("\n").map((line) => `         ${line}`));
  }
  const count = (wanted) => results.filter(({ verdict }) => verdict === wanted).length;
  lines.push("", `${count("passed")} ok, ${count("failed")} failed, ${count("skipped")} not exercised`);
  return lines.join("\n");
}
