// The same page on the SDK's default transport, against the same host: a cut leaves half an answer, and a reload nothing.

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Page, threadOfAddress } from "./page.jsx";

const threadId = threadOfAddress();
const transport = new DefaultChatTransport({ api: `/v1/threads/${encodeURIComponent(threadId)}/ai-sdk?version=${AI_VERSION}` });

const sendAutomaticallyWhen = (options) =>
  lastAssistantMessageIsCompleteWithToolCalls(options) || lastAssistantMessageIsCompleteWithApprovalResponses(options);

function App() {
  const chat = useChat({ id: threadId, transport, sendAutomaticallyWhen });
  const note = (
    <p>
      <b>useChat on the SDK's default transport</b> · <a href="threadfold.html">the same page on threadfold</a>
    </p>
  );
  return <Page chat={chat} onStop={() => void chat.stop()} note={note} />;
}

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
