// The vocabulary and the committed records, as they are on the wire (semantics A1, A2, C1).

/** Any value that JSON has. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A Fact's place: the record that it comes from, and its number within it. */
export interface Position {
  /** The record's number in the log. */
  readonly seq: number;
  /** 0 for what the record opens (the run's start, its going on after a wait), its own Facts from 1 on. */
  readonly index: number;
}

/** Which response of a run: the model step, and the answer of that step (+1 for each continuation after a token limit). */
export interface Coordinate {
  /** The run. */
  readonly run_id: string;
  /** The model step within the run, from 0 on. */
  readonly step: number;
  /** The answer of that step, from 0 on. */
  readonly response: number;
}

/**
 * What the log says of a tool call so far (A3.5). `executed`: it has a result. `pending_client`: the run waits for the page
 * to run it. `pending_builtin`: the run waits for a permission, a schedule or a delegate. `open`: no result yet, and the run
 * goes on. `unresolved`: the run ended without one, and nobody knows whether it ran.
 */
export type Disposition = "executed" | "pending_client" | "pending_builtin" | "open" | "unresolved";

/** Why a run waits (A2.4). */
export type ReasonToken =
  | "tool_permission" | "client_execution" | "scheduled_action" | "delegation"
  | "user_input" | "external_event" | "manual_pause" | "rate_limit" | "budget_reached";

/** A complete event, derived from committed records by the fold. */
export type Fact =
  /** The run began. */
  | { readonly type: "run_started" }
  /** What the model showed in one response: its message's id, and all visible blocks in order. */
  | { readonly type: "assistant_message"; readonly id: string; readonly content: readonly Block[] }
  /** The model thought in this response. Its message's id and the text are there where the host gives them away. */
  | { readonly type: "assistant_thinking"; readonly id?: string; readonly text?: string }
  /** The model called a tool: the provider's id of the call, the tool, its arguments, and what came of it so far. */
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: Json; readonly disposition: Disposition }
  /** What a call came to; `id` is the call's. */
  | { readonly type: "tool_result"; readonly id: string; readonly content: readonly Block[]; readonly is_error: boolean }
  /** The run waits: for which call, null for a pause, and why. */
  | { readonly type: "awaiting"; readonly pending_tool_use_id: string | null; readonly reason?: ReasonToken }
  /** The run goes on: after a wait, after a token limit, or steered by a guard; `detail` says which. */
  | { readonly type: "continuation"; readonly steered: boolean; readonly detail: Json }
  /** The run is over. `exhausted`: a limit of steps ended it; `cause` and `detail`: what did. */
  | {
      readonly type: "run_finished"; readonly exhausted: boolean;
      readonly cause?: "natural_end" | "max_steps" | "cancelled" | "stopped"; readonly detail?: Json;
    }
  /** The run failed; with the code `indeterminate` nobody knows how it ended. */
  | { readonly type: "run_failed"; readonly code: string; readonly message: string };

/** A live fragment: a preview that may be lost. */
export type Delta =
  /** The next characters of the answer. */
  | { readonly type: "text_delta"; readonly delta: string }
  /** The next characters of the reasoning. */
  | { readonly type: "reasoning_delta"; readonly delta: string }
  /** The next characters of a call's arguments; none at first, which opens the call. */
  | { readonly type: "tool_call_delta"; readonly id: string; readonly name: string; readonly args_delta: string };

/** What may stand in an envelope (A1). */
export type AgentEvent =
  /** On a live stream it has no authority: it is a hint to read. */
  | { readonly tier: "fact"; readonly event: Fact }
  /** Shown as a preview. */
  | { readonly tier: "delta"; readonly event: Delta };

/** A Fact with its place. */
export interface PlacedFact {
  /** Unique in the thread, and ascending. */
  readonly position: Position;
  /** The run that it is of. */
  readonly run_id: string;
  /** The committed message that it comes from; absent for a state of the run. */
  readonly message_id?: string;
  /** The response that it comes from; absent where the log does not say it. */
  readonly coordinate?: Coordinate;
  /** The call that a result answers, or that an `awaiting` waits for. */
  readonly call?: Position;
  /** What happened. */
  readonly fact: Fact;
}

/** A piece of a message. A block of another `type` is carried through as it came. */
export type Block = KnownBlock | UnknownBlock;

