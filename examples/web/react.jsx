// A chat in React: a provider that shows nothing itself holds the thread, and settled lines keep their identity, so a memo
// is enough for them not to be rendered again.
import { createContext, memo, useContext, useState } from "react";
import { ThreadClient, threadfold } from "threadfold";
import { useThread, useThreadClient } from "threadfold/react";

const Thread = createContext(null);

/** Needs no module yet, so it renders on a server as well; with a page given as `initial` it renders that. */
export function ThreadProvider({ base, threadId, children }) {
  const thread = useThreadClient(() => new ThreadClient({ source: threadfold({ base, threadId }) }), threadId);
  return <Thread.Provider value={thread}>{children}</Thread.Provider>;
}

const words = (part) => (part.type === "text" ? part.text : part.type === "tool_call" ? `${part.name}(${part.args}) ${part.state}` : part.type);

const Line = memo(function Line({ item }) {
  return (
    <li className={`${item.kind} ${item.origin}`}>
      {item.parts?.map((part, number) => <p key={number}>{words(part)}</p>)}
      {item.kind === "failed" && <p>failed: {item.message}</p>}
      {item.kind === "awaiting" && !item.resolved && <Question item={item} />}
    </li>
  );
});

function Question({ item }) {
  const thread = useContext(Thread);
  const answer = (approve) => thread.resume(item.pending_tool_use_id, { approve }, { runId: item.run_id }).catch(() => {});
  return (
    <p>
      May I {item.tool?.name ?? "go on"}? <button onClick={() => answer(true)}>Allow</button> <button onClick={() => answer(false)}>Refuse</button>
    </p>
  );
}

function Conversation() {
  const thread = useContext(Thread);
  const { items, run, status } = useThread(thread);
  const [text, setText] = useState("");
  const submit = (event) => {
    event.preventDefault();
    thread.send(text).catch(() => {});
    setText("");
  };
  return (
    <>
      <ol>{items.map((item) => <Line key={item.key} item={item} />)}</ol>
      <p role="status">{status.state}{run && `, the run is ${run.state}`}</p>
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
        <button>Send</button>
      </form>
    </>
  );
}

export const Chat = (options) => <ThreadProvider {...options}><Conversation /></ThreadProvider>;
