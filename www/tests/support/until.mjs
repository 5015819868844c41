// @ts-check
// Waiting for something to become true, without asserting how long it takes.

/** More than anything here takes on the slowest machine; who waits longer has failed. */
export const PATIENCE = 60_000;

/**
 * The first answer of `look` that is not undefined, null or false.
 * @template T
 * @param {string | (() => string)} what For the message of a failure.
 * @param {() => T | Promise<T>} look
 * @param {number} [patience] Milliseconds.
 * @returns {Promise<Exclude<Awaited<T>, undefined | null | false>>}
 */
export async function until(what, look, patience = PATIENCE) {
  const end = performance.now() + patience;
  for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return /** @type {any} */ (found);
    if (performance.now() > end) throw new Error(`in vain for ${patience} ms: ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
