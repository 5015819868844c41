// @ts-check
// Keeps the end in sight for a reader who is at the end, and leaves everyone else where they are.

import { byId } from "./dom.js";

/** Pixels from the end that still count as being there. */
const NEAR = 40;

/**
 * @returns {{ toEnd: () => void, grew: () => void }} `toEnd` jumps; `grew` is called after the content changed.
 */
export function stickyScroll() {
  const scroller = byId("scroller");
  const button = byId("to-end");
  const items = byId("items");
  let stuck = true;
  let height = 0;

  const toEnd = () => {
    stuck = true;
    // An empty thread begins at its beginning.
    if (items.childElementCount === 0) return;
    scroller.scrollTop = scroller.scrollHeight;
    button.hidden = true;
  };
  const grew = () => {
    if (stuck) toEnd();
    else if (scroller.scrollHeight > height + NEAR) button.hidden = false;
  };
  scroller.addEventListener(
    "scroll",
    () => {
      stuck = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
      height = scroller.scrollHeight;
      if (stuck) button.hidden = true;
    },
    { passive: true },
  );
  button.addEventListener("click", toEnd);
  // The keyboard of a phone, a resized window, a composer that grew: the end stays in sight.
  new ResizeObserver(() => {
    if (stuck) toEnd();
  }).observe(scroller);
  return { toEnd, grew };
}
