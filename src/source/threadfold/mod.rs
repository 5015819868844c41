//! The `threadfold/1` wire: the live stream's frames and the commands (semantics C1, C2).

mod command;

pub use crate::follow::frame::{Active, Bye, Committed, DeltaFrame, End, Frame, Opened, Outcome, Ping, Start};
pub use crate::follow::{Answer, OnActive};
pub use command::{Accepted, Refusal, Refused, ResumeRequest, SendInput, SendRequest};

/// The name of the contract, as `opened` and pages carry it.
pub const CONTRACT: &str = "threadfold/1";

#[cfg(test)]
mod tests;
