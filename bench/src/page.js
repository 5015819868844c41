// The same measurement in a page: the driver calls `measure(task)`.

import { run } from "./run.js";

globalThis.measure = run;
