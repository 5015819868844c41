// How a case says that something is not as it must be.

/** What a case throws when the backend is at fault; anything else is a fault of the kit or the network. */
export class Fault extends Error {}

/** What a case throws when the backend did not come to where the case looks. */
export class NotExercised extends Error {}

export function expect(holds, sentence) {
  if (!holds) throw new Fault(sentence);
}

export function same(actual, wanted, what) {
  const [a, b] = [stable(actual), stable(wanted)];
  if (a !== b) throw new Fault(`${what} is ${short(a)}, and should be ${short(b)}`);
}

export const show = (value) => short(JSON.stringify(value) ?? String(value));

export const isInteger = (value, least = 0) => Number.isSafeInteger(value) && value >= least;

const short = (text) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** JSON text in which the order of keys does not matter. */
function stable(value) {
  if (Array.isArray(value)) return `[${value.map(stable).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "undefined";
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${stable(value[key])}`).join(",")}}`;
}
