// A measurement in a process of its own. Argument: the task as JSON; its figures are printed as JSON.
import { run } from "./run.js";

console.log(JSON.stringify(await run(JSON.parse(process.argv[2]))));
process.exit(0);
