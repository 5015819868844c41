// @ts-check
// What happens to a person on a dsh host. Each scenario begins with a session of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { until } from "../support/until.mjs";
import { lossy } from "./door.mjs";
import { Following } from "./follow.mjs";
import { ours, own } from "./own.mjs";

/** @typedef {import("./world.mjs").World} World */
/** @typedef {(world: World) => Promise<string | void>} Scenario What it gives is a word for the table. */

/** Says something, and compares the live text whenever the model holds, before anything is committed. @param {World} world @param {Following} page @param {string} text @param {{ every?: number, looks?: number }} [options] */
async function live(world, page, text, { every = 4, looks = 4 } = {}) {
  const { session } = page;
  world.model.hold(session, every);
  await page.say(text);
  for (let look = 0; look < looks; look += 1) {
    const { count } = await page.checkpoint();
    if (!(await goOn(world, page, every, count))) break;
  }
  return page.checkpoint();
}

/** The model says so much more, and holds; false when that was all. @param {World} world @param {Following} page @param {number} deltas @param {number} [count] What it had said. */
async function goOn(world, { session }, deltas, count = world.model.session(session).sent.count) {
  world.model.hold(session, deltas);
  await until("the model goes on and holds", () => {
    const { sent, holding, isWhole } = world.model.session(session);
    return isWhole || (holding && sent.count !== count);
  });
  return !world.model.session(session).isWhole;
}

/** A turn from its prompt to its end, with looks at it. @param {World} world @param {Following} page @param {string} text @param {string} end @param {Parameters<typeof live>[3]} [options] */
async function turn(world, page, text, end, options) {
  await live(world, page, text, options);
  world.model.release(page.session);
  await page.over(end);
  await page.converged();
}

/** @param {Following} page @param {string} kind */
async function count(page, kind) {
  return (await page.view()).items.filter((item) => item.kind === kind).length;
}

