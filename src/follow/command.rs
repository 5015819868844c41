//! Commands: what the app wants the host to do. All are safe to repeat, for each has its idempotency key (C1).

use crate::event::{MessageId, RunId};
use crate::thread::Block;

/// Names a command for as long as it is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId(pub u32);

/// What the app wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Say something: a new run.
    Send {
        /// Made by the client; the committed message has it too.
        message_id: MessageId,
        /// What is said.
        content: Vec<Block>,
        /// Makes repeating safe.
        idempotency_key: String,
        /// What to do while a run is active.
        on_active: OnActive,
    },
    /// Answer what a run waits for.
    Resume {
        /// The run; None lets the follower find the run that waits for this call.
        run_id: Option<RunId>,
        /// The call; None for a pause.
        call_id: Option<crate::event::CallId>,
        /// The answer.
        answer: Answer,
        /// Makes repeating safe.
        idempotency_key: String,
    },
    /// End a run.
    Cancel {
        /// The run; None lets the follower take the one that is active.
        run_id: Option<RunId>,
    },
}

/// What the host accepted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Accepted {
    /// The run that works on it.
    pub run_id: Option<RunId>,
    /// The message's id, as committed.
    pub message_id: Option<MessageId>,
    /// The message's seq; None while it is queued.
    pub seq: Option<u64>,
}

/// How the request went.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// 2xx.
    Accepted(Accepted),
    /// No answer came; the command may have been carried out.
    Network(String),
    /// It was refused.
    Refused {
        /// The HTTP status.
        status: u16,
        /// `Retry-After` in milliseconds.
        retry_after: Option<u64>,
        /// The host's code, empty if it gave none.
        code: String,
        /// The host's sentence.
        message: String,
    },
}

/// Why a command was not carried out, or is not known to have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandError {
    /// A stable word for programs: `run_active`, `already_resolved`, `nothing_pending`, `no_active_run`,
    /// `unreachable`, `unauthorized`, `closed`, or what the host said.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

crate::json::wire_tokens! {
    /// What a send does while a run is active.
    pub enum OnActive {
        /// It is refused with `run_active`.
        "reject" Reject,
        /// It waits for the run's end.
        "queue" Queue,
        /// The run is cancelled first.
        "cancel" Cancel,
        /// The run that is active takes it in at its next step. Only a dsh host can do that.
        "steer" Steer,
    }
}

/// What a resume says.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A permission, given or not.
    Approve {
        /// Given or not.
        approve: bool,
        /// Why.
        reason: Option<String>,
    },
    /// A result: a client tool's, or input from outside.
    Result {
        /// The result.
        content: Vec<Block>,
        /// True when the tool failed.
        is_error: bool,
    },
    /// Just go on.
    GoOn,
}
