/// <reference lib="esnext.disposable" />

// What JavaScript sees of threadfold. Data has the wire's names (snake_case, semantics A1, A2, C1); options and methods
// have JavaScript's (camelCase).

export * from "./types/wire.js";
export * from "./types/view.js";
export * from "./types/transcode.js";

import type { AgentEvent, Block, Coordinate, Delta, Fact, Page, PlacedFact, Position, ResumeTicket, Row, RunState } from "./types/wire.js";
import type { TranscodedEvent, TranscodeOptions, TranscoderHandlers, TranscoderName } from "./types/transcode.js";
import type { Item, View } from "./types/view.js";

// ---------------------------------------------------------------------------------------------------------- loading

/**
 * Loads the WebAssembly module. Not needed: the client loads it on first use. Call it to load early, or to say where
 * the module is. Several calls load once; after a failure the next call tries again.
 *
 * @param input Where the module is, or what it is, if not beside the package's own files.
 * @throws ThreadfoldError `wasm_missing`, `wasm_unreachable`, `wasm_not_wasm`, `wasm_blocked` (a Content-Security-Policy
 *   without `'wasm-unsafe-eval'`), `wasm_invalid`.
 */
export function init(input?: string | URL | Response | ArrayBuffer | ArrayBufferView | WasmModule): Promise<void>;

/** `WebAssembly.Module`, where the compiler knows it. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;

// ----------------------------------------------------------------------------------------------------------- errors

/** A stable word for programs; hosts add their own for commands that they refuse. */
export type ErrorCode =
  /** The client was closed. */
  | "closed"
  /** `fold`, `terminal` or `classify` was called before `init()` was done. */
  | "not_loaded"
  /** An option or argument is wrong; the message names it. */
  | "bad_argument"
  /** The module's file is not where it was looked for. */
  | "wasm_missing"
  /** The module could not be fetched. */
  | "wasm_unreachable"
  /** Something else, such as an HTML page, was served in the module's place. */
  | "wasm_not_wasm"
  /** A Content-Security-Policy forbids WebAssembly. */
  | "wasm_blocked"
  /** This platform can't run the module. */
  | "wasm_invalid"
  /** The host could not be reached; a command may have been carried out all the same, and is safe to repeat. */
  | "unreachable"
  /** 401 or 403: renew the credentials, then `retry()`. */
  | "unauthorized"
  /** A run is active and the send did not say what to do then. */
  | "run_active"
  /** Somebody answered first. */
  | "already_resolved"
  /** Nothing waits for this answer. */
  | "nothing_pending"
  /** There is no run to cancel. */
  | "no_active_run"
  /** Following was given up; the message says why. `retry()` starts anew. */
  | "not_found" | "no_content" | "foreign_contract" | "wrong_thread"
  /** A stream of another protocol could not take back what it had written. */
  | "cut"
  /** A fault of threadfold itself. The client is closed; what was committed is not affected. */
  | "internal"
  | (string & {});

/** Every error that this package throws or rejects with. */
export class ThreadfoldError extends Error {
  readonly name: "ThreadfoldError";
  /** What went wrong, for programs. The message says it to people, with what to do. */
  readonly code: ErrorCode;
  /** Of use to tests, and to a source of your own. */
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
}

// ----------------------------------------------------------------------------------------------------------- client

/** What a client is made of. */
export interface ClientOptions {
  /** Where the thread is: {@link threadfold}, {@link dsh}, or a source of your own. */
  source: Source;
  /**
   * A committed page, from server rendering say, to show before anything was read. It is read again only from its
   * frontier on.
   */
  initial?: Page | undefined;
  /** Told of every skipped or unknown thing. Never fatal; runs in a microtask. */
  onAnomaly?: ((anomaly: Anomaly) => void) | undefined;
}

/** Something that was skipped or not understood; what goes on is the same without it. */
export interface Anomaly {
  /** A stable word for programs. */
  readonly code: string;
  /** A sentence for people, with the offending value. */
  readonly message: string;
}