/** @type {Record<string, Scenario>} */
export const SCENARIOS = {
  async plain(world) {
    await turn(world, await world.follow(), "/plain", "finished");
  },

  async reasoning(world) {
    await turn(world, await world.follow(), "/think", "finished", { looks: 8 });
  },

  async tool(world) {
    const page = await world.follow();
    await turn(world, page, "/tool", "finished", { every: 3 });
    const calls = (await page.view()).items.flatMap((item) => (item.kind === "assistant" ? item.parts : [])).filter((part) => part.type === "tool_call");
    assert.deepEqual(calls.map(({ state }) => state), ["output"]);
  },

  async "two tools"(world) {
    await turn(world, await world.follow(), "/tools", "finished", { every: 3, looks: 6 });
  },

  async "token limit"(world) {
    const page = await world.follow();
    await turn(world, page, "/cut", "finished");
    assert.equal((await page.view()).items.findLast((item) => item.kind === "finished")?.exhausted, true);
  },

  async "700 chunks"(world) {
    const page = await world.follow();
    await live(world, page, "/long 700", { every: 350, looks: 0 });
    const second = await world.also(page);
    await second.checkpoint();
    world.model.pause = 0;
    world.model.release(page.session);
    for (const each of [page, second]) {
      await each.over("finished");
      await each.converged();
    }
    assert.equal((await page.stats()).reopens, 0);
  },

  async retry(world) {
    const page = await world.follow();
    // Each of the first two attempts fails behind a third of its text.
    world.model.hold(page.session, 3);
    await page.say("/retry 2");
    await page.checkpoint();
    world.model.hold(page.session, 7);
    await until("the first attempt failed, and is kept", async () => (await count(page, "attempt")) === 1 && (await count(page, "retry")) === 1);
    world.model.hold(page.session, 3);
    await page.checkpoint();
    assert.equal(await count(page, "attempt"), 1);
    world.model.release(page.session);
    await page.over("finished");
    await page.converged();
    assert.deepEqual([await count(page, "attempt"), await count(page, "retry")], [2, 2]);
  },

  async refused(world) {
    const page = await world.follow();
    await page.say("/refused");
    await page.over("failed");
    await page.converged();
    assert.match(JSON.stringify((await page.view()).items.at(-1)), /INVALID_REQUEST/);
  },

  async "cancel before text"(world) {
    const page = await world.follow();
    world.model.hold(page.session, 0);
    await page.say("/silent");
    await world.model.held(page.session);
    await stopped(world, page);
  },

  async "cancel in text"(world) {
    const page = await world.follow();
    await live(world, page, "/plain");
    await stopped(world, page);
  },

  async "cancel in reasoning"(world) {
    const page = await world.follow();
    await live(world, page, "/think", { every: 3, looks: 1 });
    await stopped(world, page);
  },

  async "cancel in a call's arguments"(world) {
    const page = await world.follow();
    await live(world, page, "/tool", { every: 3, looks: 1 });
    await stopped(world, page);
  },

  async "cancel of a running tool"(world) {
    const page = await world.follow();
    await page.say("/sleep");
    await until("the tool runs", async () => (await world.host.log(page.session)).some(({ type }) => type === "tool/call"));
    await stopped(world, page);
  },

  async "cancel between attempts"(world) {
    const page = await world.follow();
    await page.say("/retry 5");
    await until("the model is to be asked again", async () => (await count(page, "retry")) >= 2);
    await stopped(world, page);
  },

  async "reload mid-answer"(world) {
    const page = await world.follow();
    const before = await live(world, page, "/think", { looks: 6 });
    await page.reload();
    await page.live();
    assert.equal((await page.checkpoint()).count, before.count, "nothing was said after the reload");
    world.model.release(page.session);
    await page.over("finished");
    await page.converged();
  },

  async "second tab mid-answer"(world) {
    const page = await world.follow();
    await live(world, page, "/tool", { every: 3 });
    const second = await world.also(page);
    await second.checkpoint();
    await page.checkpoint();
    world.model.release(page.session);
    for (const each of [page, second]) {
      await each.over("finished");
      await each.converged();
    }
  },

  async "socket cut"(world) {
    const page = await world.follow();
    await live(world, page, "/think", { looks: 2 });
    for (let cut = 0; cut < 4; cut += 1) {
      world.door.cut();
      await goOn(world, page, 4);
      await page.checkpoint();
    }
    world.door.cut();
    world.model.release(page.session);
    await page.over("finished");
    await page.converged();
    assert.ok((await page.stats()).losses >= 5);
  },

  async "a long silence"(world) {
    const page = await world.follow();
    await turn(world, page, "/plain", "finished", { looks: 1 });
    const log = await world.host.log(page.session);
    await until("the host was asked for a sign of life, and gave one", () => page.answers > 0, 120_000);
    assert.equal(page.knocks, page.answers);
    assert.deepEqual(page.said, [], "nothing was odd");
    assert.equal((await page.stats()).openings, 1);
    assert.deepEqual(await world.host.log(page.session), log, "the question changed nothing");
    await turn(world, page, "/plain", "finished", { looks: 1 });
  },

  async "half open while the page is seen"(world) {
    const page = await world.follow();
    await live(world, page, "/think", { looks: 2 });
    world.door.forget();
    const calm = await world.also(page);
    // The rest is said, and more, and the page hears nothing of it.
    world.model.release(page.session);
    await calm.over("finished");
    await world.host.prompt(page.session, "/plain");
    await world.turnsOver(page.session, 2);
    await page.converged({ patience: 180_000 });
    await calm.converged();
    assert.ok(page.said.some((text) => text.includes("half_open")), `what it found out: ${page.said}`);
    assert.deepEqual([page.knocks > 0, page.answers], [true, 0]);
    assert.deepEqual([(await page.stats()).openings, (await calm.stats()).openings], [2, 1]);
    assert.equal(await page.page.evaluate(() => document.visibilityState), "visible");
    await turn(world, page, "/plain", "finished", { looks: 1 });
  },

  async "put aside and taken up again"(world) {
    const page = await world.follow();
    await live(world, page, "/think", { looks: 2 });
    const say = (/** @type {string} */ type) => page.page.evaluate((type) => void dispatchEvent(new PageTransitionEvent(type, { persisted: true })), type);
    await say("pagehide");
    await until("no socket is open", () => world.door.open === 0);
    world.model.release(page.session);
    await world.turnsOver(page.session);
    assert.equal(world.door.open, 0, "nothing is opened while nobody sees the page");
    await say("pageshow");
    await page.over("finished");
    await page.converged();
  },

  async "terminated and started again"(world) {
    await restarted(world, () => world.host.terminate());
  },

  async "killed and started again"(world) {
    await restarted(world, () => world.host.kill());
  },

  async "prompts that wait and steer"(world) {
    const page = await world.follow();
    await live(world, page, "/tool", { every: 3, looks: 1 });
    await world.host.prompt(page.session, "/plain Later.");
    await until("a prompt waits", async () => (await page.view()).items.some((item) => item.kind === "user" && item.send?.state === "queued"));
    await world.host.prompt(page.session, "Mind the step.", "steer");
    world.model.release(page.session);
    await world.turnsOver(page.session, 2);
    await page.converged();
  },

  async "two sessions"(world) {
    const [one, two] = [await world.follow(), await world.follow()];
    await Promise.all([live(world, one, "/think"), live(world, two, "/tool", { every: 3 })]);
    for (const page of [one, two]) world.model.release(page.session);
    for (const page of [one, two]) {
      await page.over("finished");
      await page.converged();
    }
  },

  "lossy: drop": (world) => damaged(world, { drop: 0.08 }),
  "lossy: double": (world) => damaged(world, { double: 0.2 }),
  "lossy: swap": (world) => damaged(world, { swap: 0.1 }),
  "lossy: all of it": (world) => damaged(world, { drop: 0.04, double: 0.05, swap: 0.04 }),

  async "refused at the socket"(world) {
    for (const status of [401, 403]) {
      const page = await world.follow();
      await turn(world, page, "/plain", "finished", { looks: 1 });
      world.door.instead = () => ({ status, type: "text/plain", body: "no" });
      world.door.cut();
      await until("the page says that it is not let in", async () => (await page.view()).status.state === "unauthorized", 60_000);
      assert.ok((await page.view()).items.length > 0, "what was seen stays");
      world.door.instead = () => undefined;
      await page.retry();
      await page.converged();
    }
  },

  async "HTML at the socket's address"(world) {
    const page = await world.follow();
    await turn(world, page, "/plain", "finished", { looks: 1 });
    world.door.instead = () => ({ status: 200, type: "text/html", body: "<!doctype html><p>Welcome" });
    world.door.cut();
    await until("the page says what is there", () => page.said.some((text) => text.includes("not_a_stream") && text.includes("text/html")), 60_000);
    assert.ok((await page.view()).items.length > 0, "what was seen stays");
    world.door.instead = () => undefined;
    await page.retry();
    await page.converged();
  },

  async "no such session"(world) {
    const page = await Following.open(world, "session-00000000-0000-4000-8000-000000000000");
    await until("the page says so", async () => (await page.view()).status.state === "failed");
    assert.deepEqual((await page.view()).status, { state: "failed", code: "not_found" });
  },

  async "the demo of a host"(world) {
    const script = fileURLToPath(new URL("demo.mjs", import.meta.url));
    const demo = spawn(process.execPath, [script, `${world.host.origin}/?token=${world.host.token}`], { cwd: world.host.project, stdio: ["ignore", "pipe", "inherit"] });
    try {
      let said = "";
      for await (const piece of demo.stdout.setEncoding("utf8")) if ((said += piece).includes("\n")) break;
      const address = new URL(said.replace("the demo is at", "").trim());
      const page = await Following.open(world, address.searchParams.get("session") ?? "", { address });
      await page.live();
      await turn(world, page, "/plain", "finished");
    } finally {
      demo.kill();
    }
  },

  async "in with the token"(world) {
    await world.context.clearCookies();
    const page = await Following.open(world, await world.host.create(), { more: `&launch=${world.host.token}` });
    await page.live();
    await turn(world, page, "/plain", "finished");
  },
};

