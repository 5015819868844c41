// A chat in React: the client is an external store, and settled lines are not rendered again.
import { memo, useEffect, useState, useSyncExternalStore } from "react";
import { ThreadClient, threadfold } from "threadfold";

const words = (part) => (part.type === "text" ? part.text : part.type === "tool_call" ? `${part.name}(${part.args}) ${part.state}` : part.type);

const Line = memo(function Line({ item, thread }) {
  return (
    <li className={`${item.kind} ${item.origin}`}>
      {item.parts?.map((part, number) => <p key={number}>{words(part)}</p>)}
      {item.kind === "failed" && <p>failed: {item.message}</p>}
      {item.kind === "awaiting" && !item.resolved && <Question item={item} thread={thread} />}
    </li>
  );
});

function Question({ item, thread }) {
  const answer = (approve) => thread.resume(item.pending_tool_use_id, { approve }, { runId: item.run_id }).catch(() => {});
  return (
    <p>
      May I {item.tool?.name ?? "go on"}? <button onClick={() => answer(true)}>Allow</button> <button onClick={() => answer(false)}>Refuse</button>
    </p>
  );
}

/** Needs no module yet, so it renders on a server as well; with a page given as `initial` it renders that. */
export function Chat({ thread }) {
  const { items, run, status } = useSyncExternalStore(thread.subscribe, () => thread.view, () => thread.view);
  const [text, setText] = useState("");
  useEffect(() => void thread.connect().catch(() => {}), [thread]);
  const submit = (event) => {
    event.preventDefault();
    thread.send(text).catch(() => {});
    setText("");
  };
  return (
    <>
      <ol>{items.map((item) => <Line key={item.key} item={item} thread={thread} />)}</ol>
      <p role="status">{status.state}{run && `, the run is ${run.state}`}</p>
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
        <button>Send</button>
      </form>
    </>
  );
}

export const open = (base, threadId) => new ThreadClient({ source: threadfold({ base, threadId }) });
