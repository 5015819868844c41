// @ts-check
// The demo on a dsh host that runs already: `node www/tests/hosts/demo.mjs ADDRESS [SESSION]`, with the address that the
// host printed at its start, its token and all. Without a session a new one is made, in the directory where this was
// started. Prints the demo's address and serves it until it is ended.

import { Door } from "./door.mjs";

const [given = "", session] = process.argv.slice(2);
const address = URL.parse(given);
const launch = address?.searchParams.get("token");
if (!address || !launch) {
  console.error("usage: node www/tests/hosts/demo.mjs 'http://127.0.0.1:PORT/?token=…' [SESSION]");
  process.exit(2);
}
const entered = await fetch(address, { redirect: "manual" });
const cookie = entered.headers.get("set-cookie")?.split(";")[0];
if (!cookie) {
  console.error(`the host lets nobody in with this token: ${entered.status}`);
  process.exit(1);
}

/** A call of the host. @param {string} method @param {unknown} args */
async function call(method, args) {
  const headers = { "content-type": "application/json", cookie: /** @type {string} */ (cookie) };
  const body = JSON.stringify({ type: "client-request", rpcId: "demo", method, payload: { args } });
  const { result } = await (await fetch(new URL(`/api/${method}`, address ?? ""), { method: "POST", headers, body })).json();
  if (!result.ok) throw new Error(`${method}: ${result.error.message}`);
  return result.value;
}

const followed = session ?? (await call("session/create", { request: { cwd: process.cwd() } })).sessionId;
const door = await Door.start({ port: Number(address.port) });
console.log(`the demo is at ${door.origin}/?${new URLSearchParams({ source: "dsh", session: followed, launch })}`);
