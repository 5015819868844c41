// Which version of a client is installed.

import { readFileSync } from "node:fs";

export const versionOf = (name) =>
  JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url))).version;
