export { countItems, sliceItems, fold, init, ThreadClient, threadfold } from "../../pkg/index.js";
