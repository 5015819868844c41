// AG-UI 1.0 over a thread. `@ag-ui/client` and the `rxjs` that it uses are optional peer dependencies of this entry alone.

import { AbstractAgent } from "@ag-ui/client";
import type { AgentConfig, BaseEvent, Message, RunAgentInput } from "@ag-ui/client";
import type { Observable } from "rxjs";
import type { ThreadClient } from "./index.js";

/** What an agent is made of. */
export interface ThreadAgentConfig extends AgentConfig {
  /** The thread. It is connected when it is first needed; close it when the page is done with it. */
  thread: ThreadClient;
  /** What to do when a run is begun while another is active. Default `reject`. */
  onActive?: "reject" | "queue" | "cancel";
}

/**
 * An agent of AG-UI whose runs are a thread's runs.
 *
 * - `runAgent()` rejects when the run failed and when its events stopped early; the stock agent resolves then.
 * - An interrupt is answered by `runAgent({ resume: [{ interruptId, status, payload }] })`. A permission's payload is
 *   `{ approved: boolean, reason?: string }`, or nothing for yes; `cancelled` says no. A client tool's result is a tool
 *   message; the log's own, with an id that a reload gives as well, takes its place.
 * - After a reload, `connectAgent()` takes the committed messages and reads the last run, running or over, to its end.
 * - `abortRun()` ends the run for everybody; `detachActiveRun()` only stops reading.
 */
export class ThreadAgent extends AbstractAgent {
  /** @throws ThreadfoldError `bad_argument`. */
  constructor(config: ThreadAgentConfig);
  /** The thread that was given. */
  readonly thread: ThreadClient;
  /** Called by the agent itself; `runAgent()` is what an app calls. */
  run(input: RunAgentInput): Observable<BaseEvent>;
  /** Another agent over the same thread. */
  clone(): ThreadAgent;
}

/** What was committed of the thread, as an agent's messages, with the ids that its events give. */
export function toAgUiMessages(thread: ThreadClient): Message[];
