//! The events of a thread in the words of other protocols, so that people keep the page that they have.
//!
//! One [`Transcoder`] per protocol. An instance sees the Facts and the Deltas of one thread, in order, and writes that
//! protocol's events: while a response streams and when it is committed, under the same ids. What it has to take back,
//! it takes back by the protocol's own way. It knows events, and nothing of where they come from.

mod a2a;
mod acp;
mod ag_ui;
mod ai_sdk;
mod blocks;
mod calls;
mod flow;
mod framing;
mod input;
mod managed;
mod named;
mod protocol;
mod response;
mod same_json;
mod segment;
mod words;

pub use a2a::a2a;
pub use acp::acp;
pub use ag_ui::ag_ui;
pub use ai_sdk::{AI_SDK_HEADER, AiSdkOptions, AiSdkVersion, ai_sdk};
pub use framing::{Framing, frame};
pub use input::Input;
pub use managed::managed_agents;
pub use named::{TranscodeOptions, transcoder};
pub use segment::{Segment, Wanted};

use crate::event::{Coordinate, Delta, Fact, PlacedFact, Position, RunId};
use crate::thread::Message;

/// A piece of a protocol's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// One event, as JSON text.
    Event(String),
    /// The stream is complete; what follows is another stream.
    End,
    /// The stream ends here without having come to an end: whoever reads it must come back, and what follows is the
    /// stream for that. It is never a success.
    Cut,
}

/// Translates a thread's events into one protocol. Never fails: what a protocol cannot show is counted.
pub trait Transcoder: Send {
    /// A new Fact.
    fn fact(&mut self, fact: &PlacedFact) -> Vec<Chunk>;

    /// The Fact at this position reads so from now on (A3.8).
    fn amend(&mut self, position: Position, fact: &Fact) -> Vec<Chunk>;

    /// A live fragment; a protocol without a word for it writes nothing.
    fn delta(&mut self, run_id: &RunId, coordinate: Option<&Coordinate>, delta: &Delta) -> Vec<Chunk>;

    /// Forget what was shown of this response; of everything, Facts too, where no run is named (A1).
    fn reset(&mut self, run_id: Option<&RunId>, coordinate: Option<&Coordinate>) -> Vec<Chunk>;

    /// No more events come: closes whatever is open. A run that did not end is cut, not finished.
    fn finish(&mut self) -> Vec<Chunk>;

    /// What the person said, or an instruction: no Fact, and needed only where a protocol retracts by saying the whole
    /// thread again.
    fn said(&mut self, _message: &Message) {}

    /// How many events and blocks could not be shown.
    fn skipped(&self) -> u64;

    /// Takes any input.
    fn take(&mut self, input: &Input) -> Vec<Chunk> {
        match input {
            Input::Fact { position, run_id, message_id, coordinate, call, fact } => self.fact(&PlacedFact {
                position: *position,
                run_id: run_id.clone(),
                message_id: message_id.clone(),
                coordinate: coordinate.clone(),
                call: *call,
                fact: fact.clone(),
            }),
            Input::Amend { position, fact } => self.amend(*position, fact),
            Input::Delta { run_id, coordinate, delta } => self.delta(run_id, coordinate.as_ref(), delta),
            Input::Reset { run_id, coordinate } => self.reset(run_id.as_ref(), coordinate.as_ref()),
            Input::Said { message } => {
                self.said(message);
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests;
