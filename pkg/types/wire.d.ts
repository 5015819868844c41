// The vocabulary and the committed records, as they are on the wire (semantics A1, A2, C1).

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A Fact's place: the record that it comes from, and its number within it. */
export interface Position {
  readonly seq: number;
  readonly index: number;
}

/** Which response of a run: the model step, and the answer of that step (+1 for each continuation after a token limit). */
export interface Coordinate {
  readonly run_id: string;
  readonly step: number;
  readonly response: number;
}

/** What the log says of a tool call so far (A3.5). */
export type Disposition = "executed" | "pending_client" | "pending_builtin" | "open" | "unresolved";

/** Why a run waits (A2.4). */
export type ReasonToken =
  | "tool_permission" | "client_execution" | "scheduled_action" | "delegation"
  | "user_input" | "external_event" | "manual_pause" | "rate_limit" | "budget_reached";

/** A complete event, derived from committed records by the fold. */
export type Fact =
  | { readonly type: "run_started" }
  | { readonly type: "assistant_message"; readonly id: string; readonly content: readonly Block[] }
  | { readonly type: "assistant_thinking"; readonly id?: string; readonly text?: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: Json; readonly disposition: Disposition }
  | { readonly type: "tool_result"; readonly id: string; readonly content: readonly Block[]; readonly is_error: boolean }
  | { readonly type: "awaiting"; readonly pending_tool_use_id: string | null; readonly reason?: ReasonToken }
  | { readonly type: "continuation"; readonly steered: boolean; readonly detail: Json }
  | {
      readonly type: "run_finished"; readonly exhausted: boolean;
      readonly cause?: "natural_end" | "max_steps" | "cancelled" | "stopped"; readonly detail?: Json;
    }
  | { readonly type: "run_failed"; readonly code: string; readonly message: string };

/** A live fragment: a preview that may be lost. */
export type Delta =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "reasoning_delta"; readonly delta: string }
  | { readonly type: "tool_call_delta"; readonly id: string; readonly name: string; readonly args_delta: string };

export type AgentEvent =
  | { readonly tier: "fact"; readonly event: Fact }
  | { readonly tier: "delta"; readonly event: Delta };

/** A Fact with its place. */
export interface PlacedFact {
  readonly position: Position;
  readonly run_id: string;
  readonly message_id?: string;
  readonly coordinate?: Coordinate;
  /** The call that a result answers, or that an `awaiting` waits for. */
  readonly call?: Position;
  readonly fact: Fact;
}

/** A piece of a message. A block of another `type` is carried through as it came. */
export type Block = KnownBlock | UnknownBlock;

export type KnownBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: Json }
  | { readonly type: "document"; readonly source: Json; readonly title?: string; readonly context?: string }
  | { readonly type: "search_result"; readonly source: string; readonly title: string; readonly content: Json; readonly citations?: Json }
  | { readonly type: "redacted" }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Json }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly content: readonly Block[]; readonly is_error: boolean }
  | { readonly type: "thinking"; readonly text: string; readonly signature?: string };

/** `type` is none of a {@link KnownBlock}; the compiler can't say so, and so gives its other keys no type. */
export interface UnknownBlock {
  readonly type: string;
  readonly [key: string]: any;
}

export interface Message {
  readonly id: string;
  readonly role: "System" | "User" | "Assistant" | "Tool";
  readonly content: readonly Block[];
}

/** Where a run stands. Only a committed state ends a run. */
export type RunState = "Running" | "Awaiting" | { readonly Ended: EndCause };

export type EndCause =
  | "NaturalEnd" | "MaxSteps" | "Cancelled" | "Indeterminate"
  | { readonly Stopped: Json }
  | { readonly Error: "CapabilityBound" | "StateConflict" | { readonly Inference: { readonly code: string; readonly message: string } } };

/** What an awaiting run waits for. */
export interface ResumeTicket {
  readonly target:
    | {
        readonly ToolCall: {
          readonly reason: "Permission" | "ClientExecution" | "ScheduledAction" | "Delegation";
          readonly call_id: string;
          readonly tool?: { readonly tool_id: string; readonly arguments: Json };
        };
      }
    | { readonly RemoteInput: { readonly reason: "UserInput" | "ExternalEvent"; readonly call_id: string } }
    | { readonly Pause: "Manual" | "RateLimit" | "BudgetReached" };
}

/** A committed message with its place in the log. */
export interface MessageRow {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly run_id: string | null;
  /** For an assistant's message. */
  readonly step?: number;
  readonly response?: number;
  readonly message: Message;
}

/** A committed change of a run's state with its place in the log. */
export interface RunRow {
  readonly seq: number;
  readonly time: number;
  readonly run_id: string;
  readonly state: RunState;
  readonly resume_ticket?: ResumeTicket;
}

export type Row = MessageRow | RunRow;

/** One answer of a committed read. */
export interface Page {
  readonly contract: "threadfold/1";
  readonly thread_id: string;
  readonly epoch: string;
  /** −1 for an empty log. */
  readonly frontier: number;
  readonly has_more: boolean;
  readonly messages: readonly MessageRow[];
  readonly runs: readonly RunRow[];
}
