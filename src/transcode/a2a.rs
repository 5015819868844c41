//! A2A 1.0: a run is a task. Its text streams as artifacts, one per response; reasoning, calls and results are status
//! messages, as committed. What was streamed and is not committed is replaced by nothing, under the same artifact's id.

use super::Transcoder;
use super::blocks;
use super::flow::Flow;
use super::protocol::{Answer, Call, Out, Protocol, Retracted, Waiting};
use super::response::Kind;
use super::words::{at, object, raw_event, reasoning};
use crate::event::{Cause, Disposition, Position, RunId, ThreadId};
use crate::json::Writer;
use crate::text::join;
use crate::thread::Block;

/// A transcoder for A2A 1.0; the context is the thread.
pub fn a2a(context_id: ThreadId) -> impl Transcoder {
    Flow::new(Box::new(A2a { context_id, task_id: RunId::from(""), artifacts: Vec::new(), begun: false }))
}

struct A2a {
    context_id: ThreadId,
    /// The run whose stream is open.
    task_id: RunId,
    /// Its committed artifacts: id and text.
    artifacts: Vec<(String, String)>,
    /// True once something of the artifact under way was sent.
    begun: bool,
}

/// A message of the agent beside the artifacts: its id, what it is about, and its part.
#[derive(Clone, Copy)]
struct Said<'a> {
    id: &'a str,
    kind: &'a str,
    part: &'a dyn Fn(&mut Writer),
}

fn text_part(w: &mut Writer, text: &str) {
    object(w, &[("text", text)], &|_| {});
}

impl A2a {
    fn task(&self, out: &mut Out) {
        raw_event(out, &[], &|w| {
            w.key("task");
            object(w, &[("id", self.task_id.as_str()), ("contextId", self.context_id.as_str())], &|w| {
                w.key("status");
                object(w, &[("state", "TASK_STATE_WORKING")], &|_| {});
                w.key("artifacts");
                w.array(|w| {
                    for (id, text) in &self.artifacts {
                        artifact(w, id, text);
                    }
                });
            });
        });
    }

    /// Sends an update that names the task.
    fn update(&self, out: &mut Out, kind: &'static str, rest: &dyn Fn(&mut Writer)) {
        raw_event(out, &[], &|w| {
            w.key(kind);
            object(w, &[("taskId", self.task_id.as_str()), ("contextId", self.context_id.as_str())], rest);
        });
    }

    /// The task's state, with a message of the agent.
    fn status(&self, out: &mut Out, state: &str, said: Option<Said<'_>>) {
        self.update(out, "statusUpdate", &|w| {
            w.key("status");
            object(w, &[("state", state)], &|w| {
                let Some(Said { id, kind, part }) = said else { return };
                w.key("message");
                let ids = [("taskId", self.task_id.as_str()), ("contextId", self.context_id.as_str())];
                object(w, &[("messageId", id), ("role", "ROLE_AGENT")], &|w| {
                    ids.iter().for_each(|(key, value)| w.field(key, value));
                    w.key("parts");
                    w.array(|w| part(w));
                    w.key("metadata");
                    object(w, &[("kind", kind)], &|_| {});
                });
            });
        });
    }

    fn chunk(&self, out: &mut Out, id: &str, text: &str, append: bool, last: bool) {
        self.update(out, "artifactUpdate", &|w| {
            w.key("artifact");
            artifact(w, id, text);
            w.flag("append", append);
            w.flag("lastChunk", last);
        });
    }
}

fn artifact(w: &mut Writer, id: &str, text: &str) {
    object(w, &[("artifactId", id)], &|w| {
        w.key("parts");
        w.array(|w| text_part(w, text));
    });
}

impl Protocol for A2a {
    fn begin(&mut self, run_id: &RunId, out: &mut Out) {
        if self.task_id != *run_id {
            self.task_id = run_id.clone();
            self.artifacts.clear();
        }
        self.task(out);
    }

    fn step(&mut self, _ends: bool, _step: Option<u32>, _out: &mut Out) {}

    fn shows(&self, kind: &Kind) -> bool {
        matches!(kind, Kind::Text)
    }

