// Compiled, not run: what a React app writes.

import { memo } from "react";
import { threadfold, ThreadClient, type Item } from "threadfold";
import { useThread, useThreadClient } from "threadfold/react";

const Line = memo(({ item }: { item: Item }) => <p>{item.kind}</p>);

export function Page({ thread }: { thread: ThreadClient }) {
  const view = useThread(thread);
  const state: string = useThread(thread, ({ status }) => status.state);
  return <main data-state={state}>{view.items.map((item) => <Line key={item.key} item={item} />)}</main>;
}

export function App({ threadId }: { threadId: string }) {
  const thread = useThreadClient(() => new ThreadClient({ source: threadfold({ base: "/v1", threadId }) }), threadId);
  return <Page thread={thread} />;
}

// @ts-expect-error A view has no such field.
export const Wrong = ({ thread }: { thread: ThreadClient }) => useThread(thread, ({ nothing }) => nothing);
