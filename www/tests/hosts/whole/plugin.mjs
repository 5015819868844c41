// A plugin for the host under test. The host's package lacks one module of its own, by which a person picks a folder on
// the host's machine; what imports it is not loaded, and with it the host's own page shows no session. Here that module
// resolves to one that picks nothing.

import { registerHooks } from "node:module";

const LACKING = "@deepseek-ai/dsh-host-directory-picker";
const picker = new URL("picker.mjs", import.meta.url).href;

/** Who imports it: what the picker itself imports is resolved from there, inside of the host's package. */
let importer;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === LACKING) {
      importer = context.parentURL;
      return { url: picker, format: "module", shortCircuit: true };
    }
    return next(specifier, context.parentURL === picker ? { ...context, parentURL: importer } : context);
  },
});

export const name = "threadfold-whole";
export function apply() {}
