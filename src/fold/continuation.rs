//! Continuations, folded from committed truth (A3.6).

use crate::event::{CallId, Fact, RunId};
use crate::json::{Raw, Wire};
use crate::thread::{Message, MessageName};

/// The run goes on after an Awaiting.
pub(super) fn resumed(waited_for: Option<&CallId>) -> Fact {
    let detail = Raw::from_writer(|w| {
        w.object(|w| {
            w.field("cause", "resumed");
            w.key("pending_tool_use_id");
            match waited_for {
                Some(id) => id.write(w),
                None => w.null(),
            }
        });
    });
    Fact::Continuation { steered: false, detail }
}

/// The Continuation that an injected user turn is: a guard's steering, or "go on" after the token limit.
pub(super) fn injected(message: &Message, run: &RunId) -> Option<Fact> {
    let steered = match MessageName::of(&message.id, Some(run)) {
        MessageName::Steer { .. } => true,
        MessageName::Continuation { .. } => false,
        MessageName::Assistant { .. }
        | MessageName::Truncated { .. }
        | MessageName::Tool { .. }
        | MessageName::ResumeInput { .. }
        | MessageName::Report
        | MessageName::Opaque => return None,
    };
    let detail = Raw::from_writer(|w| {
        w.object(|w| {
            w.key("message_id");
            message.id.write(w);
            if !steered {
                w.field("cause", "max_tokens");
            }
        });
    });
    Some(Fact::Continuation { steered, detail })
}
