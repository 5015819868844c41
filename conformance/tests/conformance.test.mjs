// The kit passes what keeps the contract, and finds what breaks it, at the case that says so.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, test } from "node:test";
import { run } from "../src/run.mjs";
import { broken, documented, onAxum, referenceHost, ROOT } from "./support/servers.mjs";

const ALL = { long: "/long", approve: "/approve", "client-tool": "/client-tool", fail: "/fail" };

const servers = [];
after(() => Promise.all(servers.map((server) => server.stop())));
const served = async (starting) => {
  const server = await starting;
  servers.push(server);
  return server;
};

const failures = ({ results }) => results.filter(({ verdict }) => verdict === "failed").map(({ id, why }) => `${id}: ${why}`);
const skipped = ({ results }) => results.filter(({ verdict }) => verdict === "skipped").map(({ id }) => id);

test("the reference host passes the strict level, every case of it", async () => {
  const { base } = await served(referenceHost());
  const outcome = await run({ base, scenarios: { ...ALL, text: "/plain", long: "/long 200 20" } });
  assert.deepEqual([outcome.level, failures(outcome), skipped(outcome)], ["strict", [], []]);
});

for (const [where, starting] of [["Node", () => documented("strict")], ["axum", onAxum]]) {
  test(`the documented strict backend on ${where} passes the strict level, every case of it`, async () => {
    const { base } = await served(starting());
    const outcome = await run({ base, scenarios: ALL });
    assert.deepEqual([outcome.level, failures(outcome), skipped(outcome)], ["strict", [], []]);
  });
}

test("the documented plain backend passes the level of best effort, as far as it goes", async () => {
  const { base } = await served(documented("plain"));
  const outcome = await run({ base, scenarios: { long: "tell me a long story about the log and its followers" } });
  assert.deepEqual([outcome.level, failures(outcome)], ["best-effort", []]);
  assert.deepEqual(skipped(outcome), ["failure", "ticket", "approve", "refuse", "client-tool"]);
});

test("the documented backends are as short as is said of them", async () => {
  const lines = async (name) => (await readFile(path.join(ROOT, name), "utf8")).trimEnd().split("\n");
  assert.ok((await lines("examples/backend/plain.mjs")).length <= 80, "the plain one has at most 80 lines");
  assert.ok((await lines("examples/backend/strict.mjs")).length <= 250, "the strict one has at most 250 lines");
  // rustfmt is generous with lines, so comments and what is empty are not counted.
  const code = (await lines("host/examples/strict/main.rs")).filter((line) => !/^\s*(\/\/.*)?$/.test(line));
  assert.ok(code.length <= 250, "the one on axum has at most 250 lines of code");
});

/** What is wrong with a server, the cases that must fail, and what the first of them must say. */
const FAULTS = [
  {
    what: "loses a message from its pages",
    how: { answer: (_, json) => (json.messages ? { ...json, messages: json.messages.filter((row) => row.message.role !== "Assistant") } : json) },
    fails: "dense",
    saying: /seq after 1 is 3, and should be 2/,
  },
  {
    what: "begins a run anew when a send is repeated",
    how: { request: (_, body) => (body.input ? { ...body, idempotency_key: crypto.randomUUID() } : body) },
    fails: "repeat",
    saying: /its run is/,
  },
  {
    what: "ends a run when its client leaves",
    how: {
      left: async (base, url) => {
        const page = await (await fetch(url.href.replace(/\/live.*$/, "/committed"))).json();
        const last = page.runs.at(-1);
        if (last?.state === "Running") await fetch(url.href.replace(/\/live.*$/, `/runs/${last.run_id}/cancel`), { method: "POST", body: "{}" });
      },
    },
    fails: "leaving",
    saying: /only listener left.*Cancelled.*NaturalEnd/,
  },
  {
    what: "says that an attempt is committed before it has announced the record",
    how: {
      live: () => {
        let held = [];
        return (event) => {
          const carries = event.name === "committed" && event.data.records?.some((row) => row.message?.role === "Assistant");
          if (carries) {
            held = [event];
            return [];
          }
          if (event.name !== "end") return [event];
          const late = held;
          held = [];
          return [event, ...late];
        };
      },
    },
    fails: "end-after-committed",
    saying: /an end says that \d+ is committed, and the stream has announced only \d+/,
  },
  {
    what: "counts joined Deltas as one in `next`",
    how: { live: () => ({ name, data }) => [{ name, data: data.active ? { ...data, active: { ...data.active, next: data.active.deltas.length } } : data }] },
    fails: "join",
    saying: /index of the first Delta after `opened`/,
  },
  {
    what: "announces what can't be read yet",
    how: {
      answer: (url, json) => {
        if (!json.messages || !url.pathname.endsWith("/committed")) return json;
        const fresh = (row) => Date.now() - row.time < 300;
        const old = { ...json, messages: json.messages.filter((row) => !fresh(row)), runs: json.runs.filter((row) => !fresh(row)) };
        return { ...old, frontier: Math.max(-1, ...old.messages.map((row) => row.seq), ...old.runs.map((row) => row.seq)) };
      },
    },
    fails: "durable",
    saying: /is announced, and a read right after it reaches/,
  },
];

for (const { what, how, fails, saying } of FAULTS) {
  test(`a server that ${what} fails at ${fails}`, async () => {
    const good = await served(documented("strict"));
    const { base } = await served(broken(good, how));
    const outcome = await run({ base, level: "strict", scenarios: ALL, patience: 8000 });
    const found = outcome.results.find(({ id }) => id === fails);
    assert.equal(found.verdict, "failed", JSON.stringify(failures(outcome)));
    assert.match(found.why, saying);
    // What the fault does not touch passes: the kit says where it is, and not only that there is one.
    assert.ok(failures(outcome).length <= 8, failures(outcome).join("\n"));
  });
}

const command = (...args) =>
  new Promise((resolve) => execFile("node", [path.join(ROOT, "conformance/bin.mjs"), ...args], (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr })));

test("the command prints case by case, and its exit code tells", async () => {
  const { base } = await served(documented("plain"));
  const good = await command(base);
  assert.equal(good.code, 0, good.stdout);
  assert.match(good.stdout, /level best-effort/);
  assert.match(good.stdout, /not exercised: --scenario long="…"/);
  const wrong = await command(base, "--level", "strict", "--patience", "2");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stdout, /FAIL opened: .*\n +the first event is/);
  for (const args of [[], ["not-an-address"], [base, "--level", "perfect"], [base, "--scenario", "dance=/x"]]) {
    const refused = await command(...args);
    assert.equal(refused.code, 2, args.join(" "));
    assert.match(refused.stderr, /threadfold-conformance <base-url>/);
  }
});

test("a server that is not there is told as such", async () => {
  const { code, stdout, stderr } = await command("http://127.0.0.1:9/v1", "--level", "committed", "--patience", "2");
  assert.equal(code, 1, stderr);
  assert.match(stdout, /ECONNREFUSED|bad port/);
});
