//! What stands in a dsh log, as far as a thread is made of it (B2), and how the log begins (B3).

use super::frame::Chunk;
use crate::event::{AttemptId, CallId, MessageId};
use crate::thread::{Block, EndCause, Inference};

/// One thing of the `session/follow` stream, in the order in which it came.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// The first item of every opening.
    Snapshot(Box<Snapshot>),
    /// The log grew.
    Event(Event),
    /// An attempt goes on.
    Frame(super::frame::Frame),
}

/// How an opening begins: a window of the log, and the attempt that streams.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The session that the host speaks of.
    pub session: String,
    /// The log's version.
    pub version: u64,
    /// The last seq of the window; None for an empty log.
    pub cursor: Option<u64>,
    /// The newest events up to there.
    pub events: Vec<Event>,
    /// Older events are unread.
    pub has_more: bool,
    /// The messages that wait as of the cursor, where the host says so.
    pub inbox: Option<Vec<Queued>>,
    /// The frames' baseline; None from a host that sends none.
    pub baseline: Option<Baseline>,
}

/// Where the frames stand: later than the window's cursor, for the two are taken one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// The last frame's number; 0 for none in this life of the agent.
    pub revision: u64,
    /// The attempt that streams.
    pub active: Option<Active>,
}

/// An attempt under way, with all that it has said.
#[derive(Debug, Clone, PartialEq)]
pub struct Active {
    /// The attempt.
    pub attempt: AttemptId,
    /// The last durable seq when it began.
    pub started_after: Option<u64>,
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// The index of the next chunk.
    pub next: u64,
    /// Its stream, expanded to the chunks that were sent.
    pub chunks: Vec<Chunk>,
}

/// The answer to a read of the log: it says nothing of attempts.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// The events, ascending.
    pub events: Vec<Event>,
    /// Older events are unread.
    pub has_more: bool,
}

/// An event of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its number, dense from 0.
    pub seq: u64,
    /// When it was written, in milliseconds since 1970.
    pub time: u64,
    /// What it does to what the model sees.
    pub surface: Surface,
    /// What happened.
    pub body: Body,
}

/// What an event does to what the model sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Nothing.
    None,
    /// It is added.
    Append,
    /// It takes the place of all from one event to another.
    Replace {
        /// The first that it covers.
        start: u64,
        /// The last that it covers.
        end: u64,
    },
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A turn began.
    TurnStart {
        /// The turn.
        turn: u32,
    },
    /// A turn is over.
    TurnEnd {
        /// The turn.
        turn: u32,
        /// Why.
        cause: EndCause,
    },
    /// A step began.
    StepStart {
        /// The turn.
        turn: u32,
        /// The step.
        step: u32,
    },
    /// A step is over.
    StepEnd {
        /// The turn.
        turn: u32,
        /// The step.
        step: u32,
    },
    /// What an attempt left.
    Settlement(Settlement),
    /// A message that is no answer: the person's, the system's, or one that the host made.
    Said(Said),
    /// A tool answered.
    Result {
        /// The turn.
        turn: u32,
        /// The step.
        step: u32,
        /// The message.
        id: MessageId,
        /// The call.
        call: CallId,
        /// The answer.
        content: Vec<Block>,
        /// True when the tool failed.
        is_error: bool,
    },
    /// Somebody has to allow a call.
    Asked {
        /// The question.
        id: String,
        /// The call.
        call: Option<CallId>,
        /// The tool.
        tool: String,
        /// Why it is asked, for people.
        reason: Option<String>,
    },
    /// A question is answered.
    Decided {
        /// The question.
        id: String,
    },
    /// The attempt that failed will be repeated.
    Retry {
        /// The turn.
        turn: u32,
        /// The step.
        step: u32,
        /// How many of how many.
        retry: u32,
        /// At most so many.
        most: u32,
        /// What failed.
        failure: Option<Inference>,
    },
    /// The messages that wait changed.
    Spliced(Splice),
    /// Anything else, by its type: noted and passed (B2).
    Other(String),
}

/// What an attempt left in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// An answer, or only a trace of a failure.
    pub kind: SettlementKind,
}

/// What an attempt left in the log.
#[derive(Debug, Clone, PartialEq)]
pub enum SettlementKind {
    /// `assistant/message`: an answer.
    Message {
        /// The message.
        id: MessageId,
        /// It was cut off.
        interrupted: bool,
        /// What it says.
        content: Vec<Block>,
    },
    /// `assistant/attempt`: no answer came of it.
    Attempt {
        /// All that the provider said.
        chunks: Vec<Chunk>,
    },
}

/// A message that is no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The turn, where the event says it.
    pub turn: Option<u32>,
    /// Instructions, or a user turn.
    pub is_system: bool,
    /// The message, by the id that its sender knows.
    pub id: MessageId,
    /// What was said.
    pub content: Vec<Block>,
    /// The host made it: what for.
    pub injected: Option<String>,
}

/// A message that waits for its turn or step.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    /// It waits for the next step of the turn that runs (true), or for the next turn.
    pub steers: bool,
    /// The message, by the id that its sender knows.
    pub id: MessageId,
    /// What is said.
    pub content: Vec<Block>,
}

/// A change of one of the two lists of messages that wait.
#[derive(Debug, Clone, PartialEq)]
pub struct Splice {
    /// Which list: for the next step, or for the next turn.
    pub steers: bool,
    /// Where.
    pub start: usize,
    /// How many are taken out there.
    pub removed: usize,
    /// What is put in there.
    pub inserted: Vec<Queued>,
}

impl Body {
    /// The turn that the event names.
    pub fn turn(&self) -> Option<u32> {
        match self {
            Self::TurnStart { turn }
            | Self::TurnEnd { turn, .. }
            | Self::StepStart { turn, .. }
            | Self::StepEnd { turn, .. }
            | Self::Settlement(Settlement { turn, .. })
            | Self::Result { turn, .. }
            | Self::Retry { turn, .. } => Some(*turn),
            Self::Said(said) => said.turn,
            Self::Asked { .. } | Self::Decided { .. } | Self::Spliced(_) | Self::Other(_) => None,
        }
    }
}

impl Event {
    /// True for what a host counts when it is asked for so many messages.
    pub fn is_message(&self) -> bool {
        match &self.body {
            Body::Settlement(settlement) => matches!(settlement.kind, SettlementKind::Message { .. }),
            Body::Said(_) | Body::Result { .. } => true,
            _ => false,
        }
    }

    /// The settlement that the event is, if it can be one: an answer that is added, or a trace (B4, OWN).
    pub fn settlement(&self) -> Option<&Settlement> {
        match &self.body {
            Body::Settlement(settlement) => match settlement.kind {
                SettlementKind::Message { .. } => (self.surface == Surface::Append).then_some(settlement),
                SettlementKind::Attempt { .. } => Some(settlement),
            },
            _ => None,
        }
    }
}

impl Settlement {
    /// The type of its event.
    pub fn event_type(&self) -> &'static str {
        match self.kind {
            SettlementKind::Message { .. } => "assistant/message",
            SettlementKind::Attempt { .. } => "assistant/attempt",
        }
    }
}
