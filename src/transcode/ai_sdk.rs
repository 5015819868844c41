//! The AI SDK's UI message stream, versions 6 and 7: one stream per part of a run between two waits.

use super::blocks::{self, media};
use super::flow::{Flow, is_told};
use super::protocol::{Answer, Call, Out, Protocol, Retracted, Waiting};
use super::response::Kind;
use super::{Chunk, Transcoder};
use crate::event::{Cause, Disposition, Position, RunId};
use crate::json::{Wire, Writer};
use crate::thread::{Block, Message};
use std::collections::HashSet;

/// The header by which the client knows the stream, and its value.
pub const AI_SDK_HEADER: (&str, &str) = ("x-vercel-ai-ui-message-stream", "v1");

/// The client's major version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AiSdkVersion {
    /// Version 6: a step cannot be taken back, so a divergence ends the stream and the run is written again.
    #[default]
    V6,
    /// Version 7: has `reset-step`.
    V7,
}

/// How the stream is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AiSdkOptions {
    /// The client's version.
    pub version: AiSdkVersion,
    /// False to say that there was reasoning, and not what.
    pub show_reasoning: bool,
}

impl Default for AiSdkOptions {
    fn default() -> Self {
        Self { version: AiSdkVersion::V6, show_reasoning: true }
    }
}

/// A transcoder for the AI SDK. The message is named after the run, so that what follows an approval goes on in it.
pub fn ai_sdk(options: AiSdkOptions) -> impl Transcoder {
    Flow::new(AiSdk { options, by_client: HashSet::new() })
}

struct AiSdk {
    options: AiSdkOptions,
    /// Calls of which the log said that the client runs them.
    by_client: HashSet<Position>,
}

/// Writes one chunk.
fn chunk(out: &mut Out, kind: &str, fields: &[(&str, &str)]) {
    chunk_with(out, kind, fields, |_| {});
}

fn chunk_with(out: &mut Out, kind: &str, fields: &[(&str, &str)], rest: impl FnOnce(&mut Writer)) {
    let mut w = Writer::new();
    w.object(|w| {
        w.key("type");
        w.string(kind);
        for (key, value) in fields {
            w.key(key);
            w.string(value);
        }
        rest(w);
    });
    out.push(Chunk::Event(w.finish()));
}

fn flag(w: &mut Writer, key: &str, value: bool) {
    w.key(key);
    w.boolean(value);
}

fn reasoning(response: &str) -> String {
    format!("{response}-reasoning")
}

/// True for what goes to the page as a part of its own.
fn is_part(block: &Block) -> bool {
    match block {
        Block::Image { source } | Block::Document { source, .. } => media(source).is_some(),
        Block::SearchResult { .. } => true,
        Block::Text { .. }
        | Block::Redacted {}
        | Block::ToolUse { .. }
        | Block::ToolResult { .. }
        | Block::Thinking { .. }
        | Block::Unknown(_) => false,
    }
}

impl AiSdk {
    /// The client is given a call to run by this chunk, so only one that waits for it is sent as its own.
    fn input(call: &Call<'_>, out: &mut Out) {
        let fields = [("toolCallId", call.wire), ("toolName", call.name)];
        chunk_with(out, "tool-input-available", &fields, |w| {
            w.key("input");
            call.input.write(w);
            flag(w, "dynamic", true);
            flag(w, "providerExecuted", call.disposition != Disposition::PendingClient);
        });
    }

    /// Says with a call's outcome that the client ran it, or was to run it.
    fn by_client(&self, call: Option<Position>, w: &mut Writer) {
        if call.is_some_and(|call| self.by_client.contains(&call)) {
            flag(w, "providerExecuted", false);
        }
    }

    fn told(&self, call: &Call<'_>, out: &mut Out) {
        match call.disposition {
            Disposition::PendingBuiltin => {
                chunk(out, "tool-approval-request", &[("approvalId", call.wire), ("toolCallId", call.wire)]);
            }
            Disposition::Unresolved => {
                let text = "The run ended before this call was answered.";
                let fields = [("toolCallId", call.wire), ("errorText", text)];
                chunk_with(out, "tool-output-error", &fields, |w| self.by_client(Some(call.position), w));
            }
            Disposition::Executed | Disposition::PendingClient | Disposition::Open => {}
        }
    }

    fn finish(reason: &str, out: &mut Out) {
        chunk(out, "finish-step", &[]);
        chunk(out, "finish", &[("finishReason", reason)]);
    }
}

impl Protocol for AiSdk {
    fn begin(&mut self, run_id: &RunId, out: &mut Out) {
        chunk(out, "start", &[("messageId", run_id.as_str())]);
    }

    fn step(&mut self, ends: bool, _step: Option<u32>, out: &mut Out) {
        if ends {
            chunk(out, "finish-step", &[]);
        }
        chunk(out, "start-step", &[]);
    }

    fn open(&mut self, response: &str, kind: &Kind, out: &mut Out) {
        match kind {
            Kind::Reasoning => chunk(out, "reasoning-start", &[("id", &reasoning(response))]),
            Kind::Text => chunk(out, "text-start", &[("id", response)]),
            Kind::Call { wire, name } => {
                let fields = [("toolCallId", wire.as_str()), ("toolName", name)];
                chunk_with(out, "tool-input-start", &fields, |w| flag(w, "dynamic", true));
            }
        }
    }

    fn grow(&mut self, response: &str, kind: &Kind, text: &str, out: &mut Out) {
        match kind {
            Kind::Reasoning if self.options.show_reasoning => {
                chunk(out, "reasoning-delta", &[("id", &reasoning(response)), ("delta", text)]);
            }
            Kind::Reasoning => {}
            Kind::Text => chunk(out, "text-delta", &[("id", response), ("delta", text)]),
            Kind::Call { wire, .. } => {
                chunk(out, "tool-input-delta", &[("toolCallId", wire), ("inputTextDelta", text)]);
            }
        }
    }

