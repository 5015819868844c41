//! A log and its lanes, and the one rule by which a record meets a lane.

use super::lanes::{Feed, Lane, Lanes};
use super::output::Step;
use super::rows::reach;
use super::runs::Runs;
use crate::event::{Coordinate, Epoch, RunId};
use crate::thread::{Aside, AsideRow, Joined, Log, MessageRow, Page, Record, Role, RunRow, RunState};
use std::sync::Arc;

/// What is followed: the log of one epoch, where its runs stand, its lanes, and the step that is being made of them.
///
/// There is one that the app sees and, while another epoch is read, one that it does not see yet (C3.1).
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub log: Log,
    pub runs: Runs,
    pub lanes: Lanes,
    pub step: Step,
}

impl Side {
    pub fn new(epoch: Epoch, lanes: Lanes) -> Self {
        Self { log: Log::new(epoch), runs: Runs::default(), lanes, step: Step::default() }
    }

    /// The side that a page shows by itself; it may begin after older rows.
    pub fn beginning_with(page: Page) -> Self {
        let mut side = Self::new(page.epoch.clone(), Lanes::default());
        side.log = Log::beginning_with(page.epoch.clone(), page.into_records());
        side.log.records().iter().for_each(|record| side.runs.apply(record));
        side
    }

    /// Applies the records that join on (C3.5): each settles or drops the lanes that it is the truth of, in the same
    /// step. Then lanes go whose end the log has reached (C3.2, C3.6).
    pub fn apply(&mut self, records: impl IntoIterator<Item: Into<Arc<Record>>>) -> Joined {
        let joined = self.log.join(records);
        for record in &joined.applied {
            self.runs.apply(record);
            match &**record {
                Record::Message(row) => self.settle(row),
                Record::Run(row) => {
                    if matches!(row.state, RunState::Awaiting | RunState::Ended(_)) {
                        self.drop_lanes(&mut |lane| {
                            let rests = lane.run_id == row.run_id && Some(row.seq) > lane.started_after;
                            rests.then(|| reach("C3.5 Awaiting or Ended drops the lane"));
                            rests
                        });
                    }
                }
                Record::Aside(_) => {}
            }
        }
        self.step.records.extend(joined.applied.iter().cloned());
        self.expire();
        joined
    }

    /// Applies a record of a log whose rows the policy joins (B4). A settlement takes the place of its attempt's lane in
    /// the same change, and the end of a run that of all its lanes (I1).
    pub fn publish(&mut self, record: Record) {
        let record = Arc::new(record);
        if !self.log.push(Arc::clone(&record)) {
            return;
        }
        self.runs.apply(&record);
        let seq = record.seq();
        if let Some((run_id, step)) = settled_step(&record) {
            let is_own = |lane: &&Lane| lane.is_of(run_id, step) && Some(seq) > lane.started_after;
            let own = self.lanes.iter().find(is_own).map(|lane| lane.id);
            if let Some(own) = own {
                self.lanes.remove(Some(seq), &mut self.step.lanes, &mut |lane| lane.id == own);
            }
        } else if let Record::Run(RunRow { run_id, state: RunState::Ended(_), .. }) = &*record {
            self.drop_lanes(&mut |lane| &lane.run_id == run_id && Some(seq) > lane.started_after);
        }
        self.step.records.push(record);
    }

    /// True when the log holds, after `started_after`, a settlement of this step, or the end of its run: then an attempt
    /// that began there is history (B4).
    pub fn is_step_settled(&self, run_id: &RunId, step: u32, started_after: Option<u64>) -> bool {
        let later = self.log.records().iter().rev().take_while(|record| Some(record.seq()) > started_after);
        later.into_iter().any(|record| match settled_step(record) {
            Some((run, settled)) => run == run_id && settled == step,
            None => matches!(&**record, Record::Run(row) if row.run_id == *run_id && row.state.is_ended()),
        })
    }

