// Bundles the pages of `www/examples`, each with both versions of the AI SDK, into `www/examples/dist`.
// Argument: the repository's root.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = process.argv.at(-1);
const at = (...parts) => join(root, ...parts);
rmSync(at("www/examples/dist"), { recursive: true, force: true });

/** A bundler that knows nothing of files beside a script takes the entry with the module in it. */
const alias = {
  threadfold: at("pkg/inline.js"),
  "threadfold/ai-sdk": at("pkg/ai-sdk.js"),
  "threadfold/react": at("pkg/react.js"),
};

// React in its build for development, where strict mode does its work.
const bundle = (folder, names, define, more) =>
  build({
    entryPoints: names.map((name) => at("www/examples", `${name}.jsx`)),
    outdir: at("www/examples/dist", folder),
    alias: { ...alias, ...more },
    define: { "process.env.NODE_ENV": '"development"', ...define },
    absWorkingDir: root,
    nodePaths: [at("node_modules")],
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    legalComments: "none",
    logLevel: "error",
  }).catch(() => process.exit(1)); // esbuild has said why

for (const version of ["6", "7"]) {
  const sdk = { ai: at(`node_modules/ai-${version}`), "@ai-sdk/react": at(`node_modules/@ai-sdk/react-${version}`) };
  await bundle(`ai-${version}`, ["threadfold", "stock"], { AI_VERSION: version }, sdk);
}
await bundle("react", ["react"], {}, {});
