//! What a follower is told.

use super::command::{Command, CommandId, Outcome as CommandOutcome};
use super::dsh::{Item, Window};
use super::frame::Frame;
use crate::event::Envelope;
use crate::json::{self, Notes};
use crate::thread::Page;

/// Which opening of the live stream something belongs to. What comes under an older one is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u32);

/// Which committed read something belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReadId(pub u32);

/// Something that happened to a follower.
#[derive(Debug, Clone)]
pub enum Input {
    /// The app wants the thread followed; again after [`Input::Close`] is refused.
    Connect,
    /// Something came of the live stream.
    Live(Generation, Live),
    /// A committed read was answered.
    Page(ReadId, Result<(Page, Notes), ReadError>),
    /// A read of a dsh log was answered.
    Window(ReadId, Result<(Window, Notes), ReadError>),
    /// The app wants something done.
    Command(CommandId, Command),
    /// A command's request was answered.
    Response(CommandId, CommandOutcome),
    /// There is a reason to look again at once.
    Wake(Wake),
    /// The page went out of sight: no openings until it is seen again.
    Hidden,
    /// The platform says that there is no network: no openings until there is.
    Offline,
    /// A deadline that the follower named has come.
    Tick,
    /// The app is done; nothing more is asked for.
    Close,
}

/// What comes of the live stream.
#[derive(Debug, Clone)]
pub enum Live {
    /// The host accepted; no frame yet.
    Accepted,
    /// A frame of `threadfold/1`.
    Frame(Frame, Notes),
    /// An event of a plain stream.
    Plain(Envelope, Notes),
    /// An item of a dsh host's stream.
    Dsh(Item, Notes),
    /// Bytes that are no event (a comment, say): a sign of life.
    Activity,
    /// The stream asks for a pause of this many milliseconds before it is opened again (`retry:`).
    Retry(u64),
    /// An event that could not be read: its name and why. It is as good as lost.
    Malformed(String, json::Error),
    /// An event of a name that is not known.
    Unknown(String),
    /// The stream is over.
    Closed(Closed),
}

/// Why a stream is over. None of these says anything about a run (A4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// It ended, or the network did; nobody can tell which.
    Lost,
    /// It was refused with this status, and after how many milliseconds to ask again if the host said so.
    Refused {
        /// The HTTP status.
        status: u16,
        /// `Retry-After` in milliseconds.
        retry_after: Option<u64>,
    },
    /// The answer was no event stream: its content type.
    NotAStream(String),
    /// An event was larger than the limit in bytes.
    TooLarge(usize),
    /// The host ended it and said why.
    Failed {
        /// A word for programs.
        code: String,
        /// A sentence for people.
        message: String,
    },
}

/// Why a committed read failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// No answer came.
    Network(String),
    /// It was refused with this status.
    Refused {
        /// The HTTP status.
        status: u16,
        /// `Retry-After` in milliseconds.
        retry_after: Option<u64>,
        /// The host's code, if it gave one.
        code: Option<String>,
    },
    /// The answer was not a page: what was wrong with it.
    Malformed(String),
}

/// A reason to look again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// The page is seen again.
    Visible,
    /// The network is back.
    Online,
    /// The page came out of the back-forward cache.
    Pageshow,
    /// The app or the person asks.
    User,
}
