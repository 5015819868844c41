// Instantiates the module that was just built, as a check that engines take what the optimiser wrote, and writes the
// module a second time as text for the entry that loads no file. Argument: the folder of the glue and the module.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv.at(-1);
const bytes = readFileSync(join(folder, "threadfold_bg.wasm"));
const { initSync } = await import(pathToFileURL(join(folder, "threadfold.js")).href);
const exports = initSync({ module: new WebAssembly.Module(bytes) });
writeFileSync(
  join(folder, "threadfold_inline.js"),
  `/** The module's bytes. */\nexport const base64 =\n  "${bytes.toString("base64")}";\n`,
);
console.log(`   instantiated: ${bytes.length} bytes, ${Object.keys(exports).length} exports`);
