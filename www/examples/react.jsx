// A thread's own view in React: `useThread`, and a memoised component for each item.

import { memo, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { threadfold, ThreadClient } from "threadfold";
import { useThread, useThreadClient } from "threadfold/react";
import { threadOfAddress } from "./page.jsx";

const renders = (window.renders = new Map());
/** Every client that was made; the tests look at what became of them. */
const made = (window.made = []);

const Item = memo(({ item }) => {
  renders.set(item.key, (renders.get(item.key) ?? 0) + 1);
  const { key, kind, origin } = item;
  return (
    <article data-key={key} data-role={kind === "user" ? "user" : "assistant"} data-origin={origin} data-kind={kind}>
      {(item.parts ?? []).map((part, number) => (
        <p key={number} data-part={part.type}>
          {part.type === "tool_call" ? `${part.name} ${part.args}` : (part.text ?? `[${part.type}]`)}
        </p>
      ))}
      {kind === "failed" && <p className="bad">{item.message}</p>}
    </article>
  );
});

function Thread({ threadId }) {
  const thread = useThreadClient(() => {
    const client = new ThreadClient({ source: threadfold({ base: "/v1", threadId }) });
    made.push(client);
    return client;
  }, threadId);
  const items = useThread(thread, (view) => view.items);
  const status = useThread(thread, (view) => view.status.state);
  const [draft, setDraft] = useState("");
  const send = (event) => {
    event.preventDefault();
    setDraft("");
    // The view has the message, with what became of it.
    thread.send(draft, { onActive: "queue" }).then(() => thread.connect()).catch(() => {});
  };
  return (
    <main data-status={status}>
      <header>
        <p>
          <b>useThread</b> · connection: <span id="connection">{status}</span>
        </p>
      </header>
      <section aria-label="Messages" id="messages">
        {items.map((item) => (
          <Item key={item.key} item={item} />
        ))}
      </section>
      <form onSubmit={send}>
        <input id="draft" aria-label="Message" autoComplete="off" placeholder="Message" value={draft} onChange={(event) => setDraft(event.target.value)} />
        <button id="send">Send</button>
      </form>
    </main>
  );
}

const first = threadOfAddress();

function App() {
  const [threadId, setThreadId] = useState(first);
  // For the tests: another thread, or none.
  window.show = setThreadId;
  return threadId === null ? <p>Nothing is followed.</p> : <Thread threadId={threadId} />;
}

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