    fn close(&mut self, response: &str, kind: &Kind, out: &mut Out) {
        match kind {
            Kind::Reasoning => chunk(out, "reasoning-end", &[("id", &reasoning(response))]),
            Kind::Text => chunk(out, "text-end", &[("id", response)]),
            Kind::Call { .. } => {}
        }
    }

    fn text(&self, content: &[Block]) -> (String, u64) {
        blocks::text(content, |block| !is_part(block))
    }

    fn has_extras(&self, content: &[Block]) -> bool {
        content.iter().any(is_part)
    }

    fn extras(&mut self, response: &str, content: &[Block], out: &mut Out) {
        for (number, block) in content.iter().enumerate() {
            match block {
                Block::Image { source } | Block::Document { source, .. } => {
                    if let Some(media) = media(source) {
                        chunk(out, "file", &[("url", &media.url), ("mediaType", &media.media_type)]);
                    }
                }
                Block::SearchResult { source, title, .. } => {
                    let id = format!("{response}-source-{number}");
                    if source.contains("://") {
                        chunk(out, "source-url", &[("sourceId", &id), ("url", source), ("title", title)]);
                    } else {
                        let fields = [("sourceId", id.as_str()), ("mediaType", "text/plain"), ("title", title)];
                        chunk_with(out, "source-document", &fields, |w| {
                            w.key("filename");
                            w.string(source);
                        });
                    }
                }
                Block::Text { .. }
                | Block::Redacted {}
                | Block::ToolUse { .. }
                | Block::ToolResult { .. }
                | Block::Thinking { .. }
                | Block::Unknown(_) => {}
            }
        }
    }

    fn committed(&mut self, _response: &str, _kind: &Kind, _text: &str) {}

    fn input_is_sent_whole(&self) -> bool {
        true
    }

    fn call(&mut self, call: &Call<'_>, out: &mut Out) {
        if call.disposition == Disposition::PendingClient {
            self.by_client.insert(call.position);
        }
        Self::input(call, out);
        self.told(call, out);
    }

    fn dispose(&mut self, call: &Call<'_>, in_open_step: bool, out: &mut Out) {
        // The client looks for a call's part in the open step alone, and makes a second part of one that it misses.
        if call.disposition == Disposition::PendingClient && self.by_client.insert(call.position) && in_open_step {
            Self::input(call, out);
        }
        self.told(call, out);
    }

    fn client_runs(&mut self, call: &Call<'_>, in_open_step: bool, out: &mut Out) {
        if !self.by_client.insert(call.position) {
            return;
        }
        match call.disposition {
            Disposition::Open | Disposition::PendingClient | Disposition::PendingBuiltin if in_open_step => {
                Self::input(&Call { disposition: Disposition::PendingClient, ..*call }, out);
            }
            Disposition::Unresolved => self.told(call, out),
            // The answer says it.
            Disposition::Executed | Disposition::Open | Disposition::PendingClient | Disposition::PendingBuiltin => {}
        }
    }

    fn has_word_for(&self, disposition: Disposition) -> bool {
        is_told(disposition)
    }

    fn answer(&mut self, answer: &Answer<'_>, out: &mut Out) -> bool {
        let Some(wire) = answer.wire else { return false };
        let (text, _) = blocks::text(answer.content, |_| true);
        if answer.is_error {
            let fields = [("toolCallId", wire), ("errorText", text.as_str())];
            chunk_with(out, "tool-output-error", &fields, |w| self.by_client(answer.call, w));
            return true;
        }
        chunk_with(out, "tool-output-available", &[("toolCallId", wire)], |w| {
            w.key("output");
            if answer.content.iter().all(|block| matches!(block, Block::Text { .. })) {
                w.string(&text);
            } else {
                w.array(|w| answer.content.iter().for_each(|block| block.write(w)));
            }
            self.by_client(answer.call, w);
        });
        true
    }

    fn awaiting(&mut self, _waiting: &Waiting<'_>, out: &mut Out) {
        Self::finish("tool-calls", out);
    }

    fn finished(&mut self, _run_id: &RunId, exhausted: bool, cause: Option<Cause>, out: &mut Out) {
        match cause {
            Some(Cause::Cancelled) => {
                chunk(out, "finish-step", &[]);
                chunk(out, "abort", &[("reason", "cancelled")]);
            }
            Some(Cause::NaturalEnd | Cause::MaxSteps | Cause::Stopped) | None => {
                Self::finish(if exhausted { "length" } else { "stop" }, out);
            }
        }
    }

    fn failed(&mut self, _run_id: &RunId, code: &str, message: &str, out: &mut Out) {
        chunk(out, "error", &[("errorText", &format!("{code}: {message}"))]);
        Self::finish("error", out);
    }

    fn retract(&mut self, _response: &str, out: &mut Out) -> Retracted {
        match self.options.version {
            AiSdkVersion::V6 => {
                out.push(Chunk::Cut);
                Retracted::Run
            }
            AiSdkVersion::V7 => {
                chunk(out, "reset-step", &[]);
                Retracted::Step
            }
        }
    }

    fn retracts_runs(&self) -> bool {
        self.options.version == AiSdkVersion::V6
    }

    fn leave(&mut self, _in_step: bool, _out: &mut Out) {}

    fn forget(&mut self) {
        self.by_client.clear();
    }

    fn said(&mut self, _message: &Message) {}
}
