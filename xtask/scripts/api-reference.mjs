// The API reference, made of the package's types: `node xtask/scripts/api-reference.mjs` writes docs/api.md. Each
// declaration is shown as it stands, behind what its comment says.
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

const ROOT = new URL("../../", import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("pkg/package.json", ROOT), "utf8"));

/** The types of an entry, with those that it passes on. */
function filesOf(file) {
  const text = readFileSync(new URL(file, new URL("pkg/", ROOT)), "utf8");
  const passed = [...text.matchAll(/^export \* from "(.+)\.js";$/gm)].flatMap(([, name]) => filesOf(`${name}.d.ts`));
  return [{ file, text }, ...passed];
}

/** A file's exported declarations: `{ name, comment, code }`, in their order. */
function declarations(text) {
  const found = [];
  let comment = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line.startsWith("/**")) {
      comment = [line];
      while (!lines[at].includes("*/")) comment.push(lines[++at]);
      continue;
    }
    const name = /^(?:export (?:declare )?|declare )(?:abstract )?(?:class|interface|type|function|const) (\w+)/.exec(line)?.[1];
    if (name) {
      const code = [line];
      // A declaration ends at the margin, with a bracket or where its first line already does.
      while (!/^(\S.*)?[;}]$/.test(lines[at]) || (lines[at].startsWith("  ") && at + 1 < lines.length)) {
        at += 1;
        code.push(lines[at]);
        if (/;$/.test(lines[at]) && !/^\s*$/.test(lines[at]) && !/^(  |\})/.test(lines[at + 1] ?? "") && !line.endsWith("{")) break;
        if (line.endsWith("{") && lines[at] === "}") break;
      }
      found.push({ name, comment: said(comment), code: code.join("\n") });
    }
    comment = [];
  }
  return found;
}

/** A comment's text, with its tags as lists. */
function said(comment) {
  const text = comment.map((line) => line.replace(/^\s*\/?\*+\/? ?/, "").replace(/\s*\*\/$/, "")).join("\n").trim();
  const linked = text.replace(/\{@link (\w+)\}/g, (_, name) => `[\`${name}\`](#${name.toLowerCase()})`);
  return linked
    .replace(/^@(param) (\w+) /gm, "\n- `$2`: ")
    .replace(/^@returns /gm, "\n- Returns: ")
    .replace(/^@throws ThreadfoldError /gm, "\n- Throws `ThreadfoldError`: ")
    .replace(/\n\n\n+/g, "\n\n");
}

export function reference() {
  const parts = ["# API reference\n\nMade of the package's types by `node xtask/scripts/api-reference.mjs`; what an entry exports, in the order of its types.\n"];
  const shown = new Map();
  for (const [entry, conditions] of Object.entries(exports)) {
    const types = conditions.types;
    if (!types) continue;
    const name = entry.replace(/^\./, "threadfold");
    if (shown.has(types)) {
      parts.push(`\n## ${name}\n\nThe same as \`${shown.get(types)}\`.\n`);
      continue;
    }
    shown.set(types, name);
    parts.push(`\n## ${name}\n`);
    for (const { text } of filesOf(types)) {
      // Overloads of a function are one section.
      const sections = new Map();
      for (const { name, comment, code } of declarations(text)) {
        const section = sections.get(name) ?? { comment: [], code: [] };
        if (comment) section.comment.push(comment);
        section.code.push(code);
        sections.set(name, section);
      }
      for (const [name, { comment, code }] of sections) {
        parts.push(`\n### ${name}\n\n${comment.length > 0 ? `${comment.join("\n\n")}\n\n` : ""}\`\`\`ts api\n${code.join("\n")}\n\`\`\`\n`);
      }
    }
  }
  return parts.join("");
}

export const REFERENCE = new URL("docs/api.md", ROOT);

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) writeFileSync(REFERENCE, reference());
