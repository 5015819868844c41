// @ts-check
// Recorded answers of real models, replayed through the host: clean, and with a fifth of the frames lost and as many
// doubled.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT } from "./support/host.mjs";
import { World } from "./support/world.mjs";

const ALL = path.join(ROOT, "../shared/recordings/openai-chat");
const FEW = path.join(ROOT, "tests/fixtures/openai-chat");
const folder = existsSync(ALL) ? ALL : FEW;
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort().map((name) => path.join(folder, name));

for (const fault of ["", "drop:0.2,duplicate:0.2"]) {
  test(`${files.length} recordings${fault ? ` with ${fault}` : ""}`, async (t) => {
    const world = await World.start({ deltaMs: 0, pingMs: 250, replay: files });
    const page = await world.follow({ first: null });
    page.patience = 30_000;
    if (fault) await world.host.fault(fault, { thread: page.thread });
    for (const file of files) {
      await page.play({ say: `Replay ${path.basename(file)}`, every: 7, atLeast: 0 });
      if (!fault) await page.converged();
      t.diagnostic(`${path.basename(file)}: ${page.checkpoints} checkpoints so far`);
    }
    await world.host.clearFaults();
    await page.converged(40_000);
    await world.stop();
  });
}
