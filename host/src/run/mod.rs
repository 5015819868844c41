//! Runs belong to the host: they begin with a command, go on without any client, and end in the log.
//!
//! A run's place is a pure function of its committed rows ([`next`]), so that it can go on after a pause in the same
//! way whether or not the host was restarted in between.

mod command;
mod drive;
mod gate;
mod next;
mod respond;
mod thread;

pub use command::{Rejected, Resumed};
pub use gate::Gate;
pub use next::{Call, Next, next};
pub use thread::{Limits, Thread, Threads};

#[cfg(test)]
mod tests;
