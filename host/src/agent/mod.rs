//! Who answers: the model behind a small trait, the scripted one, and the tools that the host itself can run.
//!
//! A model says one response at a time. What follows from it (tools, tickets, retries, continuations, the run's end)
//! is the business of [`crate::run`].

mod lines;
mod script;
mod tools;

pub use script::Script;
pub use tools::{Kind, described, kind, run};

use threadfold::event::{Coordinate, Delta, ThreadId};
use threadfold::thread::{Inference, Message, Pause};
use tokio::sync::mpsc;

/// A wish for one response.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The thread.
    pub thread: ThreadId,
    /// Which response it will be.
    pub coordinate: Coordinate,
    /// How many attempts at this response have failed.
    pub attempt: u32,
    /// The run's messages so far, the person's first.
    pub run: Vec<Message>,
    /// The whole thread's messages, the run's included; empty unless the model wants them.
    pub history: Vec<Message>,
}

/// A piece of a response.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A fragment.
    Delta(Delta),
    /// The response is complete.
    Finish(Finish),
    /// The attempt failed; what it said counts for nothing.
    Failed(Inference),
}

/// What comes after a complete response.
#[derive(Debug, Clone, PartialEq)]
pub enum Finish {
    /// Its tool calls are carried out; with none, the run ends.
    Done,
    /// The token limit cut it.
    Length,
    /// The run rests.
    Pause(Pause),
    /// A guard injects this user turn and the run goes on.
    Steer(String),
    /// A guard stops the run for this reason.
    Stop(String),
}

/// A model. The pieces come through a short channel, so that a held reader holds the model; a dropped one ends it.
pub trait Model: Send + Sync + 'static {
    /// Begins a response.
    fn answer(&self, ask: Ask) -> mpsc::Receiver<Piece>;

    /// True when [`Ask::history`] is needed.
    fn wants_history(&self) -> bool;
}
