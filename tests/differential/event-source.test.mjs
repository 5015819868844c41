// The decoder beside Chromium's own EventSource. A server writes each stream as it is cut, and the page tells what its
// EventSource dispatched. An event's last id is compared with it; retries and comments are invisible to a page.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { chromium } from "playwright-core";
import { decode } from "./decode.mjs";
import { cuts, fixtures, random } from "./streams.mjs";

const ARGS = [
  "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const streams = [...fixtures(), ...random(60)];
const ways = streams.map(({ bytes }) => [...cuts(bytes)]);

// Each chunk is written when the one before it has left, so that they mostly reach the browser one by one.
const server = createServer(async (request, response) => {
  const found = /^\/(\d+)\/(\d+)$/.exec(request.url ?? "");
  if (!found) return void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" }).flushHeaders();
  request.socket.setNoDelay(true);
  for (const chunk of ways[Number(found[1])]?.[Number(found[2])] ?? []) {
    await new Promise((resolve) => response.write(chunk, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
const browser = await chromium.launch({ executablePath: process.env.CHROME ?? "/usr/bin/chromium", args: ARGS });
after(async () => {
  await browser.close();
  server.close();
});

/** Every name that any reading of the stream could give an event: EventSource tells those alone that are listened for. @param {Buffer} bytes */
function names(bytes) {
  const lines = bytes.toString().split(/\r\n|\r|\n/);
  const values = lines.filter((line) => line.includes("event")).map((line) => line.slice(line.indexOf("event") + 5));
  return [...new Set(["message", ...values.flatMap((value) => [value, value.replace(/^:/, ""), value.replace(/^: /, "")])])];
}

test("Chromium's EventSource says the same at every cut", async (t) => {
  const answers = decode(streams.map(({ bytes }) => ({ sse: bytes.toString("hex") })));
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const jobs = streams.flatMap(({ bytes }, stream) => ways[stream].map((_, cut) => ({ path: `/${stream}/${cut}`, names: names(bytes), stream })));
  const told = await page.evaluate(async (jobs) => {
    const listen = (/** @type {{ path: string, names: string[] }} */ { path, names }) =>
      new Promise((resolve) => {
        const source = new EventSource(path);
        /** @type {string[][]} */
        const events = [];
        for (const name of names.filter((name) => name !== "" && name !== "error" && name !== "open")) {
          source.addEventListener(name, ({ type, data, lastEventId }) => events.push([type, data, lastEventId]));
        }
        // The stream's end; without closing, it would be opened again.
        source.onerror = () => {
          source.close();
          resolve(events);
        };
      });
    /** @type {string[][][]} */
    const told = new Array(jobs.length);
    let next = 0;
    const worker = async () => {
      for (let job = next++; job < jobs.length; job = next++) told[job] = /** @type {any} */ (await listen(jobs[job]));
    };
    await Promise.all(Array.from({ length: 5 }, worker));
    return told;
  }, jobs);
  let events = 0;
  for (const [at, { path, stream }] of jobs.entries()) {
    const { name, bytes } = streams[stream];
    assert.deepEqual(told[at], answers[stream][0].events, `${name}, ${path}: ${JSON.stringify(bytes.toString())}`);
    events += told[at].length;
  }
  t.diagnostic(`${streams.length} streams, ${jobs.length} ways to cut, ${events} events`);
  assert.ok(events > 1000, `only ${events} events`);
});