/**
 * One thread, followed. Making one does nothing and needs nothing to be loaded; `connect()` begins.
 *
 * Any method may be called from any callback. After `close()` every method that returns a promise rejects with `closed`,
 * and `view` stays what it was.
 */
export class ThreadClient implements Disposable {
  /** @throws ThreadfoldError `bad_argument`. */
  constructor(options: ClientOptions);

  /** What an app shows. The same object until something changes; what did not change keeps its identity (`===`). */
  readonly view: View;

  /**
   * Calls `listener` after each change of `view`, in a microtask, at most once per animation frame while text streams.
   * Made for `useSyncExternalStore`.
   * @returns Ends the subscription.
   */
  subscribe(listener: () => void): () => void;

  /**
   * Follows the thread. Resolves when what was committed is read and the live stream is open (`view.status` is `live`);
   * while the host or the network is away it waits and tries again. Several calls are one connection.
   * @throws ThreadfoldError `unauthorized` or why it was given up, `closed`, or why the module did not load.
   */
  connect(): Promise<void>;

  /** Looks again at once: after `unauthorized` or `failed`, or when the person asks. Before `connect()` it does nothing. */
  retry(): void;

  /**
   * Says something: the host commits it and starts a run. Safe against a lost answer: it is repeated with the same keys.
   * @throws ThreadfoldError `run_active`, `unreachable`, `unauthorized`, `bad_argument`, `closed`, or the host's code.
   */
  send(content: string | readonly Block[], options?: SendOptions): Promise<Accepted>;

  /**
   * Answers what a run waits for: a permission, a client tool's result, outside input, or (callId null) a pause.
   * @throws ThreadfoldError `nothing_pending`, `already_resolved`, and as `send`.
   */
  resume(callId: string | null, answer: Answer, options?: ResumeOptions): Promise<Accepted>;

  /**
   * Ends a run, the active one if none is named. Closing a client or a tab never does that.
   * @throws ThreadfoldError `no_active_run`, and as `send`.
   */
  cancel(runId?: string): Promise<Accepted>;

  /**
   * All that happens, from the first Fact on: Facts once per position, amendments, Deltas, resets. Any number of readers;
   * each has a bounded queue: a slow one loses Deltas (it gets a `reset`), never Facts. Ends when the client is closed.
   */
  events(options?: { signal?: AbortSignal | undefined }): AsyncIterableIterator<ThreadEvent>;

  /**
   * The thread in the words of another protocol, as `ReadableStream` of its events, or (`as: "bytes"`) of server-sent
   * events with the protocol's framing. Connects if that was not done.
   *
   * A built-in protocol's stream is one part of a run: from its beginning, or from the resume after a wait, to the next
   * wait or the end. With `from: "last"` (the default) it is the last part that has begun, whole, be it open or over; with
   * `from: "next"` the first one that begins after this call; with `run`, of that run. It ends when the part is complete.
   * Where it can't be completed it is an error, never a silent end: `cut` when the protocol has no word for what has to be
   * taken back (transcode again for the whole of it), `closed` when the client was closed.
   *
   * Your own handlers get the whole thread from its first Fact on; that stream ends when the client is closed. A reader
   * that is slow loses Deltas, never Facts.
   * @throws ThreadfoldError `bad_argument`; the stream errors with `cut`, `closed`, or as `connect`.
   */
  transcode(transcoder: TranscoderName, options: TranscodeOptions & { as: "bytes" }): ReadableStream<Uint8Array>;
  /** The same as objects. */
  transcode(transcoder: TranscoderName, options?: TranscodeOptions): ReadableStream<TranscodedEvent>;
  /** What your own handlers write, as server-sent events. */
  transcode(transcoder: TranscoderHandlers, options: { as: "bytes"; signal?: AbortSignal }): ReadableStream<Uint8Array>;
  /** What your own handlers write. */
  transcode<E>(transcoder: TranscoderHandlers<E>, options?: { as?: "objects"; signal?: AbortSignal }): ReadableStream<E>;