/** The blocks that have a meaning (A2.1). */
export type KnownBlock =
  /** What is said. */
  | { readonly type: "text"; readonly text: string }
  /** A picture; where it is, as the host says it. */
  | { readonly type: "image"; readonly source: Json }
  /** A document; where it is, as the host says it. */
  | { readonly type: "document"; readonly source: Json; readonly title?: string; readonly context?: string }
  /** A hit of a search, with what was found. */
  | { readonly type: "search_result"; readonly source: string; readonly title: string; readonly content: Json; readonly citations?: Json }
  /** Something that may not be shown. */
  | { readonly type: "redacted" }
  /** A tool call of the model; the id is the provider's, unique only among the calls of its message. */
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Json }
  /** What the call with that id came to. */
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly content: readonly Block[]; readonly is_error: boolean }
  /** What the model thought; the signature is the provider's. */
  | { readonly type: "thinking"; readonly text: string; readonly signature?: string };

/** `type` is none of a {@link KnownBlock}; the compiler can't say so, and so gives its other keys no type. */
export interface UnknownBlock {
  /** The host's own word. */
  readonly type: string;
  /** As it came. */
  readonly [key: string]: any;
}

/** A committed message (A2.1). */
export interface Message {
  /** As the host gave it. Ids such as `tool-…` may repeat; what is unique is the row's `seq`. */
  readonly id: string;
  /** Who says it; a tool's results are of the role `Tool`. */
  readonly role: "System" | "User" | "Assistant" | "Tool";
  /** Its blocks, in order. */
  readonly content: readonly Block[];
}

/** Where a run stands. Only a committed state ends a run. */
export type RunState =
  | "Running" | "Awaiting"
  /** Over, and how. Nothing of the run follows. */
  | { readonly Ended: EndCause };

/** How a run ended. `Indeterminate`: nobody knows, and it is never taken for success. */
export type EndCause =
  | "NaturalEnd" | "MaxSteps" | "Cancelled" | "Indeterminate"
  /** The host stopped it, and says why. */
  | { readonly Stopped: Json }
  /** It failed: the agent's runtime, or the model and its tools with a code of the host's own. */
  | { readonly Error: "CapabilityBound" | "StateConflict" | { readonly Inference: { readonly code: string; readonly message: string } } };

/** What an awaiting run waits for (A2.4). */
export interface ResumeTicket {
  /** One of three. */
  readonly target:
    /** A tool call: with its id and, for a prompt that needs no message, the tool and its arguments. */
    | {
        readonly ToolCall: {
          readonly reason: "Permission" | "ClientExecution" | "ScheduledAction" | "Delegation";
          readonly call_id: string;
          readonly tool?: { readonly tool_id: string; readonly arguments: Json };
        };
      }
    /** Something from outside, for the call with that id. */
    | { readonly RemoteInput: { readonly reason: "UserInput" | "ExternalEvent"; readonly call_id: string } }
    /** No call: the run pauses. */
    | { readonly Pause: "Manual" | "RateLimit" | "BudgetReached" };
}

/** A committed message with its place in the log. */
export interface MessageRow {
  /** Its number in the log: dense over messages and states, never changed, never reused. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Null for what belongs to no run. */
  readonly run_id: string | null;
  /** For an assistant's message: the model step within the run. */
  readonly step?: number;
  /** For an assistant's message: which answer of that step. */
  readonly response?: number;
  /** What was said. */
  readonly message: Message;
}

/** A committed change of a run's state with its place in the log. */
export interface RunRow {
  /** Its number in the log, as of a {@link MessageRow}. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Whose state it is. */
  readonly run_id: string;
  /** Where the run stands from here on. */
  readonly state: RunState;
  /** What it waits for; only with `Awaiting`. */
  readonly resume_ticket?: ResumeTicket;
}

/** A record of the log. */
export type Row = MessageRow | RunRow;

/** One answer of a committed read (C1): messages, states and the frontier of one moment. */
export interface Page {
  /** The contract's name; a client refuses another. */
  readonly contract: "threadfold/1";
  /** Whose log it is. */
  readonly thread_id: string;
  /** The log's name: another one says that announced records were lost or rewritten. */
  readonly epoch: string;
  /** The last committed seq; −1 for an empty log. */
  readonly frontier: number;
  /** There are more rows in the direction that was asked for. */
  readonly has_more: boolean;
  /** By ascending seq. */
  readonly messages: readonly MessageRow[];
  /** By ascending seq. */
  readonly runs: readonly RunRow[];
}
