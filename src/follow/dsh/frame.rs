//! What the live stream says of attempts (B1). The words are the host's own, so that the type is the wire.
#![allow(non_snake_case)]

use crate::event::{AttemptId, CallId};
use crate::json::{self, Fragment, Raw, wire_object, wire_tagged};

wire_tagged! {
    /// A frame: it belongs to one life of the host's agent, and moves no cursor (I3).
    #[derive(Debug, Clone, PartialEq)]
    pub enum Frame by "type" {
        /// An attempt begins; its request is not sent yet.
        "start" Start {
            /// The attempt, unique within this life of the agent only.
            attemptId: AttemptId,
            /// This frame's number in this life of the agent.
            revision: u64,
            /// The last durable seq at this place of the stream, −1 for an empty log.
            startedAfterSeq: Option<u64>,
            /// The turn.
            turn: u32,
            /// The step.
            step: u32,
        }
        /// The provider said something.
        "chunk" Chunk {
            /// The attempt.
            attemptId: AttemptId,
            /// This frame's number.
            revision: u64,
            /// The chunk's number within the attempt, dense from 0.
            index: u64,
            /// When it came, in milliseconds since 1970; clocks go backwards at times.
            time: u64,
            /// What was said.
            chunk: Chunk,
        }
        /// An attempt is over.
        "end" End {
            /// The attempt.
            attemptId: AttemptId,
            /// This frame's number.
            revision: u64,
            /// How many chunks there were.
            index: u64,
            /// What became of it.
            outcome: Outcome,
        }
    } else
    /// A frame that this version does not know.
    Unknown
}

wire_tagged! {
    /// What became of an attempt.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Outcome by "kind" {
        /// Its settlement came before this frame.
        "committed" Committed {
            /// The settlement's type.
            eventType: String,
            /// The settlement's seq.
            seq: u64,
        }
        /// It left nothing.
        "abandoned" Abandoned {}
    } else
    /// An outcome that this version does not know.
    Unknown
}

wire_tagged! {
    /// A piece of an attempt.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Chunk by "type" {
        /// A block is there; nothing of it was said yet.
        "block-start" BlockStart {
            /// The block's number in the message.
            index: u64,
            /// What kind of block it will be.
            blockType: String,
        }
        /// Text of a block.
        "text-delta" Text {
            /// The block's number.
            index: u64,
            /// The piece.
            text: Fragment,
        }
        /// Reasoning of a block.
        "reasoning-delta" Reasoning {
            /// The block's number.
            index: u64,
            /// The piece.
            text: Fragment,
        }
        /// Arguments of a tool call.
        "tool-call-delta" ToolCall {
            /// The block's number.
            index: u64,
            /// The call.
            id: CallId,
            /// The tool; only the first piece names it.
            name: Option<String> => optional,
            /// The piece, a suffix.
            argumentsDelta: Fragment,
        }
        /// A block is whole: this replaces what was said of it, and freezes it.
        "block-end" BlockEnd {
            /// The block's number.
            index: u64,
            /// The block.
            block: WholeBlock,
        }
        /// What it cost so far.
        "usage" Usage {
            /// As the host says it.
            usage: Raw,
        }
        /// The provider is done, or failed.
        "finish" Finish {
            /// Why, as the host says it.
            reason: Raw,
            /// What the provider wants to have back.
            replayState: Option<Raw> => optional,
        }
    } else
    /// A piece that this version does not know; it counts all the same.
    Unknown
}

wire_tagged! {
    /// A block of an assistant's message.
    #[derive(Debug, Clone, PartialEq)]
    pub enum WholeBlock by "type" {
        /// Text.
        "text" Text {
            /// The text.
            text: String,
        }
        /// Reasoning.
        "reasoning" Reasoning {
            /// The reasoning.
            text: String,
        }
        /// A call of a tool.
        "tool-call" ToolCall {
            /// The call.
            id: CallId,
            /// The tool.
            name: String,
            /// The arguments as the model wrote them: mostly JSON.
            arguments: String,
        }
    } else
    /// A block that this version does not know, kept whole.
    Unknown
}

wire_object! {
    struct Numbered {
        revision: Option<u64> => optional,
    }
}

impl Frame {
    /// This frame's number in this life of the agent. A frame of a kind that this version does not know has one too, or
    /// None.
    pub fn revision(&self) -> Option<u64> {
        match self {
            Self::Start { revision, .. } | Self::Chunk { revision, .. } | Self::End { revision, .. } => Some(*revision),
            Self::Unknown(raw) => json::read::<Numbered>(raw.as_str()).ok()?.revision,
        }
    }
}
