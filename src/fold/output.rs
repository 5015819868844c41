//! What one record brings: its changes, numbered, and its anomalies.

use super::{Anomaly, AnomalyCode, Change};
use crate::event::{CallId, Coordinate, Fact, MessageId, PlacedFact, Position, RunId};

/// Collects the changes of one record.
pub(super) struct Output<'a> {
    seq: u64,
    own: u32,
    changes: &'a mut Vec<Change>,
    anomalies: &'a mut Vec<Anomaly>,
}

impl<'a> Output<'a> {
    /// For the record with this seq. The changes are added in the order in which they are to be applied.
    pub fn new(seq: u64, changes: &'a mut Vec<Change>, anomalies: &'a mut Vec<Anomaly>) -> Self {
        Self { seq, own: 0, changes, anomalies }
    }

    /// What the record at `seq` opens, at the index that is reserved for it. It is made of no message.
    pub fn opened(&mut self, seq: u64, run_id: &RunId, fact: Fact) {
        let position = Position { seq, index: 0 };
        let placed =
            PlacedFact { position, run_id: run_id.clone(), message_id: None, coordinate: None, call: None, fact };
        self.changes.push(Change::Add(placed));
    }

    /// The record's next own Fact; its place is returned.
    pub fn own(
        &mut self,
        run_id: &RunId,
        message_id: Option<&MessageId>,
        coordinate: Option<&Coordinate>,
        call: Option<Position>,
        fact: Fact,
    ) -> Position {
        self.own = self.own.saturating_add(1);
        let position = Position { seq: self.seq, index: self.own };
        self.changes.push(Change::Add(PlacedFact {
            position,
            run_id: run_id.clone(),
            message_id: message_id.cloned(),
            coordinate: coordinate.cloned(),
            call,
            fact,
        }));
        position
    }

    /// Calls read otherwise because of this record.
    pub fn amend(&mut self, amendments: impl IntoIterator<Item = Change>) {
        self.changes.extend(amendments);
    }

    /// Something about this record is wrong.
    pub fn anomaly(&mut self, code: AnomalyCode, run_id: Option<&RunId>, call_id: Option<&CallId>) {
        self.anomalies.push(Anomaly { code, seq: self.seq, run_id: run_id.cloned(), call_id: call_id.cloned() });
    }
}
