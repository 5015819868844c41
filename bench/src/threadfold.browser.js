export { fold, init, ThreadClient, threadfold } from "../../pkg/index.js";
