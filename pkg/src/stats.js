// What a client that did nothing yet has counted.

const NAMES = [
  "frames", "deltas", "duplicates", "gaps", "reopens", "openings", "losses", "reads", "commits", "records", "facts",
  "malformed", "unknown", "anomalies", "replaced_halves", "bytes",
];

export const NO_STATS = Object.freeze(Object.fromEntries(NAMES.map((name) => [name, 0])));
