//! The wire of a dsh host (semantics B): one session over one socket and a few calls, without doing either.
//!
//! [`Carrier`] stands between an engine and whoever owns sockets: it takes what the engine asks for and what the host
//! sends, and says what to connect, send, call, and tell the engine. See its documentation for the loop.

mod calls;
mod carrier;
mod decode;
mod event;
mod mux;
mod stream;

pub use calls::{Answer, Call, Failure, Listed, create_session, created, list_sessions, listed};
pub use carrier::{Act, Carrier, Options};
pub use decode::{read_item, read_window};
pub use stream::{Record as StreamRecord, Timed, expand};

#[cfg(test)]
mod tests;
