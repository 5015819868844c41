// What the tests' code that runs in a page finds there.

import type { ThreadClient } from "../../../pkg/index.js";

declare global {
  /** The page's client. */
  var thread: ThreadClient;
  /** See observe.js. */
  var judge: any;
  /** See observe.js. */
  var held: { memories: WebAssembly.Memory[]; sources: Set<EventSource>; fetches: number; opened: number };
  /** How `connect()` ended, in pages without the demo. */
  var connected: Promise<string>;
  /** A client of the page's origin, in pages without the demo. */
  var client: (thread: string, more?: object) => ThreadClient;
  var clients: ThreadClient[];
  /** What a test keeps in the page from one look to the next. */
  var kept: unknown[];
  var before: unknown[];
  var asked: number;
  var token: string;
}
