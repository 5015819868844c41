//! The `threadfold/1` wire: the live stream's frames and the commands (semantics C1, C2).

mod command;
mod exchange;

pub use crate::follow::frame::{
    Active, Bye, CONTRACT, Committed, DeltaFrame, End, Frame, Frames, Opened, Outcome, Ping, Start,
};
pub use crate::follow::{Answer, OnActive};
pub use command::{Accepted, Refusal, Refused, ResumeRequest, SendInput, SendRequest};
pub use exchange::{live_event, next_event, plain_event, read_page, request, response};

#[cfg(test)]
mod tests;
