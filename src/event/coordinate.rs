//! Which response an event belongs to, and where in the log a Fact stands.

use super::RunId;
use crate::json::wire_object;

wire_object! {
    /// One response of the model: the run, its step, and which answer of that step (A1).
    #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Coordinate {
        /// The run.
        pub run_id: RunId,
        /// The model step within the run, from 0.
        pub step: u32,
        /// 0 for the first answer of a step, +1 for each continuation after a token limit.
        pub response: u32,
    }
}

wire_object! {
    /// A Fact's place: the record it comes from, and its number within that record (A3).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Position {
        /// The record's seq.
        pub seq: u64,
        /// 0 for what the record opens, 1 and on for the record's own Facts.
        pub index: u32,
    }
}
