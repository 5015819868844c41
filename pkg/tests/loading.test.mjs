// The entries load where they should, and say what to do where they can't.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";

const wasm = readFileSync(new URL("../wasm/threadfold_bg.wasm", import.meta.url));
const folder = fileURLToPath(new URL("..", import.meta.url));
const browserFetch = globalThis.fetch;

afterEach(() => {
  globalThis.fetch = browserFetch;
});

/** The browser's entry, new each time: what one test loads, the next has not. */
const fresh = async () => {
  const run = (script) => JSON.parse(execFileSync("node", ["--input-type=module", "--eval", script], { cwd: folder, encoding: "utf8" }));
  return run;
};

const coded = (code, about) => (error) => error.code === code && about.test(error.message);

test("W03: importing does nothing: no file is read, nothing is fetched, and the exports are there", async () => {
  const run = await fresh();
  const names = run(`
    globalThis.fetch = () => { throw new Error("fetched"); };
    const entries = await Promise.all([import("./index.js"), import("./node.js"), import("./inline.js")]);
    console.log(JSON.stringify(entries.map((entry) => Object.keys(entry).sort())));
  `);
  const wanted = ["ThreadClient", "ThreadfoldError", "classify", "countItems", "createTranscoder", "dsh", "fold", "init", "sliceItems", "terminal", "threadfold"];
  assert.deepEqual(names, [wanted, wanted, wanted]);
});

test("require works in Node, and needs no waiting before fold", async () => {
  const code = 'const { fold } = require("threadfold"); console.log(fold([]).length)';
  const flags = process.features.require_module ? [] : ["--experimental-require-module", "--no-warnings"];
  assert.equal(execFileSync("node", [...flags, "--eval", code], { cwd: folder, encoding: "utf8" }).trim(), "0");
});

test("before init the browser's functions say what to await, and after it they work", async () => {
  const run = await fresh();
  const said = run(`
    const { fold, init, ThreadfoldError } = await import("./index.js");
    const { readFileSync } = await import("node:fs");
    const said = [];
    try { fold([]); } catch (error) { said.push(error.code, error instanceof ThreadfoldError, /await init\\(\\)/.test(error.message)); }
    await Promise.all([init(readFileSync("wasm/threadfold_bg.wasm")), init()]);
    said.push(fold([]));
    console.log(JSON.stringify(said));
  `);
  assert.deepEqual(said, ["not_loaded", true, true, []]);
});

test("the inline entry needs no file", async () => {
  const run = await fresh();
  assert.deepEqual(
    run(`
      const { init, fold } = await import("./inline.js");
      globalThis.fetch = () => { throw new Error("fetched"); };
      await init();
      console.log(JSON.stringify(fold([])));
    `),
    [],
  );
});

const { fetchModule } = await import("../src/fetch-module.js");
const answer = (body, init) => {
  globalThis.fetch = async () => new Response(body, init);
};

test("the module is taken from a server with a wrong content type", async () => {
  answer(wasm, { headers: { "content-type": "text/plain" } });
  assert.equal((await fetchModule("/m.wasm")).length, wasm.length);
});

test("a missing module, a page in its place and no network are told apart, each with what to do", async () => {
  answer("gone", { status: 404 });
  await assert.rejects(fetchModule("/m.wasm"), coded("wasm_missing", /404.*Deploy/s));
  answer("<!doctype html>", { headers: { "content-type": "text/html" } });
  await assert.rejects(fetchModule("/m.wasm"), coded("wasm_not_wasm", /page \(text\/html\).*Deploy/s));
  answer(new Uint8Array(3));
  await assert.rejects(fetchModule("/m.wasm"), coded("wasm_not_wasm", /3 bytes/));
  globalThis.fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  await assert.rejects(fetchModule("/m.wasm"), coded("wasm_unreachable", /m\.wasm/));
});

test("W05: a policy that forbids the module is named with the directive, and the next try may succeed", async () => {
  const { init, provide } = await import("../src/loader.js");
  const glue = {
    default: async () => {
      throw new WebAssembly.CompileError(
        "WebAssembly.instantiate(): Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not an allowed source of script",
      );
    },
  };
  provide({ glue, load: async () => wasm });
  await assert.rejects(init(), coded("wasm_blocked", /'wasm-unsafe-eval'.*script-src/s));
  glue.default = async () => {
    throw new WebAssembly.CompileError("expected magic word");
  };
  await assert.rejects(init(), coded("wasm_invalid", /magic word/));
  glue.default = async () => {};
  await init();
});
