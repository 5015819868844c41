// Compiled, not run: what an app on the AI SDK writes, with the types of either version.

import { useChat } from "@ai-sdk/react";
import type { ChatTransport, UIMessage } from "ai";
import { threadfold, ThreadClient } from "threadfold";
import { ThreadChatTransport, toUIMessages } from "threadfold/ai-sdk";

type Own = UIMessage<{ seen: boolean }>;

const thread = new ThreadClient({ source: threadfold({ base: "/v1", threadId: "t1" }) });
const transport = new ThreadChatTransport<Own>({ thread, version: 7, onActive: "queue", abort: "cancel", reasoning: false });
export const stock: ChatTransport<Own> = transport;

export function Page() {
  const chat = useChat<Own>({ transport, messages: toUIMessages<Own>(thread), resume: true });
  const stop: () => void = transport.follow(chat);
  void transport.stop().then(({ run_id }) => run_id);
  return stop;
}

// @ts-expect-error There is no such version.
new ThreadChatTransport({ thread, version: 5 });
// @ts-expect-error A transport needs a thread.
new ThreadChatTransport({});
