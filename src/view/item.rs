//! A committed item: a reference to its record, and what later records said of it.

use super::key::Key;
use super::part::{self, Answer, Call, nullable, number, raw, write_parts};
use crate::event::{Disposition, Fact};
use crate::fold;
use crate::json::Writer;
use crate::thread::{Aside, AsideRow, MessageName, MessageRow, Record, Role, RunRow, Target};
use std::sync::Arc;

/// A line of the conversation that stands in the log.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub key: Key,
    pub record: Arc<Record>,
    pub body: Body,
    /// Something else was put in its place (B2): it stays here, and the page does not see it.
    pub covered: bool,
    /// The page knows that it is there, and has not looked at it.
    pub left_out: bool,
}

impl Item {
    /// What a record adds to the conversation.
    pub fn new(key: Key, record: &Arc<Record>, body: Body) -> Self {
        Self { key, record: Arc::clone(record), body, covered: false, left_out: false }
    }
}

/// What kind of line it is, and what its record alone does not tell.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// A message of the person, of the host in the person's place, or of the system.
    Turn,
    /// A response of the model.
    Assistant {
        /// Step and response, where row or fold says them.
        place: Option<(u32, u32)>,
        /// Its calls, in order.
        calls: Vec<Call>,
    },
    /// A result without a call: the number of its block.
    OrphanResult(usize),
    /// The run waits, or waited.
    Awaiting {
        /// The call that is waited for, where a message holds it: the item's key and the part's number.
        call: Option<(Key, usize)>,
        /// It waits no more.
        resolved: bool,
    },
    /// The run is over.
    Ended,
    /// Something that is no Fact.
    Aside,
}

impl Body {
    /// A response and its calls. What the log says of them comes with their Facts; a message that belongs to no run
    /// has none, and nobody will answer its calls.
    pub fn assistant(row: &MessageRow, place: Option<(u32, u32)>) -> Self {
        let disposition = if row.run_id.is_some() { Disposition::Open } else { Disposition::Unresolved };
        Self::Assistant { place, calls: part::calls(&row.message.content, disposition) }
    }
}

impl Item {
    /// The whole item.
    pub fn write(&self, w: &mut Writer) {
        w.object(|w| match &*self.record {
            Record::Message(row) => self.write_message(w, row),
            Record::Run(row) => self.write_boundary(w, row),
            Record::Aside(row) => self.write_aside(w, row),
        });
    }

    /// The call with this number among the item's calls.
    pub fn call_mut(&mut self, number: usize) -> Option<&mut Call> {
        match &mut self.body {
            Body::Assistant { calls, .. } => calls.get_mut(number),
            Body::Turn | Body::OrphanResult(_) | Body::Awaiting { .. } | Body::Ended | Body::Aside => None,
        }
    }

    /// The call with this number among the item's calls.
    pub fn call(&self, number: usize) -> Option<&Call> {
        match &self.body {
            Body::Assistant { calls, .. } => calls.get(number),
            Body::Turn | Body::OrphanResult(_) | Body::Awaiting { .. } | Body::Ended | Body::Aside => None,
        }
    }

    fn write_message(&self, w: &mut Writer, row: &MessageRow) {
        let name = MessageName::of(&row.message.id, row.run_id.as_ref());
        let reason = injected(name).or(row.mark.as_deref());
        let (kind, reason) = match (&self.body, row.message.role, reason) {
            (Body::OrphanResult(_), _, _) => ("orphan_result", None),
            (Body::Assistant { .. }, _, _) => ("assistant", None),
            (_, Role::System, _) => ("system", None),
            (_, _, Some(reason)) => ("injected", Some(reason)),
            (_, _, None) => ("user", None),
        };
        let run_id = row.run_id.as_ref().map(|run| run.as_str());
        self.write_base(w, kind, row.seq, row.time, run_id);
        if let Some(reason) = reason {
            w.field("reason", reason);
        }
        w.field("message_id", row.message.id.as_str());
        match &self.body {
            Body::OrphanResult(block) => self.write_orphan(w, *block),
            Body::Assistant { place, calls } => {
                number(w, "step", place.map(|(step, _)| u64::from(step)));
                number(w, "response", place.map(|(_, response)| u64::from(response)));
                if row.mark.is_some() {
                    w.flag("interrupted", true);
                }
                w.key("parts");
                write_parts(w, Role::Assistant, &row.message.content, calls);
            }
            Body::Turn | Body::Awaiting { .. } | Body::Ended | Body::Aside => {
                w.key("parts");
                write_parts(w, row.message.role, &row.message.content, &[]);
                if kind == "user" {
                    w.key("send");
                    w.null();
                }
            }
        }
    }

