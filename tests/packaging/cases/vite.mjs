// Vite without any configuration: development server, build, preview; and a worker.

import { check, html, show } from "../support/app.mjs";
import { versionOf } from "../support/project.mjs";

const FILES = { "index.html": html("/main.js"), "main.js": show(), "check.js": check() };
const WORKER = {
  "index.html": html("/main.js"),
  "check.js": check(),
  "worker.js": 'import { check } from "./check.js"; check().then(postMessage, (error) => postMessage({ error: String(error) }));',
  "main.js": `
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onerror = (event) => document.querySelector("#result").textContent = JSON.stringify({ error: event.message });
    worker.onmessage = ({ data }) => document.querySelector("#result").textContent = JSON.stringify(data);`,
};
const SERVER = ["--host", "127.0.0.1", "--port", "0"];

const cli = (tool) => `${tool}/bin/vite.js`;

async function dev(world, tool, files) {
  const project = await world.project("vite-dev", files);
  return world.visit(await project.serve(cli(tool), SERVER));
}

async function built(world, tool, files, args = []) {
  const project = await world.project("vite-build", files);
  await project.tool(cli(tool), ["build", "--logLevel", "warn", ...args]);
  return world.visit(await project.serve(cli(tool), ["preview", ...SERVER]));
}

const of = (tool) => [
  { shows: "W01: ", name: "vite dev", version: versionOf(tool), run: (world) => dev(world, tool, FILES) },
  { shows: "W01: ", name: "vite build, preview", version: versionOf(tool), run: (world) => built(world, tool, FILES) },
];

export default [
  ...of("vite"),
  { shows: "W07: ", name: "vite dev, worker", version: versionOf("vite"), run: (world) => dev(world, "vite", WORKER) },
  { shows: "W07: ", name: "vite build, worker", version: versionOf("vite"), run: (world) => built(world, "vite", { ...WORKER, "vite.config.js": 'export default { worker: { format: "es" } };' }) },
  ...of("vite-7"),
  ...of("vite-6"),
];
