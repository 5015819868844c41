// What both chats look like: a stock `useChat` page, which knows nothing of how its messages come.

import { memo, useLayoutEffect, useRef, useState } from "react";

/** So often each message was rendered; the tests read it. */
const renders = (window.renders = new Map());

const COLOURS = ["teal", "indigo", "plum", "crimson", "amber"];

/** @param {{ chat: import("@ai-sdk/react").UseChatHelpers<any>, onStop: () => unknown, note: import("react").ReactNode }} props */
export function Page({ chat, onStop, note }) {
  const { messages, status, error, addToolApprovalResponse, addToolOutput } = chat;
  const busy = status === "submitted" || status === "streaming";
  useFollowingEnd(messages);
  return (
    <main data-status={status}>
      <header>
        {note}
        <Breakers />
      </header>
      <section aria-label="Messages" id="messages">
        {messages.length === 0 && <p className="empty">Say something: /plain, /tools, /approve, /client-tool, /slow, /fail or anything else.</p>}
        {messages.map((message) => (
          <Message key={message.id} message={message} onApproval={addToolApprovalResponse} onOutput={addToolOutput} />
        ))}
      </section>
      {error && <p role="alert">{error.message}</p>}
      <p className="status" role="status">
        {{ submitted: "Waiting for the answer", streaming: "Answering", ready: "Ready", error: "Something went wrong" }[status]}
      </p>
      <Composer busy={busy} onSend={(text) => void chat.sendMessage({ text })} onStop={onStop} />
    </main>
  );
}

/** Keeps the end in sight for who looks at it. */
function useFollowingEnd(messages) {
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const look = () => (atEnd.current = innerHeight + scrollY >= document.body.scrollHeight - 40);
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    if (atEnd.current) scrollTo(0, document.body.scrollHeight);
  }, [messages]);
}

const Message = memo(({ message, onApproval, onOutput }) => {
  const { id, role, parts } = message;
  renders.set(id, (renders.get(id) ?? 0) + 1);
  return (
    <article data-message={id} data-role={role}>
      {parts.map((part, number) => (
        <Part key={number} part={part} onApproval={onApproval} onOutput={onOutput} />
      ))}
    </article>
  );
});

function Part({ part, onApproval, onOutput }) {
  if (part.type === "text") return <p data-part="text">{part.text}</p>;
  if (part.type === "reasoning") return <p data-part="reasoning">{part.text}</p>;
  if (part.type === "dynamic-tool") return <Call part={part} onApproval={onApproval} onOutput={onOutput} />;
  return null;
}

function Call({ part, onApproval, onOutput }) {
  const { toolCallId, toolName, state, input, output, errorText, approval, providerExecuted } = part;
  return (
    <div data-part="tool" data-state={state}>
      <code>
        {toolName} {input === undefined ? "" : JSON.stringify(input)}
      </code>
      {state === "approval-requested" && (
        <p>
          <button type="button" onClick={() => void onApproval({ id: approval.id, approved: true })}>Allow</button>
          <button type="button" className="quiet" onClick={() => void onApproval({ id: approval.id, approved: false })}>Deny</button>
        </p>
      )}
      {state === "input-available" && providerExecuted === false && (
        <p>
          {COLOURS.map((colour) => (
            <button type="button" className="quiet" key={colour} onClick={() => void onOutput({ tool: toolName, toolCallId, output: colour })}>
              {colour}
            </button>
          ))}
        </p>
      )}
      {output !== undefined && <samp>{typeof output === "string" ? output : JSON.stringify(output)}</samp>}
      {errorText !== undefined && <samp className="bad">{errorText}</samp>}
    </div>
  );
}

function Composer({ busy, onSend, onStop }) {
  const [draft, setDraft] = useState("");
  const send = (event) => {
    event.preventDefault();
    if (draft.trim() === "" || busy) return;
    onSend(draft);
    setDraft("");
  };
  return (
    <form onSubmit={send}>
      <input id="draft" aria-label="Message" autoComplete="off" placeholder="Message" value={draft} onChange={(event) => setDraft(event.target.value)} />
      {busy ? <button type="button" id="stop" onClick={onStop}>Stop</button> : <button id="send">Send</button>}
    </form>
  );
}

/** What the reference host lets its own pages do to it. */
function Breakers() {
  const ask = (path) => void fetch(`/admin/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }).catch(() => {});
  return (
    <p className="breakers">
      <button type="button" className="quiet" id="cut" onClick={() => ask("cut")}>Cut the wire</button>
      <button type="button" className="quiet" id="kill" onClick={() => ask("exit")}>Kill the host</button>
      <button type="button" className="quiet" id="reload" onClick={() => location.reload()}>Reload</button>
    </p>
  );
}

/** The thread's name in the address, so that a reload comes back to it. */
export function threadOfAddress() {
  const address = new URL(location.href);
  const threadId = address.searchParams.get("thread") ?? `example-${crypto.randomUUID().slice(0, 8)}`;
  address.searchParams.set("thread", threadId);
  history.replaceState(null, "", address);
  return threadId;
}
