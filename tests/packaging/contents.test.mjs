// What is in the tarball, and what the linters of packages say of it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { PACKAGE, Project, TOOLS } from "./support/project.mjs";

let project;
before(async () => (project = await Project.make("contents", {})));
after(() => project?.remove());

const installed = (...parts) => project.path("node_modules/threadfold", ...parts);
const files = async () => (await project.run("tar", ["tzf", PACKAGE])).trim().split("\n").map((line) => line.replace("package/", ""));
const manifest = async () => JSON.parse(await readFile(installed("package.json"), "utf8"));

/** Everything that a manifest names as a file. */
function named(value) {
  if (typeof value === "string") return value.startsWith("./") ? [value.slice(2)] : [];
  return Object.values(value ?? {}).flatMap(named);
}

/** The files that a script or a type file reaches by what it imports, itself included. */
async function reached(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  if (!/\.(js|d\.ts)$/.test(name)) return found;
  const text = (await readFile(installed(name), "utf8")).replace(/^\s*(\/\/|\/?\*).*$/gm, "");
  const imports = [/\bfrom\s*"(\.[^"]+)"/g, /^import\s*"(\.[^"]+)"/gm, /\bimport\(\s*"(\.[^"]+)"\s*\)/g, /new URL\(\s*"(\.[^"]+)", import\.meta\.url/g];
  for (const [, specifier] of imports.flatMap((form) => [...text.matchAll(form)])) {
    const file = path.posix.join(path.posix.dirname(name), specifier.replace(/\?.*$/, ""));
    await reached(name.endsWith(".d.ts") ? file.replace(/\.js$/, ".d.ts") : file, found);
  }
  return found;
}

test("the tarball holds what an entry reaches, the documents, and nothing else", async () => {
  const wanted = new Set(["package.json", "README.md", "LICENSE-MIT", "LICENSE-APACHE"]);
  for (const entry of named((await manifest()).exports)) for (const file of await reached(entry)) wanted.add(file);
  assert.deepEqual((await files()).sort(), [...wanted].sort());
});

test("every entry that loads a module is named as having a side effect, and nothing else is", async () => {
  const { sideEffects } = await manifest();
  const scripts = (await files()).filter((name) => name.endsWith(".js"));
  const provides = [];
  for (const name of scripts) if (/^provide\(/m.test(await readFile(installed(name), "utf8"))) provides.push(`./${name}`);
  assert.deepEqual([...sideEffects].sort(), provides.sort());
});

test("the package asks for nothing, runs nothing when it is installed, and names its licence", async () => {
  const { dependencies, scripts, license, engines } = await manifest();
  assert.deepEqual({ dependencies, scripts, license }, { dependencies: undefined, scripts: undefined, license: "MIT OR Apache-2.0" });
  assert.equal(engines.node, ">=20.19");
});

test("publint has nothing to say", async () => {
  const said = await project.tool("publint", ["run", PACKAGE, "--strict"]);
  assert.match(said, /All good!/);
});

test("are the types wrong? They are not, for each entry and each way of resolving modules", async () => {
  // The profile leaves out what reads CommonJS alone: `require` gives the same module, from Node 20.19 on.
  const args = [PACKAGE, "--profile", "esm-only", "--format", "json"];
  const json = await new Promise((resolve) => {
    execFile(path.join(TOOLS, "node_modules/.bin/attw"), args, { maxBuffer: 1 << 26 }, (_, stdout) => resolve(stdout));
  });
  const { analysis, problems } = JSON.parse(json);
  const entries = Object.keys((await manifest()).exports).filter((entry) => entry !== "./package.json");
  for (const entry of entries) assert.ok(analysis.entrypoints[entry], `${entry} was looked at`);
  const judged = Object.values(problems).flat().filter(({ resolutionKind }) => !["node10", "node16-cjs"].includes(resolutionKind));
  assert.deepEqual(judged, []);
});

test("the conformance kit is a package of its own, whose command runs", async () => {
  const kit = path.join(path.dirname(PACKAGE), "threadfold-conformance.tgz");
  await project.run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", kit]);
  const said = await project.run("npx", ["--offline", "threadfold-conformance", "--help"]);
  assert.match(said, /threadfold-conformance <base-url>/);
  const { dependencies } = JSON.parse(await readFile(project.path("node_modules/threadfold-conformance/package.json"), "utf8"));
  assert.equal(dependencies, undefined);
});
