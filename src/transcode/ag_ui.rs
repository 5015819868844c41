//! AG-UI 1.0.
//!
//! Its client keeps messages by id and appends to one that is opened again, so what was wrong is deleted by a snapshot
//! of the thread's messages and then written anew. A snapshot without any reasoning deletes none; there, the reasoning
//! that has to go is turned into an ordinary message first, and deleted by a second snapshot.

use super::flow::Flow;
use super::protocol::{Answer, Call, Out, Protocol, Retracted, Waiting};
use super::response::Kind;
use super::words::{at, event, event_with, object, reasoning};
use super::{Transcoder, blocks};
use crate::event::{Cause, Disposition, Position, RunId, ThreadId};
use crate::json::Writer;
use crate::names::Names;
use crate::text::{Shared, decimal, join};
use crate::thread::{Block, Message, Role};

/// A transcoder for AG-UI.
pub fn ag_ui(thread_id: ThreadId) -> impl Transcoder {
    Flow::new(Box::new(AgUi {
        thread_id,
        messages: Vec::new(),
        ids: Names::default(),
        reasonings: Vec::new(),
        step: None,
        steps: 0,
        stale: false,
        unanswered: Vec::new(),
    }))
}

struct AgUi {
    thread_id: ThreadId,
    /// What is committed, as the client has it or will have it.
    messages: Vec<Entry>,
    /// The ids of the messages.
    ids: Names,
    /// Reasoning that the client may have.
    reasonings: Vec<String>,
    step: Option<String>,
    /// How many steps were opened whose number is not known.
    steps: u32,
    /// True when the client may hold messages of a log that was replaced.
    stale: bool,
    /// Calls of this stream without an answer. The client takes them for its own to run when the run succeeds.
    unanswered: Vec<Shared>,
}

struct Entry {
    id: String,
    role: Who,
    content: Option<String>,
    calls: Vec<(Shared, String, String)>,
}

enum Who {
    Plain(&'static str),
    /// Answers this call; true when it failed.
    Tool(String, bool),
}

/// The protocol has no word for a failed tool, so its metadata says it.
fn failed(w: &mut Writer) {
    w.key("metadata");
    w.object(|w| w.flag("is_error", true));
}

impl Entry {
    fn write(&self, w: &mut Writer) {
        let role = match &self.role {
            Who::Plain(role) => role,
            Who::Tool(..) => "tool",
        };
        object(w, &[("id", &self.id), ("role", role)], &|w| {
            if let Who::Tool(call, is_error) = &self.role {
                w.field("toolCallId", call);
                if *is_error {
                    failed(w);
                }
            }
            if let Some(content) = &self.content {
                w.field("content", content);
            }
            if self.calls.is_empty() {
                return;
            }
            w.key("toolCalls");
            w.array(|w| {
                for (id, name, arguments) in &self.calls {
                    object(w, &[("id", id), ("type", "function")], &|w| {
                        w.key("function");
                        object(w, &[("name", name), ("arguments", arguments)], &|_| {});
                    });
                }
            });
        });
    }
}

/// A snapshot of these messages; the ids are of messages that are there without content.
fn snapshot_of(messages: &[Entry], empty: &[String], out: &mut Out) {
    event_with(out, "MESSAGES_SNAPSHOT", &[], &|w| {
        w.key("messages");
        w.array(|w| {
            messages.iter().for_each(|entry| entry.write(w));
            for id in empty {
                object(w, &[("id", id), ("role", "assistant"), ("content", "")], &|_| {});
            }
        });
    });
}

impl AgUi {
    fn run(&self, out: &mut Out, kind: &str, run_id: &RunId, rest: &dyn Fn(&mut Writer)) {
        event_with(out, kind, &[("threadId", self.thread_id.as_str()), ("runId", run_id.as_str())], rest);
    }

    fn end_step(&mut self, out: &mut Out) {
        if let Some(name) = self.step.take() {
            event(out, "STEP_FINISHED", &[("stepName", &name)]);
        }
    }

    /// Deletes everything at the client that is not among the messages.
    fn snapshot(&mut self, out: &mut Out) {
        let keeps_reasoning = self.messages.iter().any(|entry| matches!(entry.role, Who::Plain("reasoning")));
        let messages = &self.messages;
        let stale: Vec<String> =
            self.reasonings.iter().filter(|id| !messages.iter().any(|entry| entry.id == **id)).cloned().collect();
        if !stale.is_empty() && !keeps_reasoning {
            snapshot_of(messages, &stale, out);
        }
        snapshot_of(messages, &[], out);
        self.reasonings.retain(|id| messages.iter().any(|entry| entry.id == *id));
    }

