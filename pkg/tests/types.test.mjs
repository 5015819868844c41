// The hand-written types of the entries for other packages, against the types of those packages.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const at = (...names) => path.join(ROOT, ...names);

/** Compiles the files with these packages in the place of those that they name. */
async function compiles(names, stand) {
  const folder = await mkdtemp(path.join(tmpdir(), "threadfold-types-"));
  const entries = { threadfold: "index", "threadfold/react": "react", "threadfold/ai-sdk": "ai-sdk", "threadfold/ag-ui": "ag-ui" };
  const paths = {
    ...Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, [at("pkg", `${file}.d.ts`)]])),
    ...Object.fromEntries(Object.entries(stand).map(([name, folder]) => [name, [at("node_modules", folder)]])),
  };
  const compilerOptions = {
    strict: true, noEmit: true, target: "es2022", module: "esnext", moduleResolution: "bundler", jsx: "react-jsx",
    lib: ["es2023", "dom", "dom.iterable"], types: [], skipLibCheck: true, paths,
  };
  const files = names.map((name) => at("pkg/tests/types", name));
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const { status, stdout, stderr } = spawnSync(process.execPath, [at("node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  await rm(folder, { recursive: true });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

test("the types of threadfold/react fit those of React", () => compiles(["react.tsx"], {}));

for (const version of [6, 7]) {
  test(`the types of threadfold/ai-sdk fit those of ai ${version} and its React hooks`, () =>
    compiles(["ai-sdk.ts"], { ai: `ai-${version}`, "@ai-sdk/react": `@ai-sdk/react-${version}` }));
}

test("the types of threadfold/ag-ui fit those of its client", () => compiles(["ag-ui.ts"], {}));

test("a transcoder of one's own has a handler for each kind of Fact", () => compiles(["transcode.ts"], {}));
