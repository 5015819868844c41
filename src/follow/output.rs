//! What a follower says and asks for.

use super::command::{Command, CommandError, CommandId};
use super::dsh::Queued;
use super::input::{Generation, ReadId};
use crate::event::{Coordinate, Delta, Epoch, RunId};
use crate::preview::Growth;
use crate::thread::Record;
use std::sync::Arc;

/// Names one preview for as long as it is shown. It is this follower's own number and on no wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId(pub u32);

/// One thing that the follower says or asks for. Outputs are taken in order, until there are none.
#[derive(Debug, Clone)]
pub enum Output {
    /// Open the live stream, as this generation.
    OpenLive(Generation),
    /// Close the live stream of this generation.
    CloseLive(Generation),
    /// Ask for a sign of life of this generation's stream, over its own connection and with no effect on the host: it was
    /// silent, and nothing else shows whether it is half open (B4). Whatever comes of the stream is an answer.
    Knock(Generation),
    /// Read what was committed. A read that is still under way was for a log that is over or had no answer in time: it
    /// may be given up, and its answer is ignored.
    Fetch(Fetch),
    /// Send a command.
    Request(CommandId, Command),
    /// A command is over: accepted, or why not.
    Done(CommandId, Result<super::command::Accepted, CommandError>),
    /// The thread changed: one change of what is seen.
    Step(Step),
    /// The connection's state changed.
    Status(Status),
    /// Something was odd. It is counted and shown to whoever looks, and never fatal.
    Anomaly(Anomaly),
}

/// A committed read (C1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// Names the answer.
    pub id: ReadId,
    /// Rows after this seq; None for the start.
    pub after: Option<u64>,
    /// At most so many rows.
    pub limit: u32,
    /// Only of this epoch.
    pub epoch: Option<Epoch>,
    /// Of a dsh log: the newest rows up to this seq.
    pub through: Option<u64>,
}

/// What changes in one go: previews out and records in belong together (I1, I8).
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// The log before is void: forget all records and all lanes first, then take these.
    pub replace: bool,
    /// Records that joined on, in log order.
    pub records: Vec<Arc<Record>>,
    /// What became of previews, in order.
    pub lanes: Vec<LaneChange>,
    /// The records with these seqs leave the view: others were put in their place (B2). The log keeps them.
    pub covered: Vec<u64>,
    /// The messages that wait for their turn, when they changed (B2).
    pub queue: Option<Vec<Queued>>,
}

impl Step {
    /// True when nothing changes.
    pub fn is_empty(&self) -> bool {
        let same_log = !self.replace && self.records.is_empty() && self.covered.is_empty();
        same_log && self.lanes.is_empty() && self.queue.is_none()
    }
}

/// What became of a preview.
#[derive(Debug, Clone)]
pub enum LaneChange {
    /// A new lane, empty, below all others.
    Open {
        /// The lane.
        lane: LaneId,
        /// The run.
        run_id: RunId,
        /// The response, where the stream says it.
        coordinate: Option<Coordinate>,
    },
    /// It grew: the Delta that came, and where it went. The content itself is the follower's
    /// ([`Follower::lane`](super::Follower::lane)).
    Grew {
        /// The lane.
        lane: LaneId,
        /// What came.
        delta: Delta,
        /// What it did to the content.
        growth: Growth,
    },
    /// What was shown of it is void; it is empty again.
    Reset {
        /// The lane.
        lane: LaneId,
    },
    /// Its stream is there (true) or gone (false: shown as unconfirmed).
    Confirmed {
        /// The lane.
        lane: LaneId,
        /// There or gone.
        confirmed: bool,
    },
    /// The record with this seq, among this step's records, takes its place: same key, same change.
    Settled {
        /// The lane.
        lane: LaneId,
        /// The record.
        seq: u64,
    },
    /// It goes and leaves nothing.
    Dropped {
        /// The lane.
        lane: LaneId,
    },
}

/// The connection's state, separate from any run's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Not connected yet.
    Idle,
    /// The first opening is under way.
    Connecting,
    /// The stream is open and the log is read up to what it announced.
    Live,
    /// The stream is open or being opened, and the log is behind.
    CatchingUp,
    /// The platform says that there is no network.
    Offline,
    /// The next opening is due at this time, in the edge's milliseconds.
    Waiting {
        /// When.
        retry_at: u64,
    },
    /// Refused for want of authority; renew it and retry.
    Unauthorized,
    /// Given up; the code says why, retry starts anew.
    Failed {
        /// A stable word for programs.
        code: &'static str,
    },
    /// Closed by the app.
    Closed,
}

/// Something odd that was seen and survived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anomaly {
    /// A stable word for programs.
    pub code: &'static str,
    /// A sentence for people, with the offending value, or its beginning where it is very long.
    pub message: String,
}

/// How long a message may be, in bytes: a host's value in it may have any length.
const LONGEST_MESSAGE: usize = 1000;

impl Anomaly {
    /// An anomaly; a message that is too long to be shown to anybody ends in an ellipsis.
    pub fn new(code: &'static str, mut message: String) -> Self {
        if message.len() > LONGEST_MESSAGE {
            message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
            message.shrink_to_fit();
            message.push('…');
        }
        Self { code, message }
    }
}
