// Next.js with both of its bundlers: a client component (rendered on the server too), a server component, a route
// handler in Node and one at the edge.

import assert from "node:assert/strict";
import { check, WANTED } from "../support/app.mjs";
import { TOOLS, versionOf } from "../support/project.mjs";

const route = (runtime) => `
import { check } from "../../check-${runtime}.js";
export const runtime = "${runtime}";
export const dynamic = "force-dynamic";
export const GET = async () => Response.json(await check());
`;

const FILES = {
  "next.config.mjs": `export default { turbopack: { root: ${JSON.stringify(TOOLS)} }, outputFileTracingRoot: ${JSON.stringify(TOOLS)} };`,
  "check-client.js": check(),
  "check-nodejs.js": check(),
  // A compiled module needs no waiting.
  "check-edge.js": check("threadfold", ""),
  "app/layout.js": "export default function Layout({ children }) { return <html lang='en'><body>{children}</body></html>; }",
  "app/page.js": `
    "use client";
    import { useEffect, useState } from "react";
    import { ThreadClient, threadfold } from "threadfold";
    import { check } from "../check-client.js";
    export default function Page() {
      const [thread] = useState(() => new ThreadClient({ source: threadfold({ base: "/v1", threadId: "t1" }) }));
      const [result, setResult] = useState("");
      useEffect(() => void check().then(JSON.stringify, (error) => JSON.stringify(String(error))).then(setResult), []);
      return <><p id="status">{thread.view.status.state}</p><pre id="result">{result}</pre></>;
    }`,
  "app/server/page.js": `
    import { check } from "../../check-nodejs.js";
    export const dynamic = "force-dynamic";
    export default async function Page() { return <pre id="result">{JSON.stringify(await check())}</pre>; }`,
  "app/route/route.js": route("nodejs"),
};

async function built(world, bundler, edge) {
  const project = await world.project("next", edge ? { ...FILES, "app/edge/route.js": route("edge") } : FILES);
  await project.tool("next", ["build", bundler]);
  const address = await project.serve("next", ["start", "--hostname", "127.0.0.1", "--port", "0"]);
  const html = await (await fetch(address)).text();
  assert.match(html, /<p id="status">idle<\/p>/, "the client component is rendered on the server");
  for (const route of edge ? ["/route", "/edge"] : ["/route"]) {
    const answer = await (await fetch(address + route)).text();
    assert.deepEqual(JSON.parse(answer), WANTED, route);
  }
  const server = await world.visit(`${address}/server`);
  assert.deepEqual(server.result, WANTED, "the server component");
  return world.visit(address);
}

const version = versionOf("next");

export default [
  { shows: "W03: ", name: "Next.js, Turbopack", version, run: (world) => built(world, "--turbopack", true) },
  {
    shows: "W03: ",
    name: "Next.js, webpack",
    version,
    why: "not at the edge: this version's own webpack build of an edge route ends with a missing client-reference-manifest",
    run: (world) => built(world, "--webpack", false),
  },
];
