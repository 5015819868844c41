// The React entry on a server. What a browser does with it is in www/tests.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { init, ThreadClient } from "../node.js";
import { useThread, useThreadClient } from "../react.js";
import { Host } from "./support/host.mjs";

const texts = (view) => view.items.filter((item) => item.parts).map((item) => item.parts[0].text);

function Lines({ thread }) {
  return createElement("p", null, texts(useThread(thread)).join("|"));
}

test("a server renders what the client has, and connects nothing", async () => {
  await init();
  const host = new Host();
  host.send({ input: { message_id: "m1", content: [{ type: "text", text: "hello" }] } });
  host.answer("Hello");
  const empty = new ThreadClient({ source: host.source() });
  assert.equal(renderToString(createElement(Lines, { thread: empty })), "<p></p>");
  const filled = new ThreadClient({ source: host.source(), initial: host.page() });
  assert.equal(renderToString(createElement(StrictMode, null, createElement(Lines, { thread: filled }))), "<p>hello|Hello</p>");
  assert.deepEqual([host.listeners.size, host.reads, filled.view.status.state], [0, 0, "idle"]);
});

test("a piece of the view is selected, on a server too", () => {
  const thread = new ThreadClient({ source: new Host().source() });
  const Status = () => createElement("i", null, useThread(thread, (view) => view.status.state));
  assert.equal(renderToString(createElement(Status)), "<i>idle</i>");
});

test("a component's own client is made where it is rendered", () => {
  const made = [];
  const Own = () => {
    const thread = useThreadClient(() => made[made.push(new ThreadClient({ source: new Host().source() })) - 1], "t1");
    return createElement(Lines, { thread });
  };
  assert.equal(renderToString(createElement(Own)), "<p></p>");
  assert.equal(made.length, 1);
});
