//! What a transcoder is fed, as one type with a wire.

use crate::event::{Coordinate, Delta, Fact, MessageId, Position, RunId};
use crate::json::wire_tagged;
use crate::thread::Message;

wire_tagged! {
    /// One event of a thread, or what the person said beside the events.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Input by "type" {
        /// A new Fact.
        "fact" Fact {
            /// Its place.
            position: Position,
            /// The run.
            run_id: RunId,
            /// The message that it was made from.
            message_id: Option<MessageId> => optional,
            /// The response that it belongs to.
            coordinate: Option<Coordinate> => optional,
            /// The call that a result answers, or that is waited for (A3.4).
            call: Option<Position> => optional,
            /// The Fact.
            fact: Fact,
        }
        /// A Fact reads otherwise from now on (A3.8).
        "amend" Amend {
            /// Its place.
            position: Position,
            /// The whole Fact.
            fact: Fact,
        }
        /// A live fragment.
        "delta" Delta {
            /// The run.
            run_id: RunId,
            /// The response, where the stream says it.
            coordinate: Option<Coordinate> => optional,
            /// The fragment.
            delta: Delta,
        }
        /// Forget a preview, or everything (A1).
        "reset" Reset {
            /// The run; None for everything.
            run_id: Option<RunId> => optional,
            /// The response.
            coordinate: Option<Coordinate> => optional,
        }
        /// A message of the log that yields no Fact.
        "said" Said {
            /// The message.
            message: Message,
        }
    }
}

impl Input {
    /// The run that it belongs to, where it says one.
    pub fn run_id(&self) -> Option<&RunId> {
        match self {
            Self::Fact { run_id, .. } | Self::Delta { run_id, .. } => Some(run_id),
            Self::Reset { run_id, .. } => run_id.as_ref(),
            Self::Amend { .. } | Self::Said { .. } => None,
        }
    }
}
