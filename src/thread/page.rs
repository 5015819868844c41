//! One answer of a committed read (C1).

use super::{MessageRow, Record, RunRow};
use crate::event::{Epoch, ThreadId};
use crate::json::wire_object;

wire_object! {
    /// Messages, run states and frontier in one answer.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Page {
        /// `threadfold/1`; anything else is not this contract.
        pub contract: String,
        /// The thread that was read.
        pub thread_id: ThreadId,
        /// The log's epoch.
        pub epoch: Epoch,
        /// The last committed seq that the host knew of, −1 for an empty log: a lower bound.
        pub frontier: Option<u64>,
        /// True when more rows follow in the direction of the read.
        pub has_more: bool => default,
        /// The message rows, ascending.
        pub messages: Vec<MessageRow>,
        /// The run rows, ascending.
        pub runs: Vec<RunRow>,
    }
}

impl Page {
    /// All rows in log order.
    pub fn into_records(self) -> Vec<Record> {
        let mut records: Vec<Record> = self.messages.into_iter().map(Record::Message).collect();
        records.extend(self.runs.into_iter().map(Record::Run));
        in_log_order(&mut records);
        records
    }
}

/// Puts rows in order of seq. One copy for all callers: a sort is large.
pub(crate) fn in_log_order(records: &mut [Record]) {
    records.sort_unstable_by_key(Record::seq);
}