    /// A call that was withdrawn or never answered must not look like one for the client: it is answered, and the
    /// answer, which no log holds, is deleted.
    fn answer_the_rest(&mut self, out: &mut Out) {
        let unanswered = std::mem::take(&mut self.unanswered);
        for call in &unanswered {
            let id = join(&[call, "-unanswered"]);
            event_with(
                out,
                "TOOL_CALL_RESULT",
                &[("messageId", &id), ("toolCallId", call), ("content", "never answered")],
                &failed,
            );
        }
        if !unanswered.is_empty() {
            self.snapshot(out);
        }
    }

    fn assistant(&mut self, response: &str) -> Option<&mut Entry> {
        self.add(self.messages.len(), response, Who::Plain("assistant"), None);
        self.messages.iter_mut().rfind(|entry| entry.id == response)
    }

    /// Adds a message, unless there is one of this id.
    fn add(&mut self, at: usize, id: &str, role: Who, content: Option<String>) {
        if !self.ids.contains(id) {
            self.ids.insert(&id.into(), 0);
            self.messages.insert(at, Entry { id: id.to_owned(), role, content, calls: Vec::new() });
        }
    }
}

impl Protocol for AgUi {
    fn begin(&mut self, run_id: &RunId, out: &mut Out) {
        self.step = None;
        self.unanswered.clear();
        self.run(out, "RUN_STARTED", run_id, &|_| {});
        if std::mem::take(&mut self.stale) {
            self.snapshot(out);
        }
    }

    fn step(&mut self, _ends: bool, step: Option<u32>, out: &mut Out) {
        self.end_step(out);
        let name = step.map_or_else(
            || {
                self.steps = self.steps.saturating_add(1);
                join(&["step-after-", &decimal(u64::from(self.steps))])
            },
            |step| join(&["step-", &decimal(u64::from(step))]),
        );
        event(out, "STEP_STARTED", &[("stepName", &name)]);
        self.step = Some(name);
    }

    fn open(&mut self, response: &str, kind: &Kind, out: &mut Out) {
        match kind {
            Kind::Reasoning => {
                let id = reasoning(response);
                event(out, "REASONING_START", &[("messageId", &id)]);
                event(out, "REASONING_MESSAGE_START", &[("messageId", &id), ("role", "reasoning")]);
                self.reasonings.push(id);
            }
            Kind::Text => event(out, "TEXT_MESSAGE_START", &[("messageId", response), ("role", "assistant")]),
            Kind::Call { wire, name } => {
                let fields = [("toolCallId", &**wire), ("toolCallName", name), ("parentMessageId", response)];
                event(out, "TOOL_CALL_START", &fields);
                if !self.unanswered.contains(wire) {
                    self.unanswered.push(Shared::clone(wire));
                }
            }
        }
    }

    fn grow(&mut self, response: &str, kind: &Kind, text: &str, out: &mut Out) {
        match kind {
            Kind::Reasoning => {
                let id = reasoning(response);
                event(out, "REASONING_MESSAGE_CONTENT", &[("messageId", &id), ("delta", text)]);
            }
            Kind::Text => event(out, "TEXT_MESSAGE_CONTENT", &[("messageId", response), ("delta", text)]),
            Kind::Call { wire, .. } => event(out, "TOOL_CALL_ARGS", &[("toolCallId", wire), ("delta", text)]),
        }
    }

    fn close(&mut self, response: &str, kind: &Kind, out: &mut Out) {
        match kind {
            Kind::Reasoning => {
                let id = reasoning(response);
                event(out, "REASONING_MESSAGE_END", &[("messageId", &id)]);
                event(out, "REASONING_END", &[("messageId", &id)]);
            }
            Kind::Text => event(out, "TEXT_MESSAGE_END", &[("messageId", response)]),
            Kind::Call { wire, .. } => event(out, "TOOL_CALL_END", &[("toolCallId", wire)]),
        }
    }

    fn text(&self, content: &[Block]) -> (String, u64) {
        blocks::text(content, |_| true)
    }

    fn committed(&mut self, response: &str, kind: &Kind, text: &str, _content: &[Block], _out: &mut Out) {
        match kind {
            Kind::Reasoning => {
                let (at, role) = (self.messages.len(), Who::Plain("reasoning"));
                self.add(at, &reasoning(response), role, Some(text.to_owned()));
            }
            Kind::Text => {
                if let Some(entry) = self.assistant(response) {
                    entry.content = Some(text.to_owned());
                }
            }
            Kind::Call { .. } => {}
        }
    }

