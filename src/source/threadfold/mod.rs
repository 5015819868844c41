//! The `threadfold/1` wire: the live stream's frames and the commands (semantics C1, C2).

mod command;
mod http;

pub use crate::follow::frame::{
    Active, Bye, CONTRACT, Committed, DeltaFrame, End, Frame, Opened, Outcome, Ping, Start,
};
pub use crate::follow::{Answer, OnActive};
pub use command::{Accepted, Refusal, Refused, ResumeRequest, SendInput, SendRequest};
pub use http::{
    HttpRequest, fetch_query, is_event_stream, live_event, plain_event, read_page, request, response, resume_request,
    retry_after, thread_address, with_query,
};

#[cfg(test)]
mod tests;
