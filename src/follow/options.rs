//! What a follower is made with.

use crate::event::ThreadId;
use crate::thread::Page;

/// How the live stream speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `threadfold/1` (C3).
    Strict,
    /// Plain envelopes (C4).
    Plain,
    /// The attempts and the log of a dsh host (B4).
    Dsh,
}

/// What a follower is made with.
#[derive(Debug, Clone)]
pub struct Options {
    /// How the live stream speaks.
    pub protocol: Protocol,
    /// The thread that is followed; pages of another are refused. None where the app does not name it.
    pub thread_id: Option<ThreadId>,
    /// True when each request asks for its headers anew, so that a 401 is worth another try.
    pub renewable: bool,
    /// True when silence shows that a stream is half open: any byte is seen, or the host promises pings. A ping that
    /// comes makes it true. Where neither is so, a dsh host is asked ([`Output::Knock`](super::Output::Knock)).
    pub watchdog: bool,
    /// A committed page to start from.
    pub initial: Option<Page>,
}
