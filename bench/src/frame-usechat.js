// The same page over the AI SDK's hook.

import { createElement as h } from "react";
import { useChat } from "@ai-sdk/react";
import { log } from "./conversation.js";
import { HISTORY, Message, mount, paced, word } from "./frame.js";

const messages = log(HISTORY).messages.map(({ message: { role, content } }, at) => ({
  id: `m-${at}`,
  role: role === "User" ? "user" : "assistant",
  parts: [{ type: "text", text: content.map((block) => block.text ?? JSON.stringify(block)).join("") }],
}));

let controller;
const transport = {
  sendMessages: async () => new ReadableStream({ start: (given) => void (controller = given) }),
  reconnectToStream: async () => null,
};

const text = ({ parts }) => parts.map((part) => part.text ?? "").join("");

let say;
function Chat() {
  const chat = useChat({ messages, transport });
  say = chat.sendMessage;
  return chat.messages.map((message) => h(Message, { key: message.id, message, text }));
}

mount(h(Chat));
await new Promise((resolve) => setTimeout(resolve, 1000));
globalThis.ready = true;

globalThis.stream = async (seconds) => {
  say({ text: "go" });
  while (!controller) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.enqueue({ type: "start", messageId: "live" });
  controller.enqueue({ type: "start-step" });
  controller.enqueue({ type: "text-start", id: "0" });
  const deltas = await paced(seconds, (index) => controller.enqueue({ type: "text-delta", id: "0", delta: word(index) }));
  return { deltas, shown: document.querySelector("#root").lastChild.textContent.length };
};
