//! One thread followed: the follower's steps become Facts, a view and events.
//!
//! Like the follower it has no clock, no randomness and no I/O: every [`Engine::handle`] is followed by draining
//! [`Engine::poll`], and [`Engine::deadline`] says when to come back. The page, the simulator and the replay all use it.

mod events;
mod thread;

pub use events::Event;
pub use thread::{Effect, Engine};

#[cfg(test)]
mod tests;
