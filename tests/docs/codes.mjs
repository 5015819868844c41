// The codes that the sources can give: what a page may meet as an error, as an anomaly, or as a host's refusal.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

async function sources(folder, ends) {
  const names = await readdir(folder, { recursive: true });
  const wanted = names.filter((name) => name.endsWith(ends) && !/(^|\/)tests?(\/|\.|_)/.test(name) && !name.startsWith("wasm/"));
  return Promise.all(wanted.map((name) => readFile(path.join(folder, name), "utf8")));
}

const found = (texts, ...forms) => [...new Set(texts.flatMap((text) => forms.flatMap((form) => [...text.matchAll(form)].map(([, code]) => code))))].sort();

/** @param {string} root */
export async function codes(root) {
  const script = await sources(path.join(root, "pkg"), ".js");
  const types = await readFile(path.join(root, "pkg/index.d.ts"), "utf8");
  const union = types.slice(types.indexOf("export type ErrorCode"), types.indexOf("| (string & {})"));
  const core = (await sources(path.join(root, "src"), ".rs")).map((text) => text.replace(/#\[cfg\(test\)\]\s*mod tests \{[\s\S]*$/, ""));
  const host = await sources(path.join(root, "host/src"), ".rs");
  return {
    errors: found([union], /"([a-z_]+)"/g).concat(found(script, /ThreadfoldError\(\s*"([a-z_]+)"/g, /\bcode: "([a-z_]+)"/g, /^  ([a-z_]+): "[A-Z]/gm)),
    anomalies: found(core, /anomaly\(\s*"([a-z_]+)"/g, /Anomaly \{ code: "([a-z_]+)"/g, /=> "((?:json|sse)_[a-z_]+)"/g).concat(ofTheFold(core), found(script, /anomaly\("([a-z_]+)"/g)),
    host: found(host, /Problem::(?:bad|new)\((?:[\w:]+,\s*)?\s*"([a-z_]+)"/g, /Rejected::(?:Bad|Conflict)\(\s*"([a-z_]+)"/g, /let code = .*"([a-z_]+)"/g, /else \{ "(bad_body)" \}/g),
  };
}

/** The fold's own, which are a table in the source. */
function ofTheFold(core) {
  const [, table] = core.map((text) => /pub enum AnomalyCode \{([\s\S]*?)\n    \}/.exec(text)).find(Boolean) ?? [];
  return [...(table ?? "").matchAll(/^\s+"([a-z_]+)" [A-Z]/gm)].map(([, code]) => code);
}
