// The bytes of a module, out of the script that carries them.

export const decode = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
