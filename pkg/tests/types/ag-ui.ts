// Compiled, not run: what an app on AG-UI writes.

import type { AbstractAgent, Message } from "@ag-ui/client";
import { threadfold, ThreadClient } from "threadfold";
import { ThreadAgent, toAgUiMessages } from "threadfold/ag-ui";

const thread = new ThreadClient({ source: threadfold({ base: "/v1", threadId: "t1" }) });
const messages: Message[] = toAgUiMessages(thread);
const agent = new ThreadAgent({ thread, threadId: "t1", initialMessages: messages, onActive: "queue" });
export const stock: AbstractAgent = agent.clone();

export async function answer() {
  await agent.connectAgent();
  const [interrupt] = agent.pendingInterrupts;
  if (interrupt) await agent.runAgent({ resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: true } }] });
  await agent.detachActiveRun();
}

// @ts-expect-error An agent needs a thread.
new ThreadAgent({});
