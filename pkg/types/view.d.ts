/**
 * What a page shows of a thread, and the changes between two such views.
 *
 * A view is a plain immutable value: what did not change is the same object (`===`) in the next view, and
 * `JSON.stringify(view)` is complete.
 */

/** Everything that a page shows of a thread. */
export interface View {
  /**
   * Committed items in the order of the log, then previews in the order in which they were opened, then sends under way.
   * The list is made when it is first looked at; `sliceItems` and `countItems` do without it.
   */
  readonly items: readonly Item[];
  /** The run that matters now: the last one that began and is not over, else the last one that began. Null before the first. */
  readonly run: RunSummary | null;
  /** The state of the connection. It says nothing about the run. */
  readonly status: Status;
}

/** The state of the connection. */
export type Status =
  /**
   * `idle`: not begun. `connecting`: the stream is being opened for the first time. `live`: it is open, and all that was
   * committed is shown. `catching_up`: something that was committed is still being read. `offline`: the browser has no network.
   * `unauthorized`: the host wants other credentials; `retry()` asks again. `closed`: by `close()`.
   */
  | { readonly state: "idle" | "connecting" | "live" | "catching_up" | "offline" | "unauthorized" | "closed" }
  /** The next opening is due at this time, in milliseconds since 1970. */
  | { readonly state: "waiting"; readonly retry_at: number }
  /** Given up; `retry()` starts anew. */
  | { readonly state: "failed"; readonly code: string };

/** Where a run stands, as committed; a stream's end never changes it. */
export interface RunSummary {
  /** Which run. */
  readonly run_id: string;
  /** `finished` and `failed` are final. An outcome that nobody knows is `failed`. */
  readonly state: "running" | "awaiting" | "finished" | "failed";
  /** The record that set the state; null while only the run's messages were read. */
  readonly seq: number | null;
}

/** A line of the conversation. */
export type Item =
  | UserItem
  | InjectedItem
  | SystemItem
  | AssistantItem
  | AttemptItem
  | RetryItem
  | OrphanResultItem
  | AwaitingItem
  | FinishedItem
  | FailedItem;

/** What every item has. */
export interface ItemBase {
  /** The render key: unique in the view, and the same from the first fragment to the commit and after a reload. */
  readonly key: string;
  /**
   * `preview`: live, not committed yet. `unconfirmed`: a preview whose stream is gone; what was committed will replace it.
   * `committed`: it stands in the log.
   */
  readonly origin: "preview" | "unconfirmed" | "committed";
  /** The record's number in the log; null while it is not committed. */
  readonly seq: number | null;
  /** When it was committed, in milliseconds since 1970; null while it is not. */
  readonly time: number | null;
  /** Null for what belongs to no run, and for a send. */
  readonly run_id: string | null;
}

/** What the person said. */
export interface UserItem extends ItemBase {
  readonly kind: "user";
  /** As committed; a send has it before it is. */
  readonly message_id: string;
  /** What was said. */
  readonly parts: readonly Part[];
  /** What became of a message on its way to the log; null once it is committed. */
  readonly send: SendState | null;
}

/** What became of a send. */
export type SendState =
  /** On its way, or taken by the host and waiting for its turn. */
  | { readonly state: "sending" | "queued" }
  /** It was not taken, and why. */
  | { readonly state: "failed"; readonly code: string; readonly message: string };

/** A user turn that the host made: it is not something that the person said. */
export interface InjectedItem extends ItemBase {
  readonly kind: "injected";
  /** What for; a host has words of its own beside these. */
  readonly reason: "steer" | "continuation" | "resume_input" | "report" | (string & {});
  /** As committed. */
  readonly message_id: string;
  /** What the model was told. */
  readonly parts: readonly Part[];
}

/** Instructions to the model. */
export interface SystemItem extends ItemBase {
  readonly kind: "system";
  /** As committed. */
  readonly message_id: string;
  /** The instructions. */
  readonly parts: readonly Part[];
}

/** One response of the model. */
export interface AssistantItem extends ItemBase {
  readonly kind: "assistant";
  /** Null while it is not committed. */
  readonly message_id: string | null;
  /** The model step within the run; null where the host does not say it. */
  readonly step: number | null;
  /** Which answer of that step; null where the host does not say it. */
  readonly response: number | null;
  /** True when the answer was cut off and stands in the log all the same. */
  readonly interrupted?: true;
  /** What the model said, thought and called, in order. */
  readonly parts: readonly Part[];
}