  /** All Facts so far, in order. Reads the whole thread: for a first rendering, say. After `close()` there are none. */
  facts(): PlacedFact[];

  /** What was counted since the client was made. */
  stats(): Stats;

  /** Ends everything: stream, requests, timers, listeners. The run goes on at the host. */
  close(): void;
  /** `close()`, for `using`. */
  [Symbol.dispose](): void;
}

/** How something is said. */
export interface SendOptions {
  /** The committed message's id; made when absent. */
  messageId?: string | undefined;
  /** Makes repeating safe; made when absent. */
  idempotencyKey?: string | undefined;
  /**
   * What to do while a run is active: refuse with `run_active` (the default), wait until it is over, end it, or (dsh hosts
   * alone) put it into the run.
   */
  onActive?: "reject" | "queue" | "cancel" | "steer" | undefined;
}

/** How a wait is answered. */
export interface ResumeOptions {
  /** The run; found by the call when absent. */
  runId?: string | undefined;
  /** Makes repeating safe; made when absent. */
  idempotencyKey?: string | undefined;
}

/** A permission; a result (a client tool's, or outside input); or, for a pause, just `{}`. */
export type Answer =
  /** Yes or no, and why, for the model to read. */
  | { approve: boolean; reason?: string | undefined }
  /** What the tool came to, or what was asked for. */
  | { content: string | readonly Block[]; is_error?: boolean | undefined }
  /** Nothing is answered: the run goes on. */
  | { approve?: undefined; content?: undefined };

/** What the host says when it has taken a command. */
export interface Accepted {
  /** The run that was begun or goes on. */
  readonly run_id?: string;
  /** The message's id, as committed. */
  readonly message_id?: string;
  /** The message's seq; absent while it is queued. */
  readonly seq?: number;
}

/** What happens in a thread. */
export type ThreadEvent =
  /** A Fact; each position comes once. */
  | ({ readonly type: "fact" } & PlacedFact)
  /** The Fact at this position reads so from now on. Only a call's disposition is ever amended. */
  | { readonly type: "amend"; readonly position: Position; readonly fact: Fact }
  /** A live fragment: a preview. Neighbours may come joined. */
  | { readonly type: "delta"; readonly run_id: string; readonly coordinate?: Coordinate; readonly delta: Delta }
  /** Forget what was shown live of this response; without a run, forget everything (the log was replaced). */
  | { readonly type: "reset"; readonly run_id?: string; readonly coordinate?: Coordinate };

/** Counts, all from zero when the client is made. */
export interface Stats {
  /** Events of the live stream that were understood. */
  readonly frames: number;
  /** Deltas that were shown. */
  readonly deltas: number;
  /** Frames and Deltas that had been seen before. */
  readonly duplicates: number;
  /** Holes in the numbering of frames or Deltas. */
  readonly gaps: number;
  /** Openings of the live stream because of a hole or a fault. */
  readonly reopens: number;
  /** All openings of the live stream. */
  readonly openings: number;
  /** Streams that ended without having been closed by this side. */
  readonly losses: number;
  /** Committed reads. */
  readonly reads: number;
  /** Commits that the live stream announced. */
  readonly commits: number;
  /** Records of the log that were taken, messages and states. */
  readonly records: number;
  /** Facts that the fold made of them. */
  readonly facts: number;
  /** Events that could not be read. */
  readonly malformed: number;
  /** Unknown events, keys and values. */
  readonly unknown: number;
  /** All that `onAnomaly` was told. */
  readonly anomalies: number;
  /** Halves of characters that became U+FFFD. */
  readonly replaced_halves: number;
  /** Bytes of answers and of the live stream; of a native EventSource, those of its events' data. */
  readonly bytes: number;
}

// ---------------------------------------------------------------------------------------------------------- sources

/** Where a thread is: what {@link threadfold} or {@link dsh} returns, or your own. */
export type Source = HttpSource | DshSource | CustomSource;

