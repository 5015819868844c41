// esbuild and Rollup know nothing of files beside a script: the inline entry needs none, and otherwise one line says
// where the file is.

import { cp } from "node:fs/promises";
import { check, html, show } from "../support/app.mjs";
import { versionOf } from "../support/project.mjs";

const INLINE = { "main.js": show(), "check.js": check("threadfold/inline"), "dist/index.html": html("/main.js") };
const ADDRESSED = { ...INLINE, "check.js": check("threadfold", "await init(module);", 'import module from "threadfold/threadfold.wasm";') };

async function esbuild(world, files, options) {
  const project = await world.project("esbuild", files);
  // The transcoders' module has no init(): it is deployed where the script looks for it.
  await cp(project.path("node_modules/threadfold/wasm"), project.path("dist/wasm"), { recursive: true });
  await project.tool("esbuild", ["main.js", "--bundle", "--minify", "--format=esm", "--outdir=dist", "--log-level=warning", ...options]);
  return world.visit(await world.site(project.path("dist")));
}

async function rollup(world, files, plugins) {
  const project = await world.project("rollup", {
    ...files,
    "rollup.config.js": `
      import { nodeResolve } from "@rollup/plugin-node-resolve";
      import { importMetaAssets } from "@web/rollup-plugin-import-meta-assets";
      export default { input: "main.js", output: { dir: "dist", format: "es" }, plugins: [nodeResolve({ browser: true }), ${plugins}] };`,
  });
  await project.tool("rollup", ["--config", "--silent", "--failAfterWarnings"]);
  return world.visit(await world.site(project.path("dist")));
}

const FILE = { ...INLINE, "check.js": check() };

export default [
  { name: "esbuild, inline entry", version: versionOf("esbuild"), run: (world) => esbuild(world, INLINE, []) },
  { name: "esbuild, file loader and init()", version: versionOf("esbuild"), run: (world) => esbuild(world, ADDRESSED, ["--loader:.wasm=file", "--public-path=/"]) },
  { name: "rollup, inline entry", version: versionOf("rollup"), run: (world) => rollup(world, INLINE, "") },
  { name: "rollup, import-meta-assets", version: versionOf("rollup"), run: (world) => rollup(world, FILE, "importMetaAssets()") },
];
