// Parcel from an HTML page, without any configuration.

import { check, html, show } from "../support/app.mjs";
import { versionOf } from "../support/project.mjs";

async function built(world) {
  const project = await world.project("parcel", { "index.html": html("./main.js"), "main.js": show(), "check.js": check() });
  await project.tool("parcel", ["build", "index.html", "--no-cache", "--no-source-maps", "--log-level", "warn"]);
  return world.visit(await world.site(project.path("dist")));
}

export default [{ name: "parcel build", version: versionOf("parcel"), run: built }];
