// What is measured: every case with its contenders, and the series that must not grow.

const ALL = ["threadfold", "floor", "ai", "ag-ui", "langgraph"];
const BOTH = ["threadfold", "floor"];
const END = { size: 1024 };

/** Where a case is measured: all in Node, and in Chromium those that a page does otherwise than Node. */
const NODE = ["node"];

/** Cases: a contender's time is set beside threadfold's. `bound` is the least ratio of theirs to ours that is to be had. */
export const CASES = [
  { name: "mixed", what: "16,000 recorded fragments, 1 KiB pieces", task: { ...END, workload: ["mixed", 16000] }, contenders: ALL, bounds: { floor: 1, ai: 50, "ag-ui": 25 } },
  { name: "mixed-1460", places: NODE, what: "the same in 1,460-byte pieces", task: { ...END, size: 1460, workload: ["mixed", 16000] }, contenders: BOTH },
  { name: "mixed-64", what: "the same in 64-byte pieces", task: { ...END, size: 64, workload: ["mixed", 16000] }, contenders: BOTH },
  { name: "mixed-cold", places: NODE, what: "the same as the page's first answer, nothing compiled", task: { ...END, cold: true, workload: ["mixed", 16000] }, contenders: BOTH },
  { name: "mixed-frames", what: "2,000 fragments, each with a frame of its own", task: { ...END, size: 0, frames: "each", workload: ["mixed", 2000] }, contenders: ALL },
  { name: "mixed-history", places: NODE, what: "2,000 fragments after 1,000 messages", task: { ...END, workload: ["mixed", 2000, 1000] }, contenders: ["threadfold", "floor", "ag-ui"] },
  { name: "ascii", what: "4,000 fragments of ASCII text, 1,460-byte pieces", task: { ...END, size: 1460, workload: ["text", 4000, "ascii"] }, contenders: ALL },
  { name: "cjk", places: NODE, what: "4,000 fragments of CJK text, 1,460-byte pieces", task: { ...END, size: 1460, workload: ["text", 4000, "cjk"] }, contenders: ALL },
  { name: "arguments", places: NODE, what: "one call of 2,000 fragments, 1,460-byte pieces", task: { ...END, size: 1460, workload: ["call", 2000] }, contenders: ALL },
  { name: "fold", places: NODE, what: "the Facts of 10,000 messages; the floor is JSON.parse", task: { task: "foldLog", messages: 10000 }, contenders: BOTH },
  { name: "first-read", what: "the first view of 10,000 messages, the last 200 items looked at; the floor is JSON.parse", task: { task: "firstRead", messages: 10000 }, contenders: BOTH, bounds: { floor: 0.5 } },
  { name: "first-read-all", what: "the same, all items looked at", task: { task: "firstRead", messages: 10000, shown: 10000 }, contenders: BOTH },
  { name: "start", what: "compile, instantiate, first Fact", task: { task: "start" }, contenders: ["threadfold"] },
];

const delta = (given) => ({ task: "delta", ...given });
const recovery = (fresh) => (messages) => ({ task: "recovery", messages, fresh });

/** Series: each point's figure over the first one's is to stay within the bound, if there is one, where `to` says the point that it holds for. */
export const SERIES = [
  { name: "history", what: "a Delta with its frame, by messages of history", unit: "µs", points: [0, 100, 1000, 5000], task: (history) => delta({ history }), bound: 1.2, to: 1000 },
  { name: "history-all", what: "the same, where the page looks at the list of all items with each frame", unit: "µs", points: [0, 100, 1000, 5000], task: (history) => delta({ history, all: true }), to: 1000 },
  { name: "arguments", what: "a Delta with its frame, by bytes of arguments before it", unit: "µs", points: [1, 10_000, 100_000, 1_000_000], task: (before) => delta({ before }), bound: 1.2, to: 100_000 },
  { name: "lanes", what: "a Delta with its frame, by calls that stream in turn", unit: "µs", points: [1, 4, 16, 64], task: (calls) => delta({ calls }), bound: 1.2, to: 64 },
  { name: "recovery-0", places: NODE, what: "from a loss to nothing new, by messages", unit: "ms", points: [1000, 10_000, 100_000], task: recovery(0), bound: 1.2, to: 100_000 },
  { name: "recovery-10", what: "from a loss to 10 new messages, by messages", unit: "ms", points: [1000, 10_000, 100_000], task: recovery(10), bound: 1.2, to: 100_000 },
  { name: "recovery-1000", places: NODE, what: "from a loss to 1,000 new messages, by messages", unit: "ms", points: [1000, 10_000, 100_000], task: recovery(1000), bound: 1.2, to: 100_000 },
  { name: "deltas", places: NODE, most: 3, what: "memory without the text of 1 MB that module and page hold, by Deltas that bring it", unit: "MB", points: [10_000, 100_000, 1_000_000], task: (deltas) => ({ task: "memoryOfDeltas", deltas }), bound: 1.2, to: 1_000_000 },
  { name: "cycles", places: NODE, most: 3, what: "memory, by clients opened and closed", unit: "MB", points: [100, 1000, 10_000], task: (cycles) => ({ task: "memoryOfCycles", cycles }), bound: 1.2, to: 10_000 },
];
