// AG-UI over a thread: an agent, and its first messages.

export { toAgUiMessages } from "./src/adapters/ag-ui-messages.js";
export { ThreadAgent } from "./src/adapters/thread-agent.js";
