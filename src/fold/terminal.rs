//! The terminal mapping: what a committed run state says (A4).

use crate::event::{CallId, Cause, Fact};
use crate::thread::{EndCause, ResumeTicket, RunState, Target};

/// The Fact of a run state; None while the run goes on. Only a committed state ends a run, and an outcome that is not
/// known is never success.
pub fn terminal(state: &RunState, ticket: Option<&ResumeTicket>) -> Option<Fact> {
    match state {
        RunState::Running | RunState::Unknown(_) => None,
        RunState::Awaiting => Some(awaiting(ticket)),
        RunState::Ended(cause) => Some(ended(cause)),
    }
}

fn ended(cause: &EndCause) -> Fact {
    match cause {
        EndCause::MaxSteps => Fact::RunFinished { exhausted: true, cause: Some(Cause::MaxSteps), detail: None },
        EndCause::NaturalEnd => Fact::RunFinished { exhausted: false, cause: Some(Cause::NaturalEnd), detail: None },
        EndCause::Cancelled => Fact::RunFinished { exhausted: false, cause: Some(Cause::Cancelled), detail: None },
        EndCause::Stopped(reason) => {
            Fact::RunFinished { exhausted: false, cause: Some(Cause::Stopped), detail: Some(reason.clone()) }
        }
        EndCause::Error(failure) => {
            Fact::RunFailed { code: failure.code().to_owned(), message: failure.message().to_owned() }
        }
        EndCause::Indeterminate | EndCause::Unknown(_) => Fact::RunFailed {
            code: "indeterminate".to_owned(),
            message: "execution outcome could not be determined".to_owned(),
        },
    }
}

/// The run waits; a call that the ticket names is named whether or not a message holds it (A3.5).
fn awaiting(ticket: Option<&ResumeTicket>) -> Fact {
    let target = ticket.map(|ticket| &ticket.target);
    Fact::Awaiting { pending_tool_use_id: pending(ticket), reason: target.and_then(Target::reason).map(str::to_owned) }
}

/// The call that a ticket names; null only for a pause, or where there is no ticket to ask (A3.5).
pub fn pending(ticket: Option<&ResumeTicket>) -> Option<CallId> {
    ticket.and_then(|ticket| ticket.target.call_id()).cloned()
}
