// React over the client: a view is already what `useSyncExternalStore` wants, so there is little to do.

import { useEffect, useState, useSyncExternalStore } from "react";

/** The view that a thread had when React first asked for it: what a server has rendered, as long as hydration runs. */
const first = new WeakMap();

export function useThread(thread, select = whole) {
  useEffect(() => {
    // The view's status tells of a failure.
    thread.connect().catch(() => {});
  }, [thread]);
  const get = () => select(thread.view);
  if (!first.has(thread)) first.set(thread, thread.view);
  return useSyncExternalStore(thread.subscribe, get, () => select(first.get(thread)));
}

export function useThreadClient(make, key) {
  const [held, hold] = useState(() => own(make, key));
  let now = held;
  if (held.key !== key) hold((now = own(make, key)));
  useEffect(() => {
    clearTimeout(now.leaving);
    // A component that was hidden for a while has lost its client meanwhile.
    if (now.left) hold(own(make, key));
    // Strict mode and fast refresh come back at once, and get the client that they left.
    return () => void (now.leaving = setTimeout(leave, 0, now));
  }, [now]);
  return now.client;
}

const whole = (view) => view;

const own = (make, key) => ({ client: make(), key, leaving: undefined, left: false });

function leave(held) {
  held.left = true;
  held.client.close();
}