/** Where a host of the contract is, and how it is asked. */
export interface HttpOptions {
  /** The contract's root, `/v1` or `https://chat.example/v1`. */
  base: string;
  /** The thread. One that is not there yet begins with the first send. */
  threadId: string;
  /**
   * How the live stream is read. Default: `eventsource` where the platform has one and no headers are given, else
   * `fetch`. Headers together with `eventsource` are refused: it can't send them.
   */
  transport?: "eventsource" | "fetch" | undefined;
  /** `threadfold` (semantics C2, the default), or `plain`: envelopes as they come (C4). */
  protocol?: "threadfold" | "plain" | undefined;
  /** Headers for every request. A function is asked anew for each attempt, and may be async: renew a token there. */
  headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>) | undefined;
  /** As in fetch; `include` sends cookies to another origin. Default `same-origin`. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /** Added to the addresses of the live stream and of committed reads. */
  query?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds until a committed read or a command without an answer is given up and repeated. Default 30,000. */
  timeout?: number | undefined;
}

/** As fetch takes them. */
export type HeaderValues = Headers | Readonly<Record<string, string>> | [string, string][];

/** A host that serves the `threadfold/1` contract, or its committed half with a plain live stream. */
export function threadfold(options: HttpOptions): HttpSource;

/** What {@link threadfold} returns. */
export interface HttpSource {
  readonly kind: "http";
  /** As they were given. */
  readonly options: Readonly<HttpOptions>;
}

/** Where a dsh host is, and which of its sessions is followed. */
export interface DshOptions {
  /**
   * The host's address, of the page's own origin: its cookies are the browser's to send, and the host refuses another
   * origin. Default `/`.
   */
  url?: string | undefined;
  /** The session, as the host names it. */
  sessionId: string;
  /** The host's launch token. With it the client gets its cookie by itself; without, the page has one already. */
  token?: string | undefined;
  /**
   * The first opening brings at least so many of the session's newest messages, and a later one no fewer than are here.
   * Older ones are not read. Default 50.
   */
  maxMessages?: number | undefined;
  /** Milliseconds until a call without an answer is given up. Default 30,000. */
  timeout?: number | undefined;
}

/**
 * A session of a dsh host, followed over its WebSocket: turns are runs, attempts that failed are items of their own
 * ({@link AttemptItem}, {@link RetryItem}), prompts that wait are sends that are `queued`. `resume()` answers an approval
 * by `{ approve }`. Log versions 2 to 4 (2 and 3 are read as they are described, and were tried on no host).
 */
export function dsh(options: DshOptions): DshSource;

/** What {@link dsh} returns. */
export interface DshSource {
  readonly kind: "dsh";
  /** As they were given. */
  readonly options: Readonly<DshOptions>;
}

/**
 * A source of your own. What it gives may be values or JSON text. An error that it throws is a network fault, and is
 * tried again; an error with a `status` is a refusal with that HTTP status (`retryAfter` in ms, `code`, `message`).
 */
export interface CustomSource {
  /** As in {@link HttpOptions}. Default `threadfold`. */
  readonly protocol?: "threadfold" | "plain";
  /** Refuses pages of another thread; absent, the first page decides. */
  readonly threadId?: string;
  /** True when an `unauthorized` is worth asking again because credentials are renewed. */
  readonly renewable?: boolean;
  /** Opens the live stream. If it returns a promise, the stream is over when that settles. `signal` aborts it. */
  openLive(sink: LiveSink, signal: AbortSignal): void | Promise<void>;
  /** One committed page (C1). */
  readCommitted(query: CommittedQuery, signal: AbortSignal): Page | string | Promise<Page | string>;
  /** Commits the message and begins a run; the same key once more is the same run. Without it, sends are `unsupported`. */
  send?(request: SendRequest, signal: AbortSignal): Accepted | Promise<Accepted>;
  /** Answers what a run waits for. */
  resume?(request: ResumeRequest, signal: AbortSignal): Accepted | void | Promise<Accepted | void>;
  /** Ends a run. */
  cancel?(request: { run_id: string }, signal: AbortSignal): Accepted | void | Promise<Accepted | void>;
}

