// The documentation tells the truth: every block of code in it is run, type-checked, read or compared.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { REFERENCE, reference } from "../../xtask/scripts/api-reference.mjs";
import { Project } from "../packaging/support/project.mjs";
import { codes } from "./codes.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The pages with their blocks of code: what stands behind the fence, and the code. */
const pages = await Promise.all(
  (await readdir(path.join(ROOT, "docs"))).filter((name) => name.endsWith(".md")).map(async (name) => {
    const text = await readFile(path.join(ROOT, "docs", name), "utf8");
    const blocks = [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info, code], number) => {
      const [language, ...how] = info.split(" ");
      return { page: name, number, language, how: how.join(" "), code };
    });
    return { name, text, blocks };
  }),
);
const blocks = pages.flatMap((page) => page.blocks);

/** Where blocks of a language are judged, in this file or another. */
const JUDGED = ["ts", "tsx", "html run", "js run", "js run vite.config.mjs", /^js file=/, "ts api", "json", "sse", "sh"];

test("every block of code is of a kind that a test judges", () => {
  for (const { page, number, language, how } of blocks) {
    const info = how ? `${language} ${how}` : language;
    assert.ok(JUDGED.some((kind) => (typeof kind === "string" ? kind === info : kind.test(info))), `${page}, block ${number}: \`\`\`${info}`);
  }
});

test("what says that it is a file is that file", async () => {
  const files = blocks.filter(({ how }) => how.startsWith("file="));
  assert.ok(files.length >= 2);
  for (const { page, how, code } of files) {
    assert.equal(code, await readFile(path.join(ROOT, how.slice("file=".length)), "utf8"), `${page}: ${how}`);
  }
});

test("JSON is JSON, and so is the data of each event", () => {
  for (const { language, code } of blocks) {
    if (language === "json") JSON.parse(code);
    if (language !== "sse") continue;
    for (const event of code.trim().split("\n\n")) JSON.parse(/^event: \w+\ndata: (.*)$/.exec(event)[1]);
  }
});

/** What the shell is asked to do, and the test that does it. */
const COMMANDS = [
  ["npm install threadfold vite", "tests/packaging/support/project.mjs, from the tarball"],
  ["node strict.mjs", "tests/docs/newcomer.test.mjs"],
  ["npx vite", "tests/docs/newcomer.test.mjs"],
  ["npx threadfold-conformance http://127.0.0.1:8787/v1", "conformance/tests/conformance.test.mjs"],
  ["cargo xtask build", "whatever loads the package"],
  ["node www/tests/hosts/demo.mjs 'http://127.0.0.1:3080/?token=…'", "www/tests/hosts/scenarios.mjs"],
];

test("the shell is asked for nothing but what tests do", () => {
  for (const { page, language, code } of blocks) {
    if (language !== "sh") continue;
    for (const line of code.trim().split("\n")) assert.ok(COMMANDS.some(([command]) => command === line), `${page}: ${line}`);
  }
});

test("the API reference is that of the types (node xtask/scripts/api-reference.mjs makes it)", async () => {
  const made = reference();
  assert.equal(await readFile(REFERENCE, "utf8"), made);
  for (const name of ["index.d.ts", "types/wire.d.ts", "types/view.d.ts"]) {
    const types = await readFile(path.join(ROOT, "pkg", name), "utf8");
    for (const [, exported] of types.matchAll(/^export (?:class|interface|type|function) (\w+)/gm)) {
      assert.ok(made.includes(`\n### ${exported}\n`), `${exported} of ${name}`);
    }
  }
});

test("every code that a page may meet is in the troubleshooting, and nothing else", async () => {
  const { text } = pages.find(({ name }) => name === "troubleshooting.md");
  const documented = new Set([...text.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].flatMap(([, cell]) => cell.match(/[a-z_]+/g)));
  const { errors, anomalies, host } = await codes(ROOT);
  const given = new Set([...errors, ...anomalies, ...host]);
  assert.deepEqual([...given].filter((code) => !documented.has(code)), [], "codes without a line");
  const ofRuns = ["indeterminate", "capability_bound", "state_conflict", "unknown", "unsupported_answer"];
  assert.deepEqual([...documented].filter((code) => !given.has(code) && !ofRuns.includes(code)), [], "lines without a code");
});

test("links lead somewhere", async () => {
  const anchors = new Map();
  const anchorsOf = async (file) => {
    if (!anchors.has(file)) {
      const text = await readFile(file, "utf8");
      anchors.set(file, [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-")));
    }
    return anchors.get(file);
  };
  const others = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "pkg/README.md", "conformance/README.md"];
  for (const name of [...pages.map(({ name }) => `docs/${name}`), ...others]) {
    const text = await readFile(path.join(ROOT, name), "utf8");
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [file, anchor] = target.split("#");
      const at = file ? path.join(ROOT, path.dirname(name), file) : path.join(ROOT, name);
      const found = await anchorsOf(at).catch(() => null);
      assert.ok(found, `${name}: ${target}`);
      if (anchor) assert.ok(found.includes(anchor), `${name}: ${target}`);
    }
  }
});

let project;
before(async () => (project = await Project.make("docs", {})));
after(() => project?.remove());

test("all TypeScript compiles", async () => {
  const checked = blocks.filter(({ language, how }) => (language === "ts" || language === "tsx") && how === "");
  assert.ok(checked.length > 10);
  const files = checked.map(({ page, number, language }) => `${page.replace(".md", "")}-${number}.${language}`);
  // A page's example is a module, also where it imports nothing.
  await project.write(Object.fromEntries(checked.map(({ code }, index) => [files[index], `${code}\nexport {};\n`])));
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", module: "esnext", moduleResolution: "bundler", jsx: "react-jsx", lib: ["es2022", "dom", "dom.iterable"], types: [] };
  await project.write({ "tsconfig.json": JSON.stringify({ compilerOptions, files }) });
  await project.tool("tsc", ["--project", "tsconfig.json"]);
});
