//! The Agent Client Protocol, version 1: what an agent says in one turn, as JSON-RPC.
//!
//! A turn is the answer to a `session/prompt`; it goes on while somebody is asked for a permission. The protocol has no
//! word to take back what it said, so a divergence cuts the turn, and it is said again.

use super::blocks;
use super::flow::Flow;
use super::protocol::{Answer, Call, Out, Protocol, Retracted, Waiting};
use super::response::Kind;
use super::words::{at, object, raw_event, reasoning};
use super::{Chunk, Transcoder};
use crate::event::{Cause, Disposition, Position, RunId, ThreadId};
use crate::json::{Raw, Writer};
use crate::text::{Shared, join};
use crate::thread::Block;

/// A transcoder for ACP. The session is named by the thread; `request_id` is the JSON-RPC id of the prompt that each
/// turn answers, the run's id when absent.
pub fn acp(session_id: ThreadId, request_id: Option<Raw>) -> impl Transcoder {
    Flow::new(Box::new(Acp { session_id, request_id, permission: None, unanswered: Vec::new() }))
}

struct Acp {
    session_id: ThreadId,
    request_id: Option<Raw>,
    /// The call whose permission was asked for last.
    permission: Option<Shared>,
    /// Calls of which it was said that nobody answered them.
    unanswered: Vec<Shared>,
}

fn message(out: &mut Out, rest: &dyn Fn(&mut Writer)) {
    raw_event(out, &[("jsonrpc", "2.0")], rest);
}

fn text_content(w: &mut Writer, text: &str) {
    object(w, &[("type", "text"), ("text", text)], &|_| {});
}