/** What a source of your own tells of its live stream. After `closed`, or once the signal is aborted, nothing more is heard. */
export interface LiveSink {
  /** The host accepted. Optional: the first event says it too. */
  accepted(): void;
  /** An event by its name (`opened`, `delta`, …), with its data as a value or as JSON text. */
  event(name: string, data: unknown): void;
  /** An envelope of a plain stream, as a value or as JSON text. */
  envelope(envelope: Envelope | string): void;
  /** A sign of life that is no event. */
  activity(): void;
  /** The stream is over: refused with a status, or lost. */
  closed(refusal?: { status?: number | undefined; retryAfter?: number | undefined }): void;
}

/** An event of a plain live stream (A1). */
export type Envelope =
  /** Without a coordinate: followed by its run. */
  | { run_id: string; kind: AgentEvent }
  /** With the response that it is of. */
  | { event: { run_id: string; kind: AgentEvent }; assistant_response?: { thread_id: string; step: number; response: number } };

/** Which rows are asked for (C1). */
export interface CommittedQuery {
  /** Rows after this seq; −1 for the start. */
  readonly after: number;
  /** Older rows than this; asked for only when the thread is read backwards. */
  readonly before?: number;
  /** At most so many rows, but always a whole commit. */
  readonly limit: number;
  /** Only of this epoch. */
  readonly epoch?: string;
}

/** What a person says, for the host (C1). */
export interface SendRequest {
  /** The message as it is to be committed, under this id. */
  readonly input: { readonly message_id: string; readonly content: readonly Block[] };
  /** The same when the request is repeated. */
  readonly idempotency_key: string;
  /** What to do while a run is active. Absent: refuse with 409 `run_active`. */
  readonly on_active?: "reject" | "queue" | "cancel";
}

/** The answer to what a run waits for (C1). */
export interface ResumeRequest {
  /** The run that waits. */
  readonly run_id: string;
  /** The call that it waits for; of a pause `pause`. */
  readonly correlation_id: string;
  /** The same when the request is repeated. */
  readonly idempotency_key: string;
  /** Of a permission. */
  readonly approve?: boolean;
  /** Why. */
  readonly reason?: string;
  /** A client tool's result, or outside input. */
  readonly content?: readonly Block[];
  /** The tool failed; `content` says how. */
  readonly is_error?: boolean;
}

// -------------------------------------------------------------------------------------------------------- functions
// They need the module: await `init()` once before. Numbers beyond 2⁵³ keep their digits only in JSON text.

/**
 * The Facts of committed rows, in order of position (A3).
 * @param options `windowed`: there are older rows that are not among these (A3.1). Default: the rows are the whole log.
 * @throws ThreadfoldError `not_loaded`, `bad_argument`.
 */
export function fold(rows: readonly Row[] | Page | string, options?: { windowed?: boolean | undefined }): PlacedFact[];

/**
 * How many items a view has, at no cost, however long the thread is.
 */
export function countItems(view: View): number;

/**
 * `view.items.slice(start, end)` at the cost of what is asked for: for a page that shows a window of a long thread. The list
 * of all items is not made, and the beginning of a thread is read only when it is asked for. The array is the same while the
 * same part of the same view is asked for.
 * @param start The first place; a negative one counts from the end.
 * @param end The place after the last; a negative one counts from the end.
 */
export function sliceItems(view: View, start?: number, end?: number): readonly Item[];

/** The Fact of a run's state; null while it goes on (A4). */
export function terminal(state: RunState, ticket?: ResumeTicket | null): Fact | null;

/** Where an event goes (A5). */
export function classify(event: AgentEvent): { tier: "fact" | "delta"; live: boolean; audit: boolean };
