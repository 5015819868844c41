export { default } from "../../pkg/wasm/threadfold.js";
