// Text that goes to the module: as bytes, since the glue's own way is a loop over characters.

const ENCODER = new TextEncoder();
const NONE = new Uint8Array();

/** The UTF-8 bytes of a text; bytes as they are. */
export const bytesOf = (text) => (text === "" ? NONE : typeof text === "string" ? ENCODER.encode(text) : text);
