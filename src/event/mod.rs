//! The vocabulary: Facts, Deltas, and where each belongs (semantics A1).
//!
//! A [`Fact`] is complete and comes only from the fold. A [`Delta`] is a live fragment and may be lost or doubled.

mod coordinate;
mod envelope;
mod fact;

pub use coordinate::{Coordinate, Position};
pub use envelope::{AgentEvent, Envelope};
pub use fact::{Cause, Delta, Disposition, Fact, PlacedFact};

use crate::json::wire_id;

wire_id! {
    /// A thread: one conversation and its log.
    ThreadId
    /// A run: one turn of the agent, from the person's message to its end.
    RunId
    /// A message, unique only together with its record's seq (A2.1).
    MessageId
    /// A tool call as the provider named it; unique only within its batch (A3.4).
    CallId
    /// One model call while it streams. Opaque, and without meaning beyond one opening of the stream (B1, C3.2).
    AttemptId
    /// One life of a host's log: another epoch is another log (C1).
    Epoch
}

#[cfg(test)]
mod tests;
