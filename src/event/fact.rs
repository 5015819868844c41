//! Facts and Deltas and their wire.

use super::{CallId, Coordinate, MessageId, Position, RunId};
use crate::json::{Fragment, Raw, wire_object, wire_tagged, wire_tokens};
use crate::thread::Block;

wire_tagged! {
    /// A complete event, derived from committed records by the fold and by nothing else (A1, A3).
    #[derive(Debug, Clone, PartialEq)]
    pub enum Fact by "type" {
        /// The run's first record was committed.
        "run_started" RunStarted {}
        /// What the assistant said, all visible blocks in order.
        "assistant_message" AssistantMessage {
            /// The message id.
            id: MessageId,
            /// The visible blocks.
            content: Vec<Block>,
        }
        /// The assistant thought; the text is there for apps that may show it.
        "assistant_thinking" AssistantThinking {
            /// The message id.
            id: Option<MessageId> => optional,
            /// The reasoning, blocks joined.
            text: Option<String> => optional,
        }
        /// The assistant asked for a tool.
        "tool_call" ToolCall {
            /// The call id.
            id: CallId,
            /// The tool's name.
            name: String,
            /// The whole input as JSON, digit for digit.
            input: Raw,
            /// What the log says of the call so far; the one thing that may be amended (A3.8).
            disposition: Disposition,
        }
        /// A tool answered.
        "tool_result" ToolResult {
            /// The call's id.
            id: CallId,
            /// What it answered.
            content: Vec<Block>,
            /// True when the tool failed.
            is_error: bool,
        }
        /// The run waits for somebody.
        "awaiting" Awaiting {
            /// The call that is waited for; null for a pause.
            pending_tool_use_id: Option<CallId> => nullable,
            /// Why, as a reason token (A2.4).
            reason: Option<String> => optional,
        }
        /// The run went on by itself or by an answer (A3.6).
        "continuation" Continuation {
            /// True when a guard steered it.
            steered: bool,
            /// What made it go on.
            detail: Raw,
        }
        /// The run ended and is known to have ended.
        "run_finished" RunFinished {
            /// True when the step limit ended it.
            exhausted: bool,
            /// Which end it was.
            cause: Option<Cause> => optional,
            /// The reason of a `stopped`.
            detail: Option<Raw> => optional,
        }
        /// The run failed, or nobody can say how it ended.
        "run_failed" RunFailed {
            /// A stable word for programs; `indeterminate` when the outcome is unknown.
            code: String,
            /// A sentence for people.
            message: String,
        }
    }
}

wire_tokens! {
    /// What the log says of a tool call (A3.5).
    pub enum Disposition {
        /// It has a result.
        "executed" Executed,
        /// The client has to run it.
        "pending_client" PendingClient,
        /// The host waits for a permission, a schedule or a delegate.
        "pending_builtin" PendingBuiltin,
        /// No result yet, and the run goes on.
        "open" Open,
        /// No result, and the run has ended: claiming that it ran would be false.
        "unresolved" Unresolved,
    }
}

wire_tokens! {
    /// How a finished run ended (A4).
    pub enum Cause {
        /// The assistant was done.
        "natural_end" NaturalEnd,
        /// The step limit was reached.
        "max_steps" MaxSteps,
        /// Somebody cancelled it.
        "cancelled" Cancelled,
        /// A guard stopped it.
        "stopped" Stopped,
    }
}

wire_tagged! {
    /// A live fragment: a preview that may be lost or doubled (A1).
    #[derive(Debug, Clone, PartialEq)]
    pub enum Delta by "type" {
        /// A piece of the answer's text.
        "text_delta" TextDelta {
            /// The piece.
            delta: Fragment,
        }
        /// A piece of reasoning.
        "reasoning_delta" ReasoningDelta {
            /// The piece.
            delta: Fragment,
        }
        /// A piece of a tool call's arguments; an empty one opens the call.
        "tool_call_delta" ToolCallDelta {
            /// The call id.
            id: CallId,
            /// The tool's name; empty where a later piece does not repeat it.
            name: String => default,
            /// The piece, always a suffix.
            args_delta: Fragment,
        }
    }
}

impl Delta {
    /// The piece.
    pub fn fragment(&self) -> &Fragment {
        match self {
            Self::TextDelta { delta } | Self::ReasoningDelta { delta } => delta,
            Self::ToolCallDelta { args_delta, .. } => args_delta,
        }
    }
}

wire_object! {
    /// A Fact with its place: what the fold yields (A3).
    #[derive(Debug, Clone, PartialEq)]
    pub struct PlacedFact {
        /// Where it stands; a position is used once.
        pub position: Position,
        /// The run it belongs to.
        pub run_id: RunId,
        /// The message it was made from, if it was made from one; a Fact at index 0 never is.
        pub message_id: Option<MessageId> => optional,
        /// The response it belongs to, for what an assistant said.
        pub coordinate: Option<Coordinate> => optional,
        /// The `ToolCall` that a `ToolResult` answers, or that an `Awaiting` waits for; None where there is none (A3.4).
        pub call: Option<Position> => optional,
        /// The Fact.
        pub fact: Fact,
    }
}