    fn open(&mut self, _response: &str, kind: &Kind, _out: &mut Out) {
        if let Kind::Text = kind {
            self.begun = false;
        }
    }

    fn grow(&mut self, response: &str, kind: &Kind, text: &str, out: &mut Out) {
        if let Kind::Text = kind {
            self.chunk(out, response, text, self.begun, false);
            self.begun = true;
        }
    }

    fn close(&mut self, response: &str, kind: &Kind, out: &mut Out) {
        if let (Kind::Text, true) = (kind, self.begun) {
            self.chunk(out, response, "", true, true);
            self.begun = false;
        }
    }

    fn text(&self, content: &[Block]) -> (String, u64) {
        blocks::text(content, |_| true)
    }

    fn committed(&mut self, response: &str, kind: &Kind, text: &str, _content: &[Block], out: &mut Out) {
        match kind {
            Kind::Text => self.artifacts.push((response.to_owned(), text.to_owned())),
            Kind::Reasoning => {
                let part = |w: &mut Writer| text_part(w, text);
                self.status(
                    out,
                    "TASK_STATE_WORKING",
                    Some(Said { id: &reasoning(response), kind: "thinking", part: &part }),
                );
            }
            Kind::Call { .. } => {}
        }
    }

    fn call(&mut self, call: &Call<'_>, out: &mut Out) {
        let part = |w: &mut Writer| {
            w.object(|w| {
                w.key("data");
                object(w, &[("id", call.wire), ("name", call.name)], &|w| {
                    w.key("input");
                    w.raw(call.input.as_str());
                });
            });
        };
        self.status(out, "TASK_STATE_WORKING", Some(Said { id: call.wire, kind: "tool_call", part: &part }));
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
        let (text, _) = blocks::text(answer.content, |_| true);
        let call = answer.wire.unwrap_or(answer.id.as_str());
        let part = |w: &mut Writer| {
            w.object(|w| {
                w.key("data");
                object(w, &[("id", call), ("content", &text)], &|w| w.flag("is_error", answer.is_error));
            });
        };
        let id = at(answer.run_id, "-result-", answer.position);
        self.status(out, "TASK_STATE_WORKING", Some(Said { id: &id, kind: "tool_result", part: &part }));
        true
    }

    fn awaiting(&mut self, waiting: &Waiting<'_>, out: &mut Out) {
        let part = |w: &mut Writer| {
            w.object(|w| {
                w.key("data");
                object(w, &[("reason", waiting.reason.unwrap_or("unknown"))], &|w| {
                    if let Some(call) = waiting.call.or(waiting.id.map(|id| id.as_str())) {
                        w.field("id", call);
                    }
                });
            });
        };
        let id = at(waiting.run_id, "-", waiting.position);
        self.status(out, "TASK_STATE_INPUT_REQUIRED", Some(Said { id: &id, kind: "awaiting", part: &part }));
    }

    fn finished(&mut self, run_id: &RunId, position: Position, exhausted: bool, cause: Option<Cause>, out: &mut Out) {
        match cause {
            Some(Cause::Cancelled) => self.status(out, "TASK_STATE_CANCELED", None),
            _ if exhausted => {
                self.failed(run_id, position, "exhausted", "the run reached the limit of its steps", out);
            }
            Some(Cause::NaturalEnd | Cause::MaxSteps | Cause::Stopped) | None => {
                self.status(out, "TASK_STATE_COMPLETED", None);
            }
        }
    }

    fn failed(&mut self, run_id: &RunId, position: Position, code: &str, message: &str, out: &mut Out) {
        let text = join(&[code, ": ", message]);
        let part = |w: &mut Writer| text_part(w, &text);
        let id = at(run_id, "-error-", position);
        self.status(out, "TASK_STATE_FAILED", Some(Said { id: &id, kind: "error", part: &part }));
    }

    fn retract(&mut self, response: &str, _goes_back: bool, out: &mut Out) -> Retracted {
        // A snapshot without the artifact would leave it where it is merged; one in its place replaces it everywhere.
        self.chunk(out, response, "", false, true);
        Retracted::Preview
    }

    fn forget(&mut self) {
        self.artifacts.clear();
    }
}