impl Acp {
    fn update(&self, out: &mut Out, kind: &str, fields: &[(&'static str, &str)], rest: &dyn Fn(&mut Writer)) {
        message(out, &|w| {
            w.field("method", "session/update");
            w.key("params");
            object(w, &[("sessionId", self.session_id.as_str())], &|w| {
                w.key("update");
                object(w, &[("sessionUpdate", kind)], &|w| {
                    fields.iter().for_each(|(key, value)| w.field(key, value));
                    rest(w);
                });
            });
        });
    }

    /// How a call went, with what is shown of it.
    fn outcome(&self, out: &mut Out, call: &str, failed: bool, texts: &[String]) {
        let status = if failed { "failed" } else { "completed" };
        self.update(out, "tool_call_update", &[("toolCallId", call), ("status", status)], &|w| {
            w.key("content");
            w.array(|w| {
                for text in texts {
                    object(w, &[("type", "content")], &|w| {
                        w.key("content");
                        text_content(w, text);
                    });
                }
            });
        });
    }

    fn respond(&self, run_id: &RunId, out: &mut Out, rest: &dyn Fn(&mut Writer)) {
        message(out, &|w| {
            match &self.request_id {
                Some(id) => {
                    w.key("id");
                    w.raw(id.as_str());
                }
                None => w.field("id", run_id.as_str()),
            }
            rest(w);
        });
    }
}

impl Protocol for Acp {
    fn begin(&mut self, _run_id: &RunId, _out: &mut Out) {}

    fn step(&mut self, _ends: bool, _step: Option<u32>, _out: &mut Out) {}

    fn shows(&self, kind: &Kind) -> bool {
        !matches!(kind, Kind::Call { .. })
    }

    fn open(&mut self, _response: &str, _kind: &Kind, _out: &mut Out) {}

    fn grow(&mut self, response: &str, kind: &Kind, text: &str, out: &mut Out) {
        let (kind, id) = match kind {
            Kind::Reasoning => ("agent_thought_chunk", reasoning(response)),
            Kind::Text => ("agent_message_chunk", response.to_owned()),
            Kind::Call { .. } => return,
        };
        self.update(out, kind, &[("messageId", &id)], &|w| {
            w.key("content");
            text_content(w, text);
        });
    }

    fn close(&mut self, _response: &str, _kind: &Kind, _out: &mut Out) {}

    fn text(&self, content: &[Block]) -> (String, u64) {
        blocks::text(content, |_| true)
    }

    fn call(&mut self, call: &Call<'_>, out: &mut Out) {
        let fields = [("toolCallId", &**call.wire), ("title", call.name), ("name", call.name), ("status", "pending")];
        self.update(out, "tool_call", &fields, &|w| {
            w.key("rawInput");
            w.raw(call.input.as_str());
        });
        if call.disposition == Disposition::Unresolved {
            self.dispose(call, true, out);
        }
    }

    fn dispose(&mut self, call: &Call<'_>, _in_open_step: bool, out: &mut Out) {
        self.unanswered.push(Shared::clone(call.wire));
        self.outcome(out, call.wire, true, &["The run ended before this call was answered.".to_owned()]);
    }

    fn has_word_for(&self, disposition: Disposition) -> bool {
        match disposition {
            Disposition::Unresolved => true,
            Disposition::Executed | Disposition::PendingClient | Disposition::PendingBuiltin | Disposition::Open => {
                false
            }
        }
    }

    fn answer(&mut self, answer: &Answer<'_>, out: &mut Out) -> bool {
        let Some(wire) = answer.wire else { return false };
        let texts: Vec<String> =
            answer.content.iter().filter_map(blocks::name).filter(|name| !name.is_empty()).collect();
        self.outcome(out, wire, answer.is_error, &texts);
        true
    }

    fn rests_open(&self) -> bool {
        true
    }

    fn awaiting(&mut self, waiting: &Waiting<'_>, out: &mut Out) {
        self.permission = None;
        let (Some("tool_permission"), Some(call)) = (waiting.reason, waiting.call) else { return };
        self.permission = Some(call.into());
        message(out, &|w| {
            w.field("id", &at(waiting.run_id, "-", waiting.position));
            w.field("method", "session/request_permission");
            w.key("params");
            object(w, &[("sessionId", self.session_id.as_str())], &|w| {
                w.key("toolCall");
                object(w, &[("toolCallId", call), ("status", "pending")], &|_| {});
                w.key("options");
                w.array(|w| {
                    for (id, name, kind) in [("allow", "Allow", "allow_once"), ("reject", "Reject", "reject_once")] {
                        object(w, &[("optionId", id), ("name", name), ("kind", kind)], &|_| {});
                    }
                });
            });
        });
    }

    fn resumed(&mut self, out: &mut Out) {
        // Who reads a run that is over has been told already what became of the call.
        if let Some(call) = self.permission.take().filter(|call| !self.unanswered.contains(call)) {
            self.update(out, "tool_call_update", &[("toolCallId", &call), ("status", "in_progress")], &|_| {});
        }
    }

    fn finished(&mut self, run_id: &RunId, _position: Position, exhausted: bool, cause: Option<Cause>, out: &mut Out) {
        let reason = match cause {
            Some(Cause::Cancelled) => "cancelled",
            _ if exhausted => "max_turn_requests",
            Some(Cause::NaturalEnd | Cause::MaxSteps | Cause::Stopped) | None => "end_turn",
        };
        self.respond(run_id, out, &|w| {
            w.key("result");
            object(w, &[("stopReason", reason)], &|_| {});
        });
    }

    fn failed(&mut self, run_id: &RunId, _position: Position, code: &str, text: &str, out: &mut Out) {
        self.respond(run_id, out, &|w| {
            w.key("error");
            w.object(|w| {
                // JSON-RPC's word for an internal error.
                w.key("code");
                w.signed(-32603);
                w.field("message", &join(&[code, ": ", text]));
                w.key("data");
                object(w, &[("code", code)], &|w| w.flag("retryable", false));
            });
        });
    }

    fn retract(&mut self, _response: &str, _goes_back: bool, out: &mut Out) -> Retracted {
        out.push(Chunk::Cut);
        Retracted::Run
    }

    fn forget(&mut self) {
        self.permission = None;
    }
}
