//! What an awaiting run waits for (A2.4).

use super::run_state::{body, unknown, variant, write_body};
use crate::event::CallId;
use crate::json::{Error, Raw, Reader, Wire, Writer, wire_object, wire_tokens};

wire_object! {
    /// Names the one thing whose answer lets the run go on.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ResumeTicket {
        /// What is waited for.
        pub target: Target,
        /// Why, in a sentence for people, where the host says one.
        pub detail: Option<String> => optional,
    }
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A tool call that somebody must allow or run.
    ToolCall {
        /// Who must act.
        reason: ToolReason,
        /// The call.
        call_id: CallId,
        /// The tool and its arguments, for a prompt that needs no message.
        tool: Option<Tool>,
    },
    /// Something from outside.
    RemoteInput {
        /// What kind of thing.
        reason: RemoteReason,
        /// The call under which it comes.
        call_id: CallId,
    },
    /// Nobody in particular: the run rests until it is resumed.
    Pause(Pause),
    /// A target that this version does not know, kept whole.
    Unknown {
        /// The call that it names, if it names one as the known targets do.
        call_id: Option<CallId>,
        /// The target as it was sent.
        raw: Raw,
    },
}

wire_object! {
    /// The tool that a ticket is about.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Tool {
        /// The tool's name.
        pub tool_id: String,
        /// The arguments it would run with.
        pub arguments: Raw,
    }
}

wire_tokens! {
    /// Why a tool call is waited for.
    pub enum ToolReason {
        /// Somebody must allow it.
        "Permission" Permission,
        /// The client must run it.
        "ClientExecution" ClientExecution,
        /// It runs later.
        "ScheduledAction" ScheduledAction,
        /// Another agent runs it.
        "Delegation" Delegation,
    }
}

wire_tokens! {
    /// What comes from outside.
    pub enum RemoteReason {
        /// The person's input.
        "UserInput" UserInput,
        /// An event.
        "ExternalEvent" ExternalEvent,
    }
}

wire_tokens! {
    /// Why a run rests.
    pub enum Pause {
        /// Somebody paused it.
        "Manual" Manual,
        /// The provider's rate limit.
        "RateLimit" RateLimit,
        /// The budget is used up.
        "BudgetReached" BudgetReached,
    }
}

impl Target {
    /// The call that is waited for; None for a pause (A3.5). A target that is not known may name one all the same.
    pub fn call_id(&self) -> Option<&CallId> {
        match self {
            Self::ToolCall { call_id, .. } | Self::RemoteInput { call_id, .. } => Some(call_id),
            Self::Unknown { call_id, .. } => call_id.as_ref(),
            Self::Pause(_) => None,
        }
    }

    /// The reason token of `Awaiting` (A2.4). None for a target that this version does not know.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::ToolCall { reason, .. } => Some(match reason {
                ToolReason::Permission => "tool_permission",
                ToolReason::ClientExecution => "client_execution",
                ToolReason::ScheduledAction => "scheduled_action",
                ToolReason::Delegation => "delegation",
            }),
            Self::RemoteInput { reason, .. } => Some(match reason {
                RemoteReason::UserInput => "user_input",
                RemoteReason::ExternalEvent => "external_event",
            }),
            Self::Pause(pause) => Some(match pause {
                Pause::Manual => "manual_pause",
                Pause::RateLimit => "rate_limit",
                Pause::BudgetReached => "budget_reached",
            }),
            Self::Unknown { .. } => None,
        }
    }
}

wire_object! {
    /// The one key of an unknown target's body that is understood.
    struct NamesCall {
        call_id: CallId,
    }
}

wire_object! {
    struct ToolCallBody {
        reason: ToolReason,
        call_id: CallId,
        tool: Option<Tool> => optional,
    }
}

wire_object! {
    struct RemoteInputBody {
        reason: RemoteReason,
        call_id: CallId,
    }
}

impl Wire for Target {
    /// A reason that this version does not know makes the whole target unknown: it is kept, and names its call.
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        let mut ahead = r.ahead();
        let known = match variant(r)?.as_str() {
            "ToolCall" => {
                body(&mut ahead).map(|ToolCallBody { reason, call_id, tool }| Self::ToolCall { reason, call_id, tool })
            }
            "RemoteInput" => {
                body(&mut ahead).map(|RemoteInputBody { reason, call_id }| Self::RemoteInput { reason, call_id })
            }
            "Pause" => body(&mut ahead).map(Self::Pause),
            _ => return unknown_target(r),
        };
        match known {
            Ok(known) => {
                r.follow(ahead);
                Ok(known)
            }
            Err(_) => unknown_target(r),
        }
    }

    fn write(&self, w: &mut Writer) {
        match self {
            Self::ToolCall { reason, call_id, tool } => {
                let body = ToolCallBody { reason: *reason, call_id: call_id.clone(), tool: tool.clone() };
                write_body(w, "ToolCall", &body);
            }
            Self::RemoteInput { reason, call_id } => {
                write_body(w, "RemoteInput", &RemoteInputBody { reason: *reason, call_id: call_id.clone() });
            }
            Self::Pause(pause) => write_body(w, "Pause", pause),
            Self::Unknown { raw, .. } => raw.write(w),
        }
    }
}

fn unknown_target(r: &mut Reader<'_>) -> Result<Target, Error> {
    let call_id = body::<NamesCall>(&mut r.ahead()).ok().map(|named| named.call_id);
    Ok(Target::Unknown { call_id, raw: unknown(r)? })
}
