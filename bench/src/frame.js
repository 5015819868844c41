// What the pages of the frame's measurement have in common: a list of messages that is drawn by React, and a pace.

import { createElement as h, memo } from "react";
import { createRoot } from "react-dom/client";

export const HISTORY = 1000;
const RATE = 200;

/** One message, with what its text is; drawn again only when the message is another. */
export const Message = memo(({ message, text }) => h("p", null, text(message)));

export function mount(element) {
  createRoot(document.getElementById("root")).render(element);
}

/** Calls `say(number)` at the pace, from timers, until the time is over; gives how many were said. */
export function paced(seconds, say) {
  return new Promise((resolve) => {
    const start = performance.now();
    let said = 0;
    const timer = setInterval(() => {
      const passed = performance.now() - start;
      for (const due = (Math.min(passed, seconds * 1000) * RATE) / 1000; said < due; said += 1) say(said);
      if (passed < seconds * 1000) return;
      clearInterval(timer);
      resolve(said);
    }, 1000 / RATE);
  });
}

/** The longest that a function took, of all its calls. */
export function watched(action) {
  const call = (...given) => {
    const start = performance.now();
    const value = action(...given);
    call.longest = Math.max(call.longest, performance.now() - start);
    return value;
  };
  call.longest = 0;
  return call;
}

export const word = (number) => (number % 12 === 11 ? "another.\n" : "a word ");
