// @ts-check
// The faults that the host can inject, as the tests ask for them.

/**
 * @typedef {object} FaultCase
 * @property {string} spec The host's words for it.
 * @property {boolean} [openings] It strikes openings of the stream, so that a session needs one to be struck.
 * @property {number} [patience] Milliseconds that it may take to get over it, where that is long: a client that has seen
 *   no ping yet believes in the contract's fifteen seconds.
 * @property {boolean} [strikesReads] Committed reads fail too, and are repeated.
 */

/** By the name that is given to `--fault`. @type {Readonly<Record<string, FaultCase>>} */
export const FAULTS = Object.freeze({
  drop: { spec: "drop:0.2" },
  duplicate: { spec: "duplicate:0.3" },
  reorder: { spec: "reorder:0.2" },
  delay: { spec: "delay:15" },
  cut: { spec: "cut:700*7" },
  "cut-utf8": { spec: "cut-utf8*3" },
  "cut-last": { spec: "cut-last*2" },
  "half-open": { spec: "half-open:5*2", openings: true, patience: 90_000 },
  "status-401": { spec: "status-401*2", openings: true, strikesReads: true },
  "status-404": { spec: "status-404*2", openings: true, strikesReads: true },
  "status-503": { spec: "status-503*3", openings: true, strikesReads: true },
  "status-204": { spec: "status-204*2", openings: true, strikesReads: true },
  html: { spec: "html*3", openings: true, strikesReads: true },
  stale: { spec: "drop:0.3,stale:600", strikesReads: true },
  epoch: { spec: "epoch:8*2" },
});

/** A fault by its name, or by the host's own words. @param {string} name @returns {FaultCase} */
export function faultSpec(name) {
  return FAULTS[name] ?? { spec: name, strikesReads: /status|html|stale|@read/.test(name) };
}
