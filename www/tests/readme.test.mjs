// @ts-check
// The README's lines, as they stand there, in a page of their own.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { ROOT } from "./support/host.mjs";
import { until } from "./support/until.mjs";
import { World } from "./support/world.mjs";

const world = await World.start();

test("the ten lines of the README show an answer", async () => {
  const readme = await readFile(path.join(ROOT, "README.md"), "utf8");
  const lines = /```js\n(.*?)```/s.exec(readme)?.[1];
  assert.ok(lines?.includes('from "threadfold"'), "the README has its example");
  assert.ok(lines.trim().split("\n").length <= 12, "the example is short");
  const page = await world.context.newPage();
  const html = `<!doctype html><title>README</title><body>
    <script type="importmap">{ "imports": { "threadfold": "/pkg/index.js" } }</script>
    <script type="module">${lines}</script>`;
  await page.route("**/readme.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await page.goto(`${world.host.origin}/readme.html`);
  const answer = async () => {
    const response = await fetch(`${world.host.origin}/v1/threads/t1/committed?after=-1`);
    const { messages = [] } = response.ok ? await response.json() : {};
    return messages.find((/** @type {any} */ row) => row.message.role === "Assistant")?.message.content[0].text;
  };
  const committed = await until("the answer is committed", answer);
  await until("the page shows the message and the answer", async () => {
    return (await page.evaluate(() => document.body.innerText)) === `hello\n\n${committed}`;
  });
});
