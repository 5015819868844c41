// One measurement in a process or page of its own: `run(task)` gives its figures.

import * as tasks from "./tasks.js";
import { sample } from "./sample.js";

const CONTENDERS = {
  threadfold: () => import("./contenders/threadfold.js"),
  floor: () => import("./contenders/floor.js"),
  ai: () => import("./contenders/ai.js"),
  "ag-ui": () => import("./contenders/ag-ui.js"),
  langgraph: () => import("./contenders/langgraph.js"),
};

export async function run({ task, contender, ...given }) {
  if (task) return tasks[task]({ contender, ...given });
  return sample({ ...given, contender: await CONTENDERS[contender]() });
}
