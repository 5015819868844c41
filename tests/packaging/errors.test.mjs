// What goes wrong where a page is served wrongly, in Chromium: each says what to do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { check, html, show, WANTED } from "./support/app.mjs";
import { launch, visit } from "./support/chromium.mjs";
import { Project } from "./support/project.mjs";
import { site } from "./support/site.mjs";

const ENTRY = "/node_modules/threadfold/index.js";
const WASM = "/node_modules/threadfold/wasm/threadfold_bg.wasm";

let browser;
let project;
before(async () => {
  browser = await launch();
  const page = (entry) => ({ [`${entry}/index.html`]: html(`/${entry}/main.js`), [`${entry}/main.js`]: show() });
  project = await Project.make("errors", {
    ...page("file"),
    "file/check.js": check(ENTRY),
    ...page("inline"),
    "inline/check.js": check("/node_modules/threadfold/inline.js"),
  });
});
after(async () => {
  await browser?.close();
  await project?.remove();
});

/** The result of a page whose server answers otherwise for some files. */
async function outcome(instead, page = "file") {
  const served = await site(project.folder, instead);
  try {
    return (await visit(browser, `${served.address}/${page}/`)).result;
  } finally {
    await served.stop();
  }
}

const policy = (directive) => (file) => (file.endsWith("/index.html") ? { headers: { "content-security-policy": directive } } : undefined);
const forModule = (different) => (file) => (file === WASM ? different : undefined);

const failures = [
  ["a module that is not there", forModule({ status: 404, body: "gone" }), "wasm_missing", /threadfold_bg\.wasm \(status 404\).*Deploy/],
  [
    "an application's page in the module's place",
    forModule({ headers: { "content-type": "text/html" }, body: "<!doctype html><title>app</title>" }),
    "wasm_not_wasm",
    /a page \(text\/html\).*Deploy/,
  ],
  ["a policy without 'wasm-unsafe-eval'", policy("script-src 'self'"), "wasm_blocked", /'wasm-unsafe-eval'.*script-src/],
  ["a policy that does not let the module be fetched", policy("connect-src 'none'"), "wasm_unreachable", /could not be fetched/],
];

for (const [what, instead, code, about] of failures) {
  test(`${what} is told as ${code}`, async () => {
    const result = await outcome(instead);
    assert.equal(result.code, code, JSON.stringify(result));
    assert.match(result.message, about);
  });
}

const harmless = [
  ["a wrong content type", forModule({ headers: { "content-type": "text/plain" } }), "file"],
  ["a policy with 'wasm-unsafe-eval'", policy("default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'"), "file"],
  ["a policy that lets nothing be fetched, with the inline entry", policy("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"), "inline"],
];

for (const [what, instead, page] of harmless) {
  test(`${what} does no harm`, async () => {
    assert.deepEqual(await outcome(instead, page), WANTED);
  });
}