    fn call(&mut self, call: &Call<'_>, out: &mut Out) {
        let kind = Kind::Call { wire: Shared::clone(call.wire), name: call.name.to_owned() };
        if call.rest.is_none() {
            self.open(call.response, &kind, out);
        }
        let rest = call.rest.unwrap_or(call.input.as_str());
        if !rest.is_empty() {
            self.grow(call.response, &kind, rest, out);
        }
        self.close(call.response, &kind, out);
        if let Some(entry) = self.assistant(call.response) {
            entry.calls.push((Shared::clone(call.wire), call.name.to_owned(), call.input.as_str().to_owned()));
        }
    }

    fn has_word_for(&self, disposition: Disposition) -> bool {
        match disposition {
            Disposition::Executed
            | Disposition::PendingClient
            | Disposition::PendingBuiltin
            | Disposition::Open
            | Disposition::Unresolved => false,
        }
    }

    fn answer(&mut self, answer: &Answer<'_>, out: &mut Out) -> bool {
        let (content, _) = blocks::text(answer.content, |_| true);
        let id = at(answer.run_id, "-result-", answer.position);
        let call = answer.wire.unwrap_or(answer.id.as_str());
        self.unanswered.retain(|unanswered| **unanswered != *call);
        let fields = [("messageId", id.as_str()), ("toolCallId", call), ("content", &content)];
        event_with(out, "TOOL_CALL_RESULT", &fields, &|w| {
            if answer.is_error {
                failed(w);
            }
        });
        // The client puts an answer after its call's message and the answers that it has.
        let owner = self.messages.iter().rposition(|entry| entry.calls.iter().any(|(id, ..)| **id == *call));
        let at = owner.map_or(self.messages.len(), |owner| {
            let after = self.messages.iter().skip(owner + 1);
            owner + 1 + after.take_while(|entry| matches!(entry.role, Who::Tool(..))).count()
        });
        let role = Who::Tool(call.to_owned(), answer.is_error);
        self.add(at, &id, role, Some(content));
        true
    }

    fn awaiting(&mut self, waiting: &Waiting<'_>, out: &mut Out) {
        self.end_step(out);
        let call = waiting.call.or(waiting.id.map(|id| id.as_str()));
        self.run(out, "RUN_FINISHED", waiting.run_id, &|w| {
            w.key("outcome");
            w.object(|w| match (waiting.reason, call) {
                (Some("client_execution"), Some(call)) => {
                    w.field("type", "success");
                    w.key("pendingToolCallIds");
                    w.array(|w| w.string(call));
                }
                (reason, call) => {
                    w.field("type", "interrupt");
                    w.key("interrupts");
                    w.array(|w| {
                        w.object(|w| {
                            let id = at(waiting.run_id, "-", waiting.position);
                            w.field("id", &id);
                            w.field("reason", reason.unwrap_or("unknown"));
                            if let Some(call) = call {
                                w.field("toolCallId", call);
                            }
                        });
                    });
                }
            });
        });
    }

    fn finished(&mut self, run_id: &RunId, _position: Position, exhausted: bool, cause: Option<Cause>, out: &mut Out) {
        if cause != Some(Cause::Cancelled) {
            self.answer_the_rest(out);
        }
        self.end_step(out);
        self.run(out, "RUN_FINISHED", run_id, &|w| {
            if exhausted {
                w.key("result");
                w.object(|w| {
                    w.flag("exhausted", true);
                });
            }
            w.key("outcome");
            w.object(|w| {
                let outcome = match cause {
                    Some(Cause::Cancelled) => "cancelled",
                    Some(Cause::NaturalEnd | Cause::MaxSteps | Cause::Stopped) | None => "success",
                };
                w.field("type", outcome);
            });
        });
    }

    fn failed(&mut self, _run_id: &RunId, _position: Position, code: &str, message: &str, out: &mut Out) {
        self.end_step(out);
        event(out, "RUN_ERROR", &[("message", message), ("code", code)]);
    }

    fn retract(&mut self, response: &str, _goes_back: bool, out: &mut Out) -> Retracted {
        let of_response = reasoning(response);
        self.messages.retain(|entry| entry.id != response && entry.id != of_response);
        self.ids.remove(response);
        self.ids.remove(&of_response);
        self.snapshot(out);
        Retracted::Response
    }

    fn leave(&mut self, in_step: bool, out: &mut Out) {
        if in_step {
            self.end_step(out);
        }
    }

    fn forget(&mut self) {
        self.messages.clear();
        self.ids.clear();
        self.stale = true;
    }

    fn said(&mut self, message: &Message) {
        let role = match message.role {
            Role::User => "user",
            Role::System => "system",
            Role::Assistant | Role::Tool => return,
        };
        let (content, _) = blocks::text(&message.content, |_| true);
        self.add(self.messages.len(), message.id.as_str(), Who::Plain(role), Some(content));
    }
}
