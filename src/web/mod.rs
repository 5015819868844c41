//! The browser edge: what the engine asks for is done here, and what happens in a browser is told to it.
//!
//! One [`Driver`] per thread. Every callback of the platform hands its input to the engine, takes all effects out, and
//! only then performs them, so that nothing of the app ever runs while the engine is borrowed. All that is open (the
//! stream, requests, timers, listeners) is held by a value whose drop closes it.

mod clock;
mod driver;
mod dsh;
mod event_source;
mod fetch_stream;
mod host;
mod http;
mod lifecycle;
mod listener;
mod perform;

pub use driver::Driver;
pub use dsh::Came;
pub use host::Host;
pub use http::{Http, Transport};

use crate::source::dsh::Carrier;
use std::cell::RefCell;

/// Where a thread is.
#[derive(Debug)]
pub enum Source {
    /// A host of the `threadfold/1` contract.
    Http(Http),
    /// The app's own source, asked through [`Host`].
    Custom,
    /// A session of a dsh host; [`Host`] owns the socket and makes the calls.
    Dsh(RefCell<Carrier>),
}

#[cfg(test)]
mod tests;
