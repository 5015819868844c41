//! The attempt that streams.

use super::Joined;
use threadfold::event::{AttemptId, Coordinate, Delta};
use threadfold::source::threadfold::Active as Baseline;
use threadfold::thread::Record;

/// One model call under way.
#[derive(Debug)]
pub(super) struct Active {
    pub attempt: AttemptId,
    /// The frontier when it began.
    pub started_after: Option<u64>,
    pub coordinate: Coordinate,
    /// How many Deltas were sent.
    pub next: u64,
    said: Joined,
}

/// What was sent of an attempt.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Which response it is.
    pub coordinate: Coordinate,
    /// How many Deltas were sent.
    pub count: u64,
    /// They, with neighbours of one kind and call joined.
    pub said: Joined,
}

impl Active {
    pub fn new(attempt: AttemptId, started_after: Option<u64>, coordinate: Coordinate) -> Self {
        Self { attempt, started_after, coordinate, next: 0, said: Joined::default() }
    }

    pub fn push(&mut self, delta: Delta) {
        self.next += 1;
        self.said.push(delta);
    }

    pub fn live(&self) -> Baseline {
        Baseline {
            attempt: self.attempt.clone(),
            started_after: self.started_after,
            run_id: self.coordinate.run_id.clone(),
            step: self.coordinate.step,
            response: self.coordinate.response,
            next: self.next,
            deltas: self.said.deltas().to_vec(),
        }
    }

    pub fn sent(&self) -> Sent {
        Sent { coordinate: self.coordinate.clone(), count: self.next, said: self.said.clone() }
    }

    /// The seq of this attempt's record, if it is among these rows.
    pub fn settled_by(&self, records: &[Record]) -> Option<u64> {
        records.iter().find_map(|record| match record {
            Record::Message(row) if row.coordinate().as_ref() == Some(&self.coordinate) => Some(row.seq),
            Record::Message(_) | Record::Run(_) | Record::Aside(_) => None,
        })
    }
}
