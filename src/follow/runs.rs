//! Where each run of a log stands: what commands and the need to look again depend on.

use crate::event::{CallId, Coordinate, RunId};
use crate::names::Names;
use crate::thread::{Record, RunRow, RunState, Target};

/// The runs that are not over, oldest first, with the responses that they have committed; of the others only that they
/// are over.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    active: Vec<RunRow>,
    responses: Vec<Coordinate>,
    over: Names,
}

impl Runs {
    pub fn apply(&mut self, record: &Record) {
        let row = match record {
            Record::Run(row) => row,
            Record::Aside(_) => return,
            Record::Message(row) => {
                if let Some(coordinate) = row.coordinate().filter(|response| !self.is_over(&response.run_id)) {
                    self.responses.push(coordinate);
                }
                return;
            }
        };
        if self.is_over(&row.run_id) {
            // No later record of a run that has Ended counts (A2.3).
            return;
        }
        if row.state.is_ended() {
            self.responses.retain(|response| response.run_id != row.run_id);
            self.over.insert(row.run_id.shared(), 0);
        }
        match self.active.iter().position(|run| run.run_id == row.run_id) {
            Some(at) if row.state.is_ended() => {
                self.active.remove(at);
            }
            Some(at) => {
                if let Some(run) = self.active.get_mut(at) {
                    run.clone_from(row);
                }
            }
            None if !row.state.is_ended() => self.active.push(row.clone()),
            None => {}
        }
    }

    /// True once the run has Ended.
    pub fn is_over(&self, run_id: &RunId) -> bool {
        self.over.contains(run_id.as_str())
    }

    /// True while the run works by itself: the log has begun it, and it neither waits nor is over.
    pub fn is_working(&self, run_id: &RunId) -> bool {
        self.active.iter().any(|run| run.run_id == *run_id && run.state != RunState::Awaiting)
    }

    /// True when this response of a run that is not over is committed.
    pub fn has_response(&self, coordinate: &Coordinate) -> bool {
        self.responses.iter().rev().any(|response| response == coordinate)
    }

    /// True while some run is not Ended.
    pub fn any(&self) -> bool {
        !self.active.is_empty()
    }

    /// True while some run works by itself: neither Awaiting nor Ended.
    pub fn any_working(&self) -> bool {
        self.active.iter().any(|run| run.state != RunState::Awaiting)
    }

    /// The newest run that is not Ended.
    pub fn newest(&self) -> Option<&RunId> {
        self.active.last().map(|run| &run.run_id)
    }

    /// The run that waits for this call, or, for None, the newest that rests in a pause.
    pub fn waiting_for(&self, call: Option<&CallId>) -> Option<&RunId> {
        let waits = |run: &&RunRow| {
            let target = run.resume_ticket.as_ref().map(|ticket| &ticket.target);
            run.state == RunState::Awaiting
                && match call {
                    Some(call) => target.and_then(Target::call_id) == Some(call),
                    None => !matches!(target, Some(Target::ToolCall { .. } | Target::RemoteInput { .. })),
                }
        };
        self.active.iter().rev().find(waits).map(|run| &run.run_id)
    }
}