    fn write_base(&self, w: &mut Writer, kind: &str, seq: u64, time: u64, run_id: Option<&str>) {
        w.field("key", &self.key);
        w.field("kind", kind);
        w.field("origin", "committed");
        number(w, "seq", Some(seq));
        number(w, "time", Some(time));
        nullable(w, "run_id", run_id);
    }

    fn write_orphan(&self, w: &mut Writer, block: usize) {
        let answer = Answer { record: Arc::clone(&self.record), block };
        nullable(w, "tool_use_id", answer.call_id().map(|id| id.as_str()));
        let (content, is_error) = answer.content();
        w.flag("is_error", is_error);
        w.key("output");
        write_parts(w, Role::Tool, content, &[]);
    }

    fn write_aside(&self, w: &mut Writer, row: &AsideRow) {
        let (kind, failure) = match &row.aside {
            Aside::Attempt { failure, .. } => ("attempt", failure),
            Aside::Retry { failure, .. } => ("retry", failure),
        };
        self.write_base(w, kind, row.seq, row.time, Some(row.run_id.as_str()));
        number(w, "step", Some(u64::from(row.step)));
        number(w, "response", Some(u64::from(row.response)));
        nullable(w, "code", failure.as_ref().map(|failure| &*failure.code));
        nullable(w, "message", failure.as_ref().map(|failure| &*failure.message));
        match &row.aside {
            Aside::Attempt { content, .. } => {
                w.key("parts");
                write_parts(w, Role::Assistant, content, &part::calls(content, Disposition::Unresolved));
            }
            Aside::Retry { retry, most, .. } => {
                number(w, "retry", Some(u64::from(*retry)));
                number(w, "most", Some(u64::from(*most)));
            }
        }
    }

    fn write_boundary(&self, w: &mut Writer, row: &RunRow) {
        let ticket = row.resume_ticket.as_ref();
        let base = |w: &mut Writer, kind| self.write_base(w, kind, row.seq, row.time, Some(row.run_id.as_str()));
        match fold::terminal(&row.state, ticket) {
            Some(Fact::RunFinished { exhausted, cause, detail }) => {
                base(w, "finished");
                w.flag("exhausted", exhausted);
                nullable(w, "cause", cause.map(|cause| cause.as_str()));
                raw(w, "detail", detail.as_ref());
            }
            Some(Fact::RunFailed { code, message }) => {
                base(w, "failed");
                w.field("code", &code);
                w.field("message", &message);
            }
            Some(Fact::Awaiting { pending_tool_use_id, reason }) => {
                base(w, "awaiting");
                nullable(w, "reason", reason.as_deref());
                nullable(w, "pending_tool_use_id", pending_tool_use_id.as_ref().map(|id| id.as_str()));
                write_tool(w, ticket.map(|ticket| &ticket.target));
                if let Some(detail) = ticket.and_then(|ticket| ticket.detail.as_deref()) {
                    w.field("detail", detail);
                }
                self.write_waiting(w);
            }
            // The terminal mapping knows no other Facts.
            Some(
                Fact::RunStarted {}
                | Fact::AssistantMessage { .. }
                | Fact::AssistantThinking { .. }
                | Fact::ToolCall { .. }
                | Fact::ToolResult { .. }
                | Fact::Continuation { .. },
            )
            | None => base(w, "finished"),
        }
    }

    fn write_waiting(&self, w: &mut Writer) {
        let Body::Awaiting { call, resolved } = &self.body else { return };
        w.key("call");
        match call {
            Some((key, part)) => w.object(|w| {
                w.field("key", key);
                number(w, "part", u64::try_from(*part).ok());
            }),
            None => w.null(),
        }
        w.flag("resolved", *resolved);
    }
}

/// The tool that a ticket states: a prompt needs no message (A2.4).
fn write_tool(w: &mut Writer, target: Option<&Target>) {
    w.key("tool");
    match target {
        Some(Target::ToolCall { tool: Some(tool), .. }) => w.object(|w| {
            w.field("name", &tool.tool_id);
            w.field("args", tool.arguments.as_str());
        }),
        Some(Target::ToolCall { tool: None, .. } | Target::RemoteInput { .. } | Target::Pause(_))
        | Some(Target::Unknown { .. })
        | None => w.null(),
    }
}

/// Why the host made a user turn; None for one that the person made (A2.2).
fn injected(name: MessageName<'_>) -> Option<&'static str> {
    match name {
        MessageName::Steer { .. } => Some("steer"),
        MessageName::Continuation { .. } => Some("continuation"),
        MessageName::ResumeInput { .. } => Some("resume_input"),
        MessageName::Report => Some("report"),
        MessageName::Assistant { .. }
        | MessageName::Truncated { .. }
        | MessageName::Tool { .. }
        | MessageName::Opaque => None,
    }
}