/** With a host that asks before it writes. @type {Record<string, Scenario>} */
export const ASKING = {
  async "approval granted"(world) {
    const page = await world.follow();
    await asked(world, page);
    await page.page.getByRole("button", { name: "Approve" }).click();
    await page.over("finished");
    await page.converged();
    assert.equal(await outcome(world, page), "allowed-once");
  },

  async "approval refused"(world) {
    const page = await world.follow();
    await asked(world, page);
    await page.page.evaluate(() => thread.resume(thread.view.items.find((item) => item.kind === "awaiting").pending_tool_use_id, { approve: false }));
    await page.over("finished");
    await page.converged();
    assert.equal(await outcome(world, page), "rejected");
  },

  async "approval after a reload and a cut"(world) {
    const page = await world.follow();
    await asked(world, page);
    await page.reload();
    await page.live();
    world.door.cut();
    await page.live();
    const second = await world.also(page);
    await until("the second tab asks too", async () => (await second.view()).run?.state === "awaiting");
    await until("an answer is taken", () =>
      page.page.evaluate(() =>
        thread.resume(thread.view.items.find((item) => item.kind === "awaiting").pending_tool_use_id, { approve: true }).then(
          () => true,
          () => false,
        ),
      ),
    );
    for (const each of [page, second]) {
      await each.over("finished");
      await each.converged();
    }
    assert.equal(await outcome(world, page), "allowed-once");
  },
};

/**
 * So many hosts die in the middle. Afterwards our page shows what a cold read of the log says and, every tenth time, what
 * the host's own page shows.
 * @param {World} world @param {number} cycles @param {(line: string) => void} log
 */
