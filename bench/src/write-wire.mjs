// Writes threadfold's wire of the mixed run to a file, for the counter of instructions. Arguments: fragments, history, file.
import { writeFileSync } from "node:fs";
import { mixed } from "./conversation.js";
import { page, rows, write } from "./wires.js";

const [fragments, history, file] = process.argv.slice(2);
const conversation = mixed(Number(fragments), Number(history));
writeFileSync(file, write("threadfold", conversation).join(""));
writeFileSync(`${file}.page`, JSON.stringify(page(rows(conversation))));
