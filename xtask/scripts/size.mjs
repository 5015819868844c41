// Bundles the package's default entry as an application would, minified and split, and prints one JSON line per file
// that a browser may load: {"file","part","raw","gzip","brotli"}. A part is "default" or "lazy": what only a dynamic
// import reaches is lazy, unless it holds the module's own glue, which every user loads. An entry for another package is
// "own": what it adds to the default entry, without that package. With --peers come bundles of what people would use
// instead, made in the same way, without React: "peer".
// Arguments: the repository's root, the folder to write the bundle to.
import { readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const peers = process.argv.includes("--peers");
const [root, out] = process.argv.slice(-2);

rmSync(out, { recursive: true, force: true });
const options = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  metafile: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  legalComments: "none",
  logLevel: "error",
};
const bundle = (more) => build({ ...options, ...more }).catch(() => process.exit(1)); // esbuild has said why
const { metafile } = await bundle({ entryPoints: [join(root, "pkg/index.js")], outdir: out, splitting: true });

// Chunks that the entry imports statically, and those that only a dynamic import reaches.
const outputs = metafile.outputs;
const entry = Object.keys(outputs).find((file) => outputs[file].entryPoint);
const parts = new Map();
const isGlue = (file) => Object.keys(outputs[file].inputs).some((input) => input.startsWith("pkg/wasm/threadfold"));
const visit = (file, part) => {
  const actual = isGlue(file) ? "default" : part;
  if (parts.get(file) === "default" || parts.get(file) === actual) return;
  parts.set(file, actual);
  for (const { path, kind, external } of outputs[file].imports) {
    if (!external) visit(path, kind === "dynamic-import" ? "lazy" : actual);
  }
};
visit(entry, "default");

// Files beside the code: `new URL("./x.wasm", import.meta.url)` in a source of one of the chunks.
const assets = new Map();
for (const [chunk, part] of parts) {
  for (const input of Object.keys(outputs[chunk].inputs)) {
    const source = readFileSync(join(root, input), "utf8");
    for (const [, name] of source.matchAll(/new URL\(\s*["'`]([^"'`]+)["'`]\s*,\s*import\.meta\.url\s*\)/g)) {
      const file = relative(root, resolve(root, dirname(input), name));
      if (assets.get(file) !== "default") assets.set(file, file.endsWith("/threadfold_bg.wasm") ? "default" : part);
    }
  }
}
if (![...assets.keys()].some((file) => file.endsWith(".wasm"))) {
  throw new Error("no wasm module is reachable from pkg/index.js: it is named by new URL(\"…\", import.meta.url)");
}

const measure = (file, part, bytes) => {
  const brotli = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  const gzip = gzipSync(bytes, { level: 9 });
  console.log(JSON.stringify({ file, part, raw: bytes.length, gzip: gzip.length, brotli: brotli.length }));
};
for (const [file, part] of assets) measure(file, part, readFileSync(join(root, file)));
for (const [file, part] of parts) measure(relative(out, resolve(root, file)), part, readFileSync(join(root, file)));

const own = ["react", "ai-sdk", "ag-ui"];
const shared = {
  name: "what the default entry has",
  setup: ({ onResolve }) => onResolve({ filter: /^\.\.\/[^/]+\.js$/ }, ({ path }) => ({ path, external: true })),
};
for (const name of own) {
  const outfile = join(out, "own", `${name}.js`);
  await bundle({ entryPoints: [join(root, `pkg/${name}.js`)], outfile, packages: "external", plugins: [shared] });
  measure(`${name}.js`, "own", readFileSync(outfile));
}

const PEERS = [
  ["ai: readUIMessageStream, DefaultChatTransport", "ai-7", "readUIMessageStream, DefaultChatTransport"],
  ["@ai-sdk/react: useChat", "@ai-sdk/react-7", "useChat"],
  ["@ag-ui/client: HttpAgent", "@ag-ui/client", "HttpAgent"],
];
for (const [name, from, what] of peers ? PEERS : []) {
  const outfile = join(out, "peers", `${from.replaceAll("/", "-")}.js`);
  const version = JSON.parse(readFileSync(join(root, "node_modules", from, "package.json"), "utf8")).version;
  await bundle({ stdin: { contents: `export { ${what} } from "${from}";`, resolveDir: root }, outfile, external: ["react", "react-dom"] });
  measure(`${name} (${version})`, "peer", readFileSync(outfile));
}