export async function killed(world, cycles, log) {
  let [lost, compared] = [0, 0];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const page = await world.follow();
    const { session } = page;
    world.model.pause = 4;
    // The power goes at another place each time: before the answer, in it, as soon as it is settled, behind it.
    const deltas = [0, 1, 5, 12, 25, 40, Infinity, Infinity][cycle % 8];
    const settled = new Promise((resolve) => {
      world.door.fate = (item) => {
        if (item.frame?.type === "end") resolve(undefined);
        return "pass";
      };
    });
    world.model.hold(session, deltas);
    await page.say(cycle % 3 === 2 ? "/tool" : "/long 60");
    if (deltas < Infinity) await until("so much was said", () => world.model.session(session).sent.count >= Math.min(deltas, 1) || world.model.session(session).holding);
    else await settled;
    if (cycle % 8 === 7) await until("the answer is seen", async () => (await page.view()).items.some((item) => item.kind === "assistant" && item.origin === "committed"));
    await world.host.kill();
    await until("the page sees that the wire is gone", async () => (await page.view()).status.state !== "live");
    const before = committed(await page.view());
    world.model.release(session);
    await world.host.begin();
    await page.retry();
    await page.converged({ patience: 120_000, lost: true });
    const after = committed(await page.view());
    if (before.some((item) => !after.includes(item))) lost += 1;
    log(`kill ${cycle + 1}: ${before.length} items were committed, ${after.length} are`);
    if (cycle % 10 === 7) {
      assert.deepEqual(await ours(page), await own(world, session), "what our page shows and what the host's own does");
      compared += 1;
    }
    await page.page.close();
  }
  return `${cycles} kills, ${lost} lost what was announced, ${compared} compared with the host's own page`;
}

/** What is committed, item by item. @param {any} view @returns {string[]} */
function committed(view) {
  return view.items.filter((/** @type {any} */ { origin }) => origin === "committed").map((/** @type {any} */ item) => JSON.stringify([item.key, item.parts]));
}

/** @param {World} world @param {Following} page */
async function stopped(world, page) {
  await page.page.locator("#stop").click();
  world.model.release(page.session);
  await page.over("finished");
  await page.converged();
  assert.equal((await page.view()).items.findLast((item) => item.kind === "finished")?.cause, "cancelled");
  // And the session goes on.
  await turn(world, page, "/plain", "finished", { looks: 1 });
}

/** @param {World} world @param {() => Promise<void>} end */
async function restarted(world, end) {
  const page = await world.follow();
  await turn(world, page, "/plain", "finished", { looks: 1 });
  const { text } = await live(world, page, "/think", { looks: 5 });
  await end();
  await until("the page sees that the wire is gone", async () => (await page.view()).status.state !== "live");
  const [preview] = await page.previews();
  assert.equal(preview?.origin, "unconfirmed");
  assert.equal(preview.view.text, text);
  world.model.release(page.session);
  await world.host.begin();
  await page.over("failed");
  await page.converged({ patience: 60_000, lost: true });
  assert.equal((await page.view()).items.findLast((item) => item.kind === "failed")?.code, "indeterminate");
  await turn(world, page, "/plain", "finished", { looks: 1 });
}

/** @param {World} world @param {Parameters<typeof lossy>[0]} rates */
async function damaged(world, rates) {
  const page = await world.follow();
  const before = { ...world.door.counts };
  let turns = 0;
  for (const [seed, text] of ["/think", "/tool", "/retry 1", "/long 120", "/tools"].entries()) {
    world.door.fate = lossy({ ...rates, seed: seed + 11 });
    const { session } = page;
    world.model.hold(session, 12);
    await page.say(text);
    await world.model.held(session);
    // What is live is a beginning of what was said, whatever was lost.
    const { texts } = world.model.session(session);
    for (const { view } of await page.previews()) {
      assert.ok(texts.some((whole) => whole.startsWith(view.text)), `nobody said ${view.text}`);
    }
    world.model.release(session);
    await world.turnsOver(session, (turns += 1));
  }
  // What was lost at the very end shows with the next thing that comes. After too many faults in a row only the log is
  // followed, until a quiet minute or until somebody asks.
  world.door.fate = () => "pass";
  if ((await page.view()).status.state !== "live") await page.retry();
  await turn(world, page, "/plain", "finished", { looks: 1 });
  const { drop, double, swap } = world.door.counts;
  const { reopens, reads, duplicates, gaps } = await page.stats();
  const struck = drop - before.drop + double - before.double + swap - before.swap;
  assert.ok(struck > 0, "nothing was damaged");
  assert.ok(reopens <= struck, `${reopens} openings for ${struck} faults`);
  return `${struck} struck: ${reopens} reopens, ${reads} reads, ${gaps} gaps, ${duplicates} duplicates`;
}

/** @param {World} world @param {Following} page */
async function asked(world, page) {
  await page.say("/write new.txt");
  await until("the page asks", async () => (await page.view()).run?.state === "awaiting");
  await page.page.getByRole("button", { name: "Approve" }).waitFor();
  assert.equal((await world.host.log(page.session)).filter(({ type }) => type === "approval/decided").length, 0);
}

/** @param {World} world @param {Following} page */
async function outcome(world, page) {
  return (await world.host.log(page.session)).find(({ type }) => type === "approval/decided")?.data.outcome;
}
