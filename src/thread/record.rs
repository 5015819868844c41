//! Committed records: one row per message and one per change of a run's state (C1).

use super::{Block, Inference, Message, ResumeTicket, RunState};
use crate::event::{Coordinate, RunId};
use crate::json::{Error, Reader, Wire, Writer, wire_object};

wire_object! {
    /// A committed message with its place.
    #[derive(Debug, Clone, PartialEq)]
    pub struct MessageRow {
        /// Its number in the log; messages and run states share one dense count.
        pub seq: u64,
        /// When it was committed, in milliseconds since 1970.
        pub time: u64 => default,
        /// The run it belongs to; null for a message that belongs to none.
        pub run_id: Option<RunId> => nullable,
        /// For an assistant's message: the model step.
        pub step: Option<u32> => optional,
        /// For an assistant's message: which answer of that step.
        pub response: Option<u32> => optional,
        /// What the host says of the message beside it: why it made a user turn, or `interrupted` for an answer that was
        /// cut off (B2).
        pub mark: Option<String> => optional,
        /// The message.
        pub message: Message,
    }
}

wire_object! {
    /// A change of a run's state with its place; never rewritten.
    #[derive(Debug, Clone, PartialEq)]
    pub struct RunRow {
        /// Its number in the log.
        pub seq: u64,
        /// When it was committed, in milliseconds since 1970.
        pub time: u64 => default,
        /// The run.
        pub run_id: RunId,
        /// The state from here on.
        pub state: RunState,
        /// What the run waits for, on an Awaiting row.
        pub resume_ticket: Option<ResumeTicket> => optional,
    }
}

/// Something of a dsh log that is in the view and is no Fact (B2).
#[derive(Debug, Clone, PartialEq)]
pub struct AsideRow {
    /// Its number in the log.
    pub seq: u64,
    /// When it was committed, in milliseconds since 1970.
    pub time: u64,
    /// The run.
    pub run_id: RunId,
    /// The model step.
    pub step: u32,
    /// Which attempt of that step it is, or comes after.
    pub response: u32,
    /// What it is.
    pub aside: Aside,
}

/// What an aside is.
#[derive(Debug, Clone, PartialEq)]
pub enum Aside {
    /// An attempt of which no answer came.
    Attempt {
        /// What it had said.
        content: Vec<Block>,
        /// What the provider said of the failure.
        failure: Option<Inference>,
    },
    /// The attempt before will be repeated.
    Retry {
        /// Which repetition it is, from 1.
        retry: u32,
        /// At most so many.
        most: u32,
        /// What had failed.
        failure: Option<Inference>,
    },
}

/// A row of the log.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// A message was committed.
    Message(MessageRow),
    /// A run changed its state.
    Run(RunRow),
    /// Something that is no Fact; the contract has no such row.
    Aside(AsideRow),
}

impl Record {
    /// Its number in the log.
    pub fn seq(&self) -> u64 {
        match self {
            Self::Message(row) => row.seq,
            Self::Run(row) => row.seq,
            Self::Aside(row) => row.seq,
        }
    }

    /// The run it belongs to.
    pub fn run_id(&self) -> Option<&RunId> {
        match self {
            Self::Message(row) => row.run_id.as_ref(),
            Self::Run(row) => Some(&row.run_id),
            Self::Aside(row) => Some(&row.run_id),
        }
    }
}

impl AsideRow {
    /// The attempt that this row is or comes after.
    pub fn coordinate(&self) -> Coordinate {
        Coordinate { run_id: self.run_id.clone(), step: self.step, response: self.response }
    }
}

impl MessageRow {
    /// The response that this row is, when the row itself says it.
    pub fn coordinate(&self) -> Option<Coordinate> {
        Some(Coordinate { run_id: self.run_id.clone()?, step: self.step?, response: self.response? })
    }
}

impl Wire for Record {
    /// A row with a `message` is a message row, any other a run row: the two share one list on the live stream (C2).
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        if r.has("message")? { MessageRow::read(r).map(Self::Message) } else { RunRow::read(r).map(Self::Run) }
    }

    fn write(&self, w: &mut Writer) {
        match self {
            Self::Message(row) => row.write(w),
            Self::Run(row) => row.write(w),
            // It is on no wire of ours.
            Self::Aside(_) => w.null(),
        }
    }
}
