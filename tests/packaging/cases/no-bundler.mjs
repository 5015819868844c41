// What needs no bundler: scripts and workers of a page, Node both ways, Deno, Bun, and a Worker at the edge.

import { readFile } from "node:fs/promises";
import { check, html, show } from "../support/app.mjs";
import { TOOLS, versionOf } from "../support/project.mjs";
import { serveWorker } from "../support/workerd.mjs";
import path from "node:path";

const IMPORTS = '<script type="importmap">{ "imports": { "threadfold": "/node_modules/threadfold/index.js" } }</script>';
const ANSWER = "check().then(tell, (error) => tell({ error: String(error) }));";
const AT = "/node_modules/threadfold/index.js";

const page = (name, files) => ({
  name,
  version: "chromium",
  run: async (world) => world.visit(await world.site((await world.project("page", files)).folder)),
});

const listen = (port) => `${port}.onmessage = ({ data }) => { document.querySelector("#result").textContent = JSON.stringify(data); };`;

async function server(world, program, files, args) {
  const project = await world.project("server", files);
  const said = await project.run(program, args);
  const file = await readFile(project.path("node_modules/threadfold/wasm/threadfold_bg.wasm"));
  return { result: JSON.parse(said), wasm: file.length };
}

const PRINT = "check().then((result) => console.log(JSON.stringify(result)));";
// What `import` and `require` are given is told apart only here; `fold` comes before `init` without waiting.
const REQUIRED = check("threadfold", "")
  .replace(/import (\{[^}]+\}) from "threadfold";/, 'const $1 = require("threadfold");')
  .replace("export async", "async");

async function workerd(world) {
  const project = await world.project("workerd", {
    "worker.js": `import { check } from "./check.js"; export default { fetch: async () => Response.json(await check()) };`,
    "check.js": check("threadfold", ""),
  });
  // What wrangler does: its conditions, and modules of wasm left to the platform under names of its own.
  const conditions = "--conditions=workerd,worker,browser";
  const bundle = ["worker.js", "--bundle", "--format=esm", conditions, "--external:*.wasm?module", "--outfile=dist/worker.js"];
  await project.tool("esbuild", [...bundle, "--log-level=error"]);
  const bundled = await readFile(project.path("dist/worker.js"), "utf8");
  await project.write({ "dist/worker.js": bundled.replaceAll('"../../wasm/', '"./wasm/') });
  const wasm = project.path("node_modules/threadfold/wasm");
  const server = await serveWorker(path.join(TOOLS, "node_modules/.bin/workerd"), project.path("dist/worker.js"), wasm);
  try {
    const answer = await (await fetch(server.address)).text();
    return { result: JSON.parse(answer), wasm: (await readFile(path.join(wasm, "threadfold_bg.wasm"))).length };
  } finally {
    await server.stop();
  }
}

const NODE = process.version.slice(1);
const IMPORTED = { "check.js": check("threadfold", ""), "main.js": `import { check } from "./check.js"; ${PRINT}` };
const BUN = path.join(TOOLS, "node_modules/.bin/bun");
const DENO = path.join(TOOLS, "node_modules/.bin/deno");

export default [
  page("<script type=module>, import map", { "index.html": html("/main.js", IMPORTS), "main.js": show(), "check.js": check() }),
  page("Worker, module", {
    "index.html": html("/main.js"),
    "check.js": check(AT),
    "worker.js": `import { check } from "./check.js"; const tell = (value) => postMessage(value); ${ANSWER}`,
    "main.js": `const worker = new Worker("/worker.js", { type: "module" }); ${listen("worker")}`,
  }),
  page("SharedWorker, module", {
    "index.html": html("/main.js"),
    "check.js": check(AT),
    "worker.js": `import { check } from "./check.js"; onconnect = ({ ports: [port] }) => { const tell = (value) => port.postMessage(value); ${ANSWER} };`,
    "main.js": `const { port } = new SharedWorker("/worker.js", { type: "module" }); ${listen("port")}`,
  }),
  { name: "Node, import", version: NODE, run: (world) => server(world, "node", IMPORTED, ["main.js"]) },
  { name: "Node, require", version: NODE, run: (world) => server(world, "node", { "main.cjs": `${REQUIRED} ${PRINT}` }, ["main.cjs"]) },
  { name: "Deno", version: versionOf("deno"), run: (world) => server(world, DENO, IMPORTED, ["run", "--allow-read", "main.js"]) },
  { name: "Bun", version: versionOf("bun"), run: (world) => server(world, BUN, IMPORTED, ["main.js"]) },
  { name: "workerd (Cloudflare Workers)", version: versionOf("workerd"), run: workerd },
];
