// A stock `useChat` page on threadfold's transport: whatever happens to the wire, it shows what was committed.

import { useChat } from "@ai-sdk/react";
import { StrictMode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { threadfold, ThreadClient } from "threadfold";
import { ThreadChatTransport, toUIMessages } from "threadfold/ai-sdk";
import { useThread } from "threadfold/react";
import { Page, threadOfAddress } from "./page.jsx";

const threadId = threadOfAddress();
const thread = new ThreadClient({ source: threadfold({ base: "/v1", threadId }) });
// AI_VERSION is the major version of `ai` that this page is built with.
const transport = new ThreadChatTransport({ thread, version: AI_VERSION });

const { sendAutomaticallyWhen } = transport;

function App({ first }) {
  const chat = useChat({ id: threadId, transport, messages: first, resume: true, sendAutomaticallyWhen });
  const { resumeStream, setMessages } = chat;
  useEffect(() => transport.follow({ resumeStream, setMessages }), [resumeStream, setMessages]);
  const connection = useThread(thread, ({ status }) => (status.code === "not_found" ? "no thread yet" : status.state));
  const note = (
    <p>
      <b>useChat on threadfold</b> · connection: <span id="connection">{connection}</span> ·{" "}
      <a href="stock.html">the same page on the SDK's default transport</a>
    </p>
  );
  // Nothing runs any more, or the connection says what is wrong.
  return <Page chat={chat} onStop={() => void transport.stop().catch(() => {})} note={note} />;
}

// A thread that is not there yet begins with the first message.
await thread.connect().catch(() => {});
createRoot(document.getElementById("root")).render(
  <StrictMode>
    <App first={toUIMessages(thread)} />
  </StrictMode>,
);
