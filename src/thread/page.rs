//! One answer of a committed read (C1).

use super::{MessageRow, Record, RunRow};
use crate::event::{Epoch, ThreadId};
use crate::json::wire_object;
use std::borrow::Borrow;

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
    /// All rows in log order, as records or as what is made of them one by one (`Arc<Record>`).
    pub fn into_records<T: From<Record> + Borrow<Record>>(self) -> Vec<T> {
        // Both kinds ascend, so the lower of the two is always the next. A page that says otherwise is put in order after.
        let mut records = Vec::with_capacity(self.messages.len() + self.runs.len());
        let mut runs = self.runs.into_iter().peekable();
        for message in self.messages {
            while let Some(run) = runs.next_if(|run| run.seq < message.seq) {
                records.push(Record::Run(run).into());
            }
            records.push(Record::Message(message).into());
        }
        records.extend(runs.map(|run| Record::Run(run).into()));
        in_log_order(&mut records);
        records
    }
}

/// Puts rows in order of seq: a heap sort, since the library's costs ten kilobytes of wasm for each type.
pub(crate) fn in_log_order<T: Borrow<Record>>(records: &mut [T]) {
    if records.is_sorted_by_key(|record| record.borrow().seq()) {
        return;
    }
    for root in (0..records.len() / 2).rev() {
        sift_down(records, root);
    }
    for last in (1..records.len()).rev() {
        records.swap(0, last);
        let (heap, _) = records.split_at_mut(last);
        sift_down(heap, 0);
    }
}

/// Lets the row at `root` sink until none below it has a higher seq.
fn sift_down<T: Borrow<Record>>(heap: &mut [T], mut root: usize) {
    let seq = |heap: &[T], place: usize| heap.get(place).map(|record| record.borrow().seq());
    loop {
        let left = root * 2 + 1;
        let child = if seq(heap, left + 1) > seq(heap, left) { left + 1 } else { left };
        if seq(heap, child) <= seq(heap, root) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}
