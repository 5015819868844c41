// A thread's events in the words of other protocols.

import type { Coordinate, Delta, Fact, Message, PlacedFact, Position } from "./wire.js";

/**
 * The protocols that are built in: the AI SDK's UI message stream, AG-UI 1.0, managed-agent sessions, the Agent Client
 * Protocol (what an agent says in one turn, as JSON-RPC) and A2A 1.0.
 */
export type TranscoderName = "ai-sdk" | "ag-ui" | "managed-agents" | "acp" | "a2a";

/** What the built-in transcoders are asked with; each takes what it knows. */
export interface TranscoderOptions {
  /** AI SDK: the client's major version. Default 6. */
  version?: 6 | 7;
  /** AI SDK: false to say that there was reasoning, and not what. Default true. */
  reasoning?: boolean;
  /** AG-UI: the thread's id as its client is told it; ACP: the session's; A2A: the context's. Default: the source's. */
  threadId?: string;
  /** ACP: the JSON-RPC id of the prompt that is answered. Default: the run's id. */
  requestId?: string | number;
}

/** What {@link ThreadClient.transcode} is asked with. */
export interface TranscodeOptions extends TranscoderOptions {
  /** Default `last`; see `ThreadClient.transcode`. */
  from?: "last" | "next";
  /** Only parts of this run. */
  run?: string;
  /** Default `objects`. */
  as?: "objects" | "bytes";
  /** Ends the stream with the signal's reason. */
  signal?: AbortSignal;
}

/** An event of the protocol; its own package has the types. */
export type TranscodedEvent = Readonly<Record<string, any>>;

/** `end`: the stream is complete, what follows is another. `cut`: it ends without being complete, and is no success. */
export type TranscodedChunk = TranscodedEvent | "end" | "cut";

/** A Fact reads otherwise from now on. */
export interface AmendEvent {
  /** Which Fact. */
  readonly position: Position;
  /** As it reads now. */
  readonly fact: Fact;
}

/** A live fragment. */
export interface DeltaEvent {
  /** The run that it is of. */
  readonly run_id: string;
  /** The response that it is of; absent where the stream does not say it. */
  readonly coordinate?: Coordinate;
  /** What came. */
  readonly delta: Delta;
}

/** What was shown live is to be forgotten. */
export interface ResetEvent {
  /** Only of this run; absent, everything. */
  readonly run_id?: string;
  /** Only of this response. */
  readonly coordinate?: Coordinate;
}

/** What the person said, or an instruction: a message that yields no Fact. */
export interface SaidEvent {
  /** As committed. */
  readonly message: Message;
}

/** A built-in transcoder over a whole thread: give it all events, in order. */
export interface Transcoder {
  /** A Fact; each position once. */
  fact(event: PlacedFact): TranscodedChunk[];
  /** A Fact that was given reads otherwise. */
  amend(event: AmendEvent): TranscodedChunk[];
  /** A preview. */
  delta(event: DeltaEvent): TranscodedChunk[];
  /** Without a run, everything is forgotten. */
  reset(event?: ResetEvent): TranscodedChunk[];
  /** A message that yields no Fact. */
  said(event: SaidEvent): TranscodedChunk[];
  /** No more events come. A run that did not end is cut, not finished. */
  finish(): TranscodedChunk[];
  /** How many events and blocks could not be shown. */
  readonly skipped: number;
}

type Written<E> = Iterable<E> | void;

/** A handler for each kind of Fact, so that none is left out by mistake. */
export type FactHandlers<E> = {
  [K in Fact["type"]]: (event: PlacedFact & { readonly fact: Extract<Fact, { type: K }> }) => Written<E>;
};

/** A transcoder of your own: what the handlers return is written. */
export interface TranscoderHandlers<E = unknown> {
  /** A Fact: one function for all, or one for each kind. */
  fact: ((event: PlacedFact) => Written<E>) | FactHandlers<E>;
  /** A call has another disposition. */
  amend?(event: AmendEvent): Written<E>;
  /** A preview. */
  delta?(event: DeltaEvent): Written<E>;
  /** What was shown live of a response, or everything, is to be forgotten. */
  reset?(event: ResetEvent): Written<E>;
  /** What the person said. */
  said?(event: SaidEvent): Written<E>;
  /** No more events come. */
  finish?(): Written<E>;
}

/**
 * A transcoder by its protocol's name; its module is loaded on first use.
 * @throws ThreadfoldError `bad_argument`, or why the module did not load.
 */
export function createTranscoder(name: TranscoderName, options?: TranscoderOptions): Promise<Transcoder>;

/** Your handlers as one transcoder, whatever is not there filled in: what each gives can be read. */
export interface HandledTranscoder<E = unknown> {
  /** What the handler of this kind of Fact gives. */
  fact(event: PlacedFact): Iterable<E>;
  /** What `amend` gives; nothing where there is none. */
  amend(event: AmendEvent): Iterable<E>;
  /** What `delta` gives; nothing where there is none. */
  delta(event: DeltaEvent): Iterable<E>;
  /** What `reset` gives; without an event, everything is forgotten. */
  reset(event?: ResetEvent): Iterable<E>;
  /** What `said` gives; nothing where there is none. */
  said(event: SaidEvent): Iterable<E>;
  /** What `finish` gives; nothing where there is none. */
  finish(): Iterable<E>;
}

/**
 * Your handlers as a whole transcoder.
 * @throws ThreadfoldError `bad_argument`, naming the Facts without a handler.
 */
export function createTranscoder<E>(handlers: TranscoderHandlers<E>): Promise<HandledTranscoder<E>>;
