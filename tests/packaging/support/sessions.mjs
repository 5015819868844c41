// Recorded dsh sessions, played to the package's client: what only such hosts say comes out of them.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { followers, read } from "../../dsh/oracle.mjs";

const FOLDER = fileURLToPath(new URL("../../fixtures/dsh/", import.meta.url));

/**
 * Follows each session as its recorded client did, up to the first loss of its socket.
 * @param {{ ThreadClient: any, dsh: any }} threadfold
 * @param {{ view(view: any): void, event(event: any): void }} keep
 */
export async function playSessions({ ThreadClient, dsh }, keep) {
  const kept = globalThis.WebSocket;
  let played = 0;
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl"))) {
    for (const { session, steps } of followers(read(`${FOLDER}${file}`))) {
      const until = steps.findIndex(({ kind }) => kind === "lost");
      const items = steps.slice(0, until < 0 ? undefined : until).flatMap(({ kind, value }) => (kind === "item" ? [value] : []));
      if (items.length === 0) continue;
      const socket = await accepted((give) => {
        globalThis.WebSocket = class {
          readyState = 0;
          sent = [];
          constructor() {
            give(this);
          }
          send(text) {
            this.sent.push(JSON.parse(text));
          }
          close() {}
        };
        const thread = new ThreadClient({ source: dsh({ url: "http://dsh.test/", sessionId: session }) });
        thread.connect().catch(() => {});
        return thread;
      });
      const { thread, web } = socket;
      const reading = (async () => {
        for await (const event of thread.events()) keep.event(event);
      })();
      web.readyState = 1;
      web.onopen();
      const { streamId } = web.sent.findLast(({ endpoint }) => endpoint === "session/follow");
      for (const value of items) {
        web.onmessage({ data: JSON.stringify({ type: "item", streamId, value }) });
        await new Promise((resolve) => setImmediate(resolve));
        keep.view(thread.view);
      }
      thread.close();
      await reading;
      played += 1;
    }
  }
  globalThis.WebSocket = kept;
  return played;
}

/** The client, and the socket that it opens. @param {(give: (web: any) => void) => any} begin */
function accepted(begin) {
  return new Promise((resolve) => {
    // The socket is asked for in a task of its own, so the client is there first.
    const thread = begin((web) => setImmediate(() => resolve({ thread, web })));
  });
}
