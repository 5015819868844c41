// What every entry exports.

export { ThreadClient } from "./client.js";
export { dsh } from "./dsh.js";
export { ThreadfoldError } from "./errors.js";
export { classify, fold, terminal } from "./functions.js";
export { init } from "./loader.js";
export { countItems, sliceItems } from "./mirror.js";
export { threadfold } from "./source.js";
export { createTranscoder } from "./transcode.js";
