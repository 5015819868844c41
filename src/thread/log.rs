//! The log: records in order, without holes, of one epoch.

use super::Record;
use crate::event::Epoch;
use std::sync::Arc;

/// A run of records that follow each other by seq, all of one epoch. It begins at seq 0, or later where older rows were
/// not read.
#[derive(Debug, Clone)]
pub struct Log {
    epoch: Epoch,
    records: Vec<Arc<Record>>,
}

/// What became of records that were offered to a log.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    /// Those that were new and joined on, in log order.
    pub applied: Vec<Arc<Record>>,
    /// How many were known already.
    pub known: usize,
    /// How many lay beyond a hole, and so were left out.
    pub beyond: usize,
}

impl Log {
    /// An empty log of this epoch.
    pub fn new(epoch: Epoch) -> Self {
        Self { epoch, records: Vec::new() }
    }

    /// A log that begins with the first of these records, whatever its seq: older rows are unread.
    pub fn beginning_with(epoch: Epoch, records: impl IntoIterator<Item = Arc<Record>>) -> Self {
        let mut records = records.into_iter();
        let mut log = Self { epoch, records: records.next().into_iter().collect() };
        log.join(records);
        log
    }

    /// The epoch that all records belong to.
    pub fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    /// The last seq, None when empty.
    pub fn last(&self) -> Option<u64> {
        self.records.last().map(|record| record.seq())
    }

    /// The first seq, None when empty. Above 0, older rows are unread.
    pub fn first(&self) -> Option<u64> {
        self.records.first().map(|record| record.seq())
    }

    /// The records, in order.
    pub fn records(&self) -> &[Arc<Record>] {
        &self.records
    }

    /// True when every seq up to this one is in the log; always true of the frontier of an empty thread (None).
    pub fn covers(&self, seq: Option<u64>) -> bool {
        seq <= self.last()
    }

    /// Adds a record of a log whose records are only some of its rows: whoever reads the rows sees to it that none is
    /// missing. False for one that is not above the last.
    pub fn push(&mut self, record: Arc<Record>) -> bool {
        let joins = self.last().is_none_or(|last| last < record.seq());
        if joins {
            self.records.push(record);
        }
        joins
    }

    /// Offers records in ascending order. An empty log begins at seq 0: what a live stream announces before the log was
    /// read lies beyond a hole.
    pub fn join(&mut self, records: impl IntoIterator<Item: Into<Arc<Record>>>) -> Joined {
        let mut joined = Joined::default();
        let records = records.into_iter();
        self.records.reserve(records.size_hint().0);
        joined.applied.reserve(records.size_hint().0);
        for record in records {
            let record = record.into();
            let next = self.last().map_or(0, |last| last.saturating_add(1));
            if record.seq() < next {
                joined.known += 1;
            } else if record.seq() > next {
                joined.beyond += 1;
            } else {
                self.records.push(Arc::clone(&record));
                joined.applied.push(record);
            }
        }
        joined
    }
}
