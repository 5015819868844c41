// Instantiates a module that was just built, as a check that engines take what the optimiser wrote, and writes the
// module a second time as text for the entry that loads no file. Arguments: the folder of glue and module, its name.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, name] = process.argv.slice(-2);
const bytes = readFileSync(join(folder, `${name}_bg.wasm`));
const { initSync } = await import(pathToFileURL(join(folder, `${name}.js`)).href);
const exports = initSync({ module: new WebAssembly.Module(bytes) });
writeFileSync(
  join(folder, `${name}_inline.js`),
  `/** The module's bytes. */\nexport const base64 =\n  "${bytes.toString("base64")}";\n`,
);
console.log(`   instantiated ${name}: ${bytes.length} bytes, ${Object.keys(exports).length} exports`);