    /// True when this seq of the log is a settlement.
    pub fn has_settlement(&self, seq: u64) -> bool {
        let found = self.log.records().iter().rev().find(|record| record.seq() <= seq);
        found.is_some_and(|record| record.seq() == seq && settled_step(record).is_some())
    }

    /// Lanes without a feed go when the log has reached their end.
    pub fn expire(&mut self) {
        self.lanes.remove(None, &mut self.step.lanes, &mut |lane| match lane.feed {
            Feed::Ended { until } => until.is_some() && self.log.covers(until),
            Feed::Attempt { .. } | Feed::Stream { .. } => false,
        });
    }

    pub fn drop_lanes(&mut self, gone: &mut dyn FnMut(&Lane) -> bool) {
        self.lanes.remove(None, &mut self.step.lanes, gone);
    }

    /// Lanes that a plain stream's late Deltas opened go: a read that began after them does not know that their run works.
    pub fn drop_late_lanes(&mut self) {
        self.lanes.remove(None, &mut self.step.lanes, &mut |lane| {
            let late = !self.runs.is_working(&lane.run_id);
            late.then(|| reach("C4 a late lane is taken out"));
            late
        });
    }

    /// True while the log does not know that some lane's run works.
    pub fn has_late_lanes(&self) -> bool {
        self.lanes.iter().any(|lane| !self.runs.is_working(&lane.run_id))
    }

    /// True when the log holds, after `started_after`, the record with this coordinate, or an Awaiting or Ended of its
    /// run: then an attempt that began there is history (C3.2). Looks only at records after `started_after`.
    pub fn is_settled(&self, run_id: &RunId, coordinate: Option<&Coordinate>, started_after: Option<u64>) -> bool {
        let later = self.log.records().iter().rev().take_while(|record| Some(record.seq()) > started_after);
        later.into_iter().any(|record| match &**record {
            Record::Message(row) => is_answer(row, run_id, coordinate),
            Record::Run(row) => row.run_id == *run_id && matches!(row.state, RunState::Awaiting | RunState::Ended(_)),
            Record::Aside(_) => false,
        })
    }

    /// The step so far, and a new one begun.
    pub fn take_step(&mut self) -> Step {
        std::mem::take(&mut self.step)
    }

    /// All that this side holds, said anew, as the one change that puts it in another's place.
    pub fn as_replacement(&self) -> Step {
        let mut lanes = Vec::new();
        for lane in self.lanes.iter() {
            lane.tell(&mut lanes);
        }
        Step { replace: true, records: self.log.records().to_vec(), lanes, ..Step::default() }
    }

    /// The lane of the record's response, or, where the record or the lane names none, the oldest of its run.
    fn settle(&mut self, row: &MessageRow) {
        let settles =
            |lane: &&Lane| Some(row.seq) > lane.started_after && is_answer(row, &lane.run_id, lane.coordinate.as_ref());
        let Some(settled) = self.lanes.iter().find(settles).map(|lane| lane.id) else { return };
        reach("C3.5 a record settles its lane");
        self.lanes.remove(Some(row.seq), &mut self.step.lanes, &mut |lane| lane.id == settled);
    }
}

/// The run and step of which this record is a settlement: what an attempt left.
fn settled_step(record: &Record) -> Option<(&RunId, u32)> {
    match record {
        // An answer alone has a number among those of its step.
        Record::Message(row) => {
            row.response?;
            Some((row.run_id.as_ref()?, row.step?))
        }
        Record::Aside(AsideRow { run_id, step, aside: Aside::Attempt { .. }, .. }) => Some((run_id, *step)),
        Record::Aside(_) | Record::Run(_) => None,
    }
}

/// True when the row is what this response said: by coordinate, or by run where one of the two names none.
fn is_answer(row: &MessageRow, run_id: &RunId, coordinate: Option<&Coordinate>) -> bool {
    row.message.role == Role::Assistant
        && match (row.coordinate(), coordinate) {
            (Some(row), Some(coordinate)) => row == *coordinate,
            (None, _) | (_, None) => row.run_id.as_ref() == Some(run_id),
        }
}