/** An attempt of the model that failed. What it had said stays to be seen; the model does not see it. */
export interface AttemptItem extends ItemBase {
  readonly kind: "attempt";
  /** The run that it is of. */
  readonly run_id: string;
  /** As of {@link AssistantItem}: the key stays from the preview on. */
  readonly step: number;
  /** As of {@link AssistantItem}. */
  readonly response: number;
  /** Why it failed, as the host says it to programs; null where it does not. */
  readonly code: string | null;
  /** Why it failed, as the host says it to people; null where it does not. */
  readonly message: string | null;
  /** What it had said. */
  readonly parts: readonly Part[];
}

/** The model is asked once more, after an attempt that failed. */
export interface RetryItem extends ItemBase {
  readonly kind: "retry";
  /** The run that it is of. */
  readonly run_id: string;
  /** The step that is tried again. */
  readonly step: number;
  /** The attempt that failed. */
  readonly response: number;
  /** Why it failed, as of an {@link AttemptItem}. */
  readonly code: string | null;
  /** The same for people. */
  readonly message: string | null;
  /** How many retries this makes. */
  readonly retry: number;
  /** How many there may be. */
  readonly most: number;
}

/** A tool's result whose call is not in the log. */
export interface OrphanResultItem extends ItemBase {
  readonly kind: "orphan_result";
  /** The message that holds it. */
  readonly message_id: string;
  /** The call that it is said to answer. */
  readonly tool_use_id: string;
  /** The tool failed; `output` says how. */
  readonly is_error: boolean;
  /** What the tool came to. */
  readonly output: readonly Part[];
}

/** The run waits, or waited. */
export interface AwaitingItem extends ItemBase {
  readonly kind: "awaiting";
  /** The run that waits. */
  readonly run_id: string;
  /**
   * `tool_permission`, `client_execution`, `scheduled_action`, `delegation`, `user_input`, `external_event`,
   * `manual_pause`, `rate_limit` or `budget_reached`; null for one that this version does not know.
   */
  readonly reason: string | null;
  /** The call that is waited for; null for a pause. */
  readonly pending_tool_use_id: string | null;
  /** The tool and its arguments as the ticket states them, so that a prompt needs no message; null where it states none. */
  readonly tool: ToolInput | null;
  /** Where the call stands: the key of an assistant item and the number of its part; null where no message holds it. */
  readonly call: {
    /** The item's key. */
    readonly key: string;
    /** Its place among the item's parts. */
    readonly part: number;
  } | null;
  /** Why, as the host says it to people; absent where it does not. */
  readonly detail?: string;
  /** True once the run went on or ended: there is nothing to answer any more. */
  readonly resolved: boolean;
}

/** The run is over. */
export interface FinishedItem extends ItemBase {
  readonly kind: "finished";
  /** The run that is over. */
  readonly run_id: string;
  /** True when the step limit ended it. */
  readonly exhausted: boolean;
  /** What ended it: the model was done, a limit, a person (`cancel()`), or the host. */
  readonly cause: "natural_end" | "max_steps" | "cancelled" | "stopped";
  /** Why it was stopped, as the host says it; null otherwise. */
  readonly detail: unknown;
}

/** The run failed, or nobody knows how it ended (`indeterminate`). */
export interface FailedItem extends ItemBase {
  readonly kind: "failed";
  /** The run that failed. */
  readonly run_id: string;
  /** A stable word for programs, mostly the host's own. */
  readonly code: string;
  /** A sentence for people. */
  readonly message: string;
}

/** A piece of an item. Parts only ever grow or are added at the end, so a part's number is its render key in its item. */
export type Part = TextPart | ReasoningPart | ToolCallPart | ImagePart | DocumentPart | SearchResultPart | RedactedPart | UnknownPart;

/** What is said. */
export interface TextPart {
  readonly type: "text";
  /** All of it so far. */
  readonly text: string;
}

/** What the model thought. */
export interface ReasoningPart {
  readonly type: "reasoning";
  /** All of it so far. */
  readonly text: string;
}

/** A tool's arguments. */
export interface ToolInput {
  /** The tool; empty while its name has not come. */
  readonly name: string;
  /** The raw JSON text, with all digits of large numbers; while it streams, what has come of it. */
  readonly args: string;
  /**
   * The value of `args`, parsed when it is first read; while it streams, the value that what has come denotes so far
   * (whole characters, whole numbers' longest prefix, no key without its value). Undefined while there is none.
   */
  readonly input: unknown;
}

/** A tool call, with what came of it. */
export interface ToolCallPart extends ToolInput {
  readonly type: "tool_call";
  /** The provider's id of the call, unique only among the calls of its message. */
  readonly id: string;
  /**
   * `streaming`: a preview. `open`: no result yet, and the run goes on. `pending_client`: this app has to run it.
   * `pending_builtin`: the host waits for a permission, a schedule or a delegate. `unresolved`: the run ended without a
   * result. `output` and `error`: it has a result.
   */
  readonly state: "streaming" | "open" | "pending_client" | "pending_builtin" | "unresolved" | "output" | "error";
  /** The result; null while there is none. */
  readonly output: readonly Part[] | null;
  /** True when the model wrote arguments that are no JSON: `args` is then that text as a JSON string. */
  readonly invalid?: true;
}

