// A module that the platform has compiled already.

/** Next's edge hands out a module of another realm, which the glue would take for bytes. */
export const compiled = (module) => (module instanceof WebAssembly.Module ? module : Object.setPrototypeOf(module, WebAssembly.Module.prototype));
