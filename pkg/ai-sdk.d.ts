// The AI SDK over a thread, versions 6 and 7. `ai` is an optional peer dependency, of which only the types are used.

import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import type { Accepted, ThreadClient } from "./index.js";

/** What a transport is made of. */
export interface ThreadChatTransportOptions {
  /** The thread. It is connected when it is first needed; close it when the page is done with it. */
  thread: ThreadClient;
  /**
   * The major version of `ai`. Default 6, whose stream version 7 reads as well; 7 takes back the open step without a cut.
   */
  version?: 6 | 7;
  /** False to say that there was reasoning, and not what. Default true. */
  reasoning?: boolean;
  /** What to do when a message is sent while a run is active. Default `reject`. */
  onActive?: "reject" | "queue" | "cancel";
  /**
   * What the chat's own `stop()` does: `detach` (the default) stops reading and leaves the run alone, as leaving the page
   * does; `cancel` ends the run as well.
   */
  abort?: "detach" | "cancel";
}

/**
 * A transport for `useChat` and other chats of the AI SDK. It reads nothing from a response: what it streams is what the
 * thread's client knows, so a lost connection, a reload and a restarted host are none of the chat's business.
 *
 * - A message keeps its id. An assistant's message has its run's id, while it streams, when it is committed and after a
 *   reload; what follows an approval goes on in it.
 * - `sendMessage()` without a message, or `sendAutomaticallyWhen`, the SDK's rules or the transport's own, sends the answers to an approval and a client tool's
 *   output as a resume, and ends a pause. Whoever answers first wins.
 * - A failed run is the chat's error.
 * - `regenerate()` and editing are refused with `unsupported`: what was said stays said.
 */
export class ThreadChatTransport<UI_MESSAGE extends UIMessage = UIMessage> implements ChatTransport<UI_MESSAGE> {
  /** @throws ThreadfoldError `bad_argument`. */
  constructor(options: ThreadChatTransportOptions);

  /** A resumed stream carries the whole message. */
  readonly resumeStreamIsReplay: true;

  /** Called by the chat: says its last message or answers what the run waits for, and streams the run that comes of it. */
  sendMessages(options: Parameters<ChatTransport<UI_MESSAGE>["sendMessages"]>[0]): Promise<ReadableStream<UIMessageChunk>>;

  /** The thread's last run from its beginning, running or over; null when nothing was said yet. */
  reconnectToStream(
    options?: Partial<Parameters<ChatTransport<UI_MESSAGE>["reconnectToStream"]>[0]>,
  ): Promise<ReadableStream<UIMessageChunk> | null>;

  /**
   * Ends the active run for everybody.
   * @throws ThreadfoldError `no_active_run`, and as `ThreadClient.cancel`.
   */
  stop(): Promise<Accepted>;

  /**
   * For the chat's option of this name: true when its last message answers what the run waits for. The rules that the SDK
   * has for it wait until all calls of a step are answered, those that the host runs after this one too.
   */
  readonly sendAutomaticallyWhen: (options: { messages: UI_MESSAGE[] }) => boolean;

  /**
   * Has the chat read again by itself when that is needed: when something has to be taken back that the version has no
   * word for (without this it is the chat's error `cut`, which `resumeStream()` mends), when another page says something,
   * and when the host has another log.
   * @param chat What `useChat` returns, or a `Chat`.
   * @returns Ends it.
   */
  follow(chat: FollowingChat<UI_MESSAGE>): () => void;
}

/** What `follow` needs of a chat. */
export interface FollowingChat<UI_MESSAGE extends UIMessage = UIMessage> {
  /** Reads the last run anew. */
  resumeStream(): Promise<void>;
  /** As `useChat` has it. */
  setMessages?(update: (messages: UI_MESSAGE[]) => UI_MESSAGE[]): void;
  /** Written to where there is no `setMessages`, as in a `Chat`. */
  messages: UI_MESSAGE[];
}

/**
 * What was committed of the thread, as a chat's first messages, with the ids that the transport gives. Read again when the
 * log is replaced; what streams is not among them, and comes with `resume`.
 */
export function toUIMessages<UI_MESSAGE extends UIMessage = UIMessage>(thread: ThreadClient): UI_MESSAGE[];