/** A picture. */
export interface ImagePart {
  readonly type: "image";
  /** As the host says it. */
  readonly source: unknown;
}

/** A document. */
export interface DocumentPart {
  readonly type: "document";
  /** As the host says it. */
  readonly source: unknown;
  /** Null where it has none. */
  readonly title: string | null;
  /** What the model was told about it; null where nothing was. */
  readonly context: string | null;
}

/** A hit of a search. */
export interface SearchResultPart {
  readonly type: "search_result";
  /** Where it was found. */
  readonly source: string;
  /** What it is called. */
  readonly title: string;
  /** As the host says it. */
  readonly content: unknown;
  /** As the host says it; null where it says nothing. */
  readonly citations: unknown;
}

/** Something that was said and may not be shown. */
export interface RedactedPart {
  readonly type: "redacted";
}

/** A block that this version does not know, or that does not belong where it stands; kept whole. */
export interface UnknownPart {
  readonly type: "unknown";
  /** As it came. */
  readonly block: unknown;
}

/**
 * The changes that lead from one view to the next, applied in order and at once. `number` is one above that of the
 * changes before; where it is not, some were missed, and the whole view is asked for.
 */
export interface Changes {
  /** Its place in the sequence. */
  readonly number: number;
  /** In the order in which they are applied. */
  readonly changes: readonly Change[];
}

/** A whole view; the changes with `number + 1` follow it. */
export interface WholeView {
  /** The number of the last changes in it. */
  readonly number: number;
  /** The view after them. */
  readonly view: WireView;
}

/** One change of a view. */
export type Change =
  /** Everything anew, after a replaced log. What is equal keeps its identity. */
  | { readonly op: "reset"; readonly view: WireView }
  /**
   * From this place on the items are these: new ones as they are, those that stay as they were as their keys. What
   * follows the committed items (previews, sends) is always named, so places before `from` never move. `older` is how many
   * items stand before these that were left out.
   */
  | { readonly op: "tail"; readonly from: number; readonly older?: number; readonly items: readonly (WireItem | string)[] }
  /** What was left out until now: items in a row, each row from its place on. Before one of them changes, and when asked for. */
  | { readonly op: "older"; readonly spans: readonly { readonly from: number; readonly items: readonly WireItem[] }[] }
  /**
   * A part's text grew, or a streaming call's arguments; those come with what they denote so far:
   * `args.slice(0, keep) + close` is JSON of it (`keep` 0: nothing yet), and with the tool's name if that was not known.
   */
  | {
      readonly op: "append";
      readonly key: string;
      readonly part: number;
      readonly text: string;
      readonly keep?: number;
      readonly close?: string;
      readonly name?: string;
    }
  /** The item has a new part, at its end. */
  | { readonly op: "part"; readonly key: string; readonly part: WirePart }
  /** A committed call has another state, and perhaps a result. */
  | {
      readonly op: "call";
      readonly key: string;
      readonly part: number;
      readonly state: ToolCallPart["state"];
      readonly output: readonly Part[] | null;
    }
  /** These fields of an item read so from now on. */
  | { readonly op: "item"; readonly key: string; readonly set: WireItemFields }
  /** These fields of the view read so from now on. */
  | { readonly op: "view"; readonly set: { readonly run?: RunSummary | null; readonly status?: Status } };

/** The fields of an item that change while the item stays. */
export type WireItemFields = {
  /** Of a preview: whether its stream is there. */
  readonly origin?: ItemBase["origin"];
  /** Of a send. */
  readonly send?: SendState | null;
  /** Of a wait. */
  readonly resolved?: boolean;
};

/** A tool's arguments as they travel: `input` is made of `args` where they arrive, by `keep` and `close` while they stream. */
type Wired<T> = T extends ToolInput ? Omit<T, "input"> & { readonly keep?: number; readonly close?: string } : T;

/** A part as it travels. */
export type WirePart = Wired<Part>;

/** An item as it travels. */
export type WireItem = Item extends infer T
  ? T extends { readonly parts: readonly Part[] }
    ? Omit<T, "parts"> & { readonly parts: readonly WirePart[] }
    : T extends { readonly tool: ToolInput | null }
      ? Omit<T, "tool"> & { readonly tool: Wired<ToolInput> | null }
      : T
  : never;

/** A view as it travels; `older` is how many items stand before these that were left out. */
export type WireView = Omit<View, "items"> & { readonly items: readonly WireItem[]; readonly older?: number };
