export { fold, init, ThreadClient, threadfold } from "../../pkg/node.js";
