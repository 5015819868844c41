// What an app shows: the value of `ThreadClient.view`.

import type { Block, Coordinate, Disposition, Json, ReasonToken, ResumeTicket } from "./wire.js";

/** The whole of it. Immutable: what did not change from one view to the next is the same object (`===`). */
export interface View {
  /** The connection's state, separate from any run's. */
  readonly status: Status;
  /** In committed order, previews at the end. */
  readonly items: readonly Item[];
  /** The runs that have not ended, by first appearance. */
  readonly runs: readonly ActiveRun[];
}

export type Status =
  | { readonly state: "idle" | "connecting" | "live" | "catching_up" | "offline" | "unauthorized" | "closed" }
  /** The next try is due at this time, in milliseconds since 1970. */
  | { readonly state: "waiting"; readonly retry_at: number }
  /** Given up; `retry()` starts anew. */
  | { readonly state: "failed"; readonly code: string };

/** A run that goes on. Its end is an item. */
export interface ActiveRun {
  readonly run_id: string;
  readonly state: "running" | "awaiting";
}

/** `preview` while it streams, `unconfirmed` while its stream is gone and no commit covers it, then `committed`. */
export type Origin = "preview" | "unconfirmed" | "committed";

export type Item = TurnItem | AssistantItem | BoundaryItem;

/** What the person said (`user`), or what a guard or a continuation put in (`injected`). */
export interface TurnItem {
  readonly kind: "user" | "injected";
  readonly key: string;
  readonly origin: Origin;
  readonly run_id: string | null;
  readonly message_id: string;
  readonly content: readonly Block[];
}

export interface AssistantItem {
  readonly kind: "assistant";
  /** Never changes, from the first fragment to the commit. */
  readonly key: string;
  readonly origin: Origin;
  readonly run_id: string;
  readonly coordinate?: Coordinate;
  readonly message_id?: string;
  readonly parts: readonly Part[];
}

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | CallPart
  /** An image, document, search result, redacted or unknown block. */
  | { readonly kind: "block"; readonly block: Block };

export interface CallPart {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  /** The raw text of the arguments; complete once the item is committed. */
  readonly arguments: string;
  /** `streaming` until committed. */
  readonly state: "streaming" | Disposition;
  readonly result?: { readonly content: readonly Block[]; readonly is_error: boolean };
}

/** Where a run pauses or ends. */
export type BoundaryItem =
  | {
      readonly kind: "awaiting"; readonly key: string; readonly run_id: string;
      /** The call to answer by `resume()`; null for a pause. */
      readonly call_id: string | null;
      readonly reason?: ReasonToken;
      readonly ticket?: ResumeTicket;
      /** False once it was answered. */
      readonly open: boolean;
    }
  | {
      readonly kind: "finished"; readonly key: string; readonly run_id: string;
      readonly cause?: "natural_end" | "max_steps" | "cancelled" | "stopped"; readonly exhausted: boolean; readonly detail?: Json;
    }
  | { readonly kind: "failed"; readonly key: string; readonly run_id: string; readonly code: string; readonly message: string };
