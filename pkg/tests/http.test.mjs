// A client over HTTP in Node, where the live stream is read by fetch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadClient, threadfold, ThreadfoldError } from "threadfold";
import { Host, json, until } from "./support/host.mjs";

const coded = (code) => (error) => error instanceof ThreadfoldError && error.code === code;

async function served(host, before, options, body) {
  const server = await host.serve(before);
  const anomalies = [];
  const source = threadfold({ base: server.base, threadId: "t1", ...options });
  const client = new ThreadClient({ source, onAnomaly: ({ code }) => anomalies.push(code) });
  try {
    await body({ client, server, anomalies });
  } finally {
    client.close();
    await server.stop();
  }
}

test("R17: a thread is followed over HTTP, through a cut, with the same text", async () => {
  const host = new Host();
  await served(host, undefined, { query: { mark: "a b" } }, async ({ client, server }) => {
    await client.connect();
    assert.equal((await client.send("hello")).run_id, "r1");
    host.start("r1")("Hel");
    await until(() => client.view.items.length === 2);
    server.cut();
    await until(() => client.view.items[1].origin === "unconfirmed");
    host.answer("Hello");
    client.retry();
    await until(() => client.view.run.state === "finished");
    assert.deepEqual(client.view.items[1].parts, [{ type: "text", text: "Hello" }]);
    const marked = host.requests.filter(({ method }) => method === "GET");
    assert.ok(marked.every(({ url }) => url.includes("mark=a%20b")));
    const stats = client.stats();
    assert.ok(stats.losses >= 1 && stats.bytes > 0);
  });
});

test("N08: headers are asked anew on each attempt, so a renewed token is used after a 401", async () => {
  const host = new Host();
  let token = "old";
  let asked = 0;
  const before = (request, response) => {
    if (request.headers.authorization === "Bearer new") return false;
    json(response, 401, { error: { code: "unauthorized", message: "" } });
    return true;
  };
  const headers = async () => (asked++, { authorization: `Bearer ${token}` });
  await served(host, before, { headers }, async ({ client }) => {
    client.connect();
    await until(() => asked > 1);
    token = "new";
    client.retry();
    await until(() => client.view.status.state === "live");
    await client.send("hello");
    assert.equal(host.requests.at(-1).headers.authorization, "Bearer new");
  });
});

test("a 401 with headers that are not renewed is told at once", async () => {
  const host = new Host();
  const before = (_, response) => (json(response, 401, { error: { code: "unauthorized", message: "" } }), true);
  await served(host, before, { headers: { authorization: "Bearer old" } }, async ({ client }) => {
    await assert.rejects(client.connect(), coded("unauthorized"));
    assert.equal(client.view.status.state, "unauthorized");
    const requests = host.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(host.requests.length, requests);
  });
});

test("headers that can't be had are no request without them", async () => {
  const host = new Host();
  const headers = () => {
    throw new Error("the token's server is down");
  };
  await served(host, undefined, { headers }, async ({ client, anomalies }) => {
    client.connect();
    await until(() => anomalies.includes("headers_failed"));
    assert.equal(host.requests.length, 0);
  });
});

test("an HTML page in the host's place is told, and is no thread", async () => {
  const host = new Host();
  let broken = true;
  const before = (_, response) => {
    if (broken) response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Sign in");
    return broken;
  };
  await served(host, before, {}, async ({ client, anomalies }) => {
    client.connect();
    await until(() => anomalies.includes("not_a_stream") && anomalies.includes("bad_page"));
    assert.deepEqual(client.view.items, []);
    broken = false;
    client.retry();
    await until(() => client.view.status.state === "live");
  });
});

test("a host that is not there is waited for, and found when it comes", async () => {
  const host = new Host();
  const server = await host.serve();
  await server.stop();
  const client = new ThreadClient({ source: threadfold({ base: server.base, threadId: "t1" }) });
  const began = Date.now();
  client.connect();
  await until(() => client.view.status.state === "waiting");
  assert.ok(client.view.status.retry_at > began);
  client.close();
});

test("no thread at this address is said", async () => {
  const host = new Host();
  const before = (_, response) => (json(response, 404, { error: { code: "not_found", message: "" } }), true);
  await served(host, before, {}, async ({ client }) => {
    await assert.rejects(client.connect(), (error) => error.code === "not_found" && /threadId/.test(error.message));
    assert.deepEqual(client.view.status, { state: "failed", code: "not_found" });
  });
});

test("closing aborts the stream and what is asked for", async () => {
  const host = new Host();
  let hanging = 0;
  const before = (request) => {
    const hangs = request.url.includes("/runs");
    if (hangs) hanging += 1;
    if (hangs) request.on("close", () => (hanging -= 1));
    return hangs;
  };
  await served(host, before, {}, async ({ client }) => {
    await client.connect();
    const sent = client.send("hello");
    await until(() => hanging === 1);
    client.close();
    await assert.rejects(sent, coded("closed"));
    await until(() => hanging === 0 && host.listeners.size === 0);
  });
});

test("a read that is not answered in time is asked again", async () => {
  const host = new Host();
  let held = 0;
  const before = (request) => request.url.includes("/committed") && held++ === 0;
  host.send({ input: { message_id: "m", content: [] } });
  await served(host, before, { timeout: 50 }, async ({ client, anomalies }) => {
    await client.connect();
    assert.ok(held > 1);
    assert.ok(anomalies.includes("read_failed"));
  });
});

test("N09: options that do not go together are refused before anything is sent", () => {
  const refused = (options, about) => assert.throws(() => threadfold(options), (error) => error.code === "bad_argument" && about.test(error.message));
  refused({ base: "/v1", threadId: "t", headers: {}, transport: "eventsource" }, /EventSource/);
  refused({ base: "/v1" }, /threadId/);
  refused({ threadId: "t" }, /base/);
  refused({ base: "/v1", threadId: "t", transport: "pigeon" }, /pigeon/);
  refused({ base: "/v1", threadId: "t", credentials: "some" }, /some/);
  refused({ base: "/v1", threadId: "t", timeout: 0 }, /timeout/);
});
