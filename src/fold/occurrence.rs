//! Calls and what answers them: matched by occurrence within the run (A3.4), and what the log says of each (A3.5).

use super::Change;
use crate::event::{CallId, Disposition, Fact, Position};
use crate::json::Raw;
use crate::thread::{ResumeTicket, RunState, Target, ToolReason};

/// A call that has no result yet.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    /// Where its Fact stands. Calls of one message share its seq: they are one batch.
    pub position: Position,
    /// The provider's id, unique only within the batch.
    pub id: CallId,
    /// The tool's name.
    pub name: String,
    /// The whole input.
    pub input: Raw,
    /// What was last said of it.
    pub disposition: Disposition,
}

impl OpenCall {
    /// The call's Fact as it reads now.
    pub fn fact(&self) -> Fact {
        Fact::ToolCall {
            id: self.id.clone(),
            name: self.name.clone(),
            input: self.input.clone(),
            disposition: self.disposition,
        }
    }

    /// Says something else of the call; None when that was said already.
    fn dispose(&mut self, disposition: Disposition) -> Option<Change> {
        if self.disposition == disposition {
            return None;
        }
        self.disposition = disposition;
        Some(Change::Amend { position: self.position, fact: self.fact() })
    }
}

/// The unanswered calls of one run, in log order.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls(Vec<OpenCall>);

impl OpenCalls {
    /// A call was made.
    pub fn push(&mut self, call: OpenCall) {
        self.0.push(call);
    }

    /// How many are unanswered.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The occurrence that a result or a ticket with this id is about: the first in the nearest batch that holds one.
    pub fn find(&self, id: &CallId) -> Option<Position> {
        let batch = self.0.iter().rfind(|call| call.id == *id)?.position.seq;
        self.0.iter().find(|call| call.position.seq == batch && call.id == *id).map(|call| call.position)
    }

    /// A result answers the call at this place: it is open no more.
    pub fn answer(&mut self, position: Position) -> Option<Change> {
        let index = self.0.iter().position(|call| call.position == position)?;
        self.0.remove(index).dispose(Disposition::Executed)
    }

    /// Says of every open call what the run's state and its ticket, bound to `bound`, say now.
    pub fn settle(
        &mut self,
        state: &RunState,
        ticket: Option<&ResumeTicket>,
        bound: Option<Position>,
    ) -> impl Iterator<Item = Change> {
        self.0.iter_mut().filter_map(move |call| {
            let named = ticket.filter(|_| bound == Some(call.position)).map(|ticket| &ticket.target);
            call.dispose(unanswered(state, named))
        })
    }

    /// The run has ended: nothing can be answered any more.
    pub fn clear(&mut self) {
        self.0 = Vec::new();
    }
}

/// What the log says of a call that has no result: the table of A3.5 below its first row. `named` is the target of the
/// run's current ticket where it is bound to this very occurrence.
pub(super) fn unanswered(state: &RunState, named: Option<&Target>) -> Disposition {
    match (state, named) {
        (RunState::Awaiting, Some(Target::ToolCall { reason, .. })) => match reason {
            ToolReason::Permission | ToolReason::ScheduledAction | ToolReason::Delegation => {
                Disposition::PendingBuiltin
            }
            ToolReason::ClientExecution => Disposition::PendingClient,
        },
        (RunState::Awaiting, Some(Target::RemoteInput { .. } | Target::Pause(_) | Target::Unknown { .. }) | None) => {
            Disposition::Open
        }
        (RunState::Running | RunState::Unknown(_), _) => Disposition::Open,
        (RunState::Ended(_), _) => Disposition::Unresolved,
    }
}
