//! The `threadfold/1` wire: the live stream's frames and the commands (semantics C1, C2).

mod command;
mod frame;

pub use command::{Accepted, Answer, OnActive, Refusal, Refused, ResumeRequest, SendInput, SendRequest};
pub use frame::{Bye, Committed, DeltaFrame, End, Frame, Live, Opened, Outcome, Ping, Start};

/// The name of the contract, as `opened` and pages carry it.
pub const CONTRACT: &str = "threadfold/1";

#[cfg(test)]
mod tests;
