// webpack without any configuration but the entry, for production and for development.

import { check, html, show } from "../support/app.mjs";
import { versionOf } from "../support/project.mjs";

async function built(world, mode) {
  const project = await world.project("webpack", {
    "src/index.js": show(),
    "src/check.js": check(),
    "dist/index.html": html("/main.js"),
    "build.js": `
      import { createRequire } from "node:module";
      const webpack = createRequire(import.meta.url)("webpack");
      webpack({ mode: "${mode}" }, (error, stats) => {
        // It thinks any file over 244 KiB too big; nothing else may be amiss.
        const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
        const said = [error, ...errors, ...warnings].map((one) => one?.message).filter((one) => one && !/size limit|performance recommendations/.test(one));
        if (said.length > 0) throw new Error(said.join("\\n"));
      });`,
  });
  await project.run("node", ["build.js"]);
  return world.visit(await world.site(project.path("dist")));
}

const version = versionOf("webpack");

export default [
  { name: "webpack, production", version, run: (world) => built(world, "production") },
  { name: "webpack, development", version, run: (world) => built(world, "development") },
];
