// The AI SDK's hooks over a thread: a transport for `useChat`, and its first messages.

export { ThreadChatTransport } from "./src/adapters/chat-transport.js";
export { toUIMessages } from "./src/adapters/ui-messages.js";
