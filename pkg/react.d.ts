// React hooks over a thread's client. `react` is an optional peer dependency of this entry alone.

import type { ThreadClient, View } from "./index.js";

/**
 * The thread's view, rendered anew when it changes. What did not change keeps its identity, so a memoised component of an
 * item renders once more only when that item changed. Connects the thread when it is mounted, and leaves closing it to
 * whoever made it. On a server and while a page hydrates it is the view that the client has then; give the client an
 * `initial` page on both sides.
 */
export function useThread(thread: ThreadClient): View;
/**
 * A piece of the view, rendered anew when that piece is another.
 * @param select Gives something that is in the view, or a primitive value; what it makes anew each time would never rest.
 */
export function useThread<T>(thread: ThreadClient, select: (view: View) => T): T;

/**
 * A client that lives as long as the component: made on the first render and when `key` changes, closed after the
 * component is gone. Strict mode's second mount keeps it.
 * @param key A primitive value, such as the thread's id.
 */
export function useThreadClient(make: () => ThreadClient, key?: string | number): ThreadClient;
