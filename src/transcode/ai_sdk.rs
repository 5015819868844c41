//! The AI SDK's UI message stream, versions 6 and 7: one stream per part of a run between two waits.

use super::blocks::{self, media};
use super::flow::{Flow, is_told};
use super::protocol::{Answer, Call, Out, Protocol, Retracted, Waiting};
use super::response::Kind;
use super::words::{event, event_with, reasoning};
use super::{Chunk, Transcoder};
use crate::event::{Cause, Disposition, Position, RunId};
use crate::json::{Wire, Writer};
use crate::text::{decimal, join};
use crate::thread::Block;

/// The header by which the client knows the stream, and its value.
pub const AI_SDK_HEADER: (&str, &str) = ("x-vercel-ai-ui-message-stream", "v1");

/// The client's major version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AiSdkVersion {
    /// Version 6: a step cannot be taken back, so a divergence ends the stream and the run is written again.
    #[default]
    V6,
    /// Version 7: has `reset-step` for the open step; one that was left is cut as in 6.
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
    Flow::new(Box::new(AiSdk { options, by_client: Vec::new(), has_step: false }))
}

struct AiSdk {
    options: AiSdkOptions,
    /// Calls of which the log said that the client runs them.
    by_client: Vec<Position>,
    /// True once this stream has begun a step: what is taken back with a step of an earlier stream, its start included, can't
    /// be told.
    has_step: bool,
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
        let fields = [("toolCallId", &**call.wire), ("toolName", call.name)];
        event_with(out, "tool-input-available", &fields, &|w| {
            w.key("input");
            call.input.write(w);
            w.flag("dynamic", true);
            w.flag("providerExecuted", call.disposition != Disposition::PendingClient);
        });
    }

    /// Notes that the client runs this call; false when that is known already.
    fn ours(&mut self, call: Position) -> bool {
        let new = !self.by_client.contains(&call);
        if new {
            self.by_client.push(call);
        }
        new
    }

    /// Says with a call's outcome that the client ran it, or was to run it.
    fn by_client(&self, call: Option<Position>, w: &mut Writer) {
        if call.is_some_and(|call| self.by_client.contains(&call)) {
            w.flag("providerExecuted", false);
        }
    }

    fn told(&self, call: &Call<'_>, out: &mut Out) {
        match call.disposition {
            Disposition::PendingBuiltin => {
                event(out, "tool-approval-request", &[("approvalId", call.wire), ("toolCallId", call.wire)]);
            }
            Disposition::Unresolved => {
                let text = "The run ended before this call was answered.";
                let fields = [("toolCallId", &**call.wire), ("errorText", text)];
                event_with(out, "tool-output-error", &fields, &|w| self.by_client(Some(call.position), w));
            }
            Disposition::Executed | Disposition::PendingClient | Disposition::Open => {}
        }
    }

    fn finish(reason: &str, out: &mut Out) {
        event(out, "finish-step", &[]);
        event(out, "finish", &[("finishReason", reason)]);
    }
}

impl Protocol for AiSdk {
    fn begin(&mut self, run_id: &RunId, out: &mut Out) {
        self.has_step = false;
        event(out, "start", &[("messageId", run_id.as_str())]);
    }

    fn step(&mut self, ends: bool, _step: Option<u32>, out: &mut Out) {
        if ends {
            event(out, "finish-step", &[]);
        }
        event(out, "start-step", &[]);
        self.has_step = true;
    }

    fn open(&mut self, response: &str, kind: &Kind, out: &mut Out) {
        match kind {
            Kind::Reasoning => event(out, "reasoning-start", &[("id", &reasoning(response))]),
            Kind::Text => event(out, "text-start", &[("id", response)]),
            Kind::Call { wire, name } => {
                let fields = [("toolCallId", &**wire), ("toolName", name)];
                event_with(out, "tool-input-start", &fields, &|w| w.flag("dynamic", true));
            }
        }
    }

    fn grow(&mut self, response: &str, kind: &Kind, text: &str, out: &mut Out) {
        match kind {
            Kind::Reasoning if self.options.show_reasoning => {
                event(out, "reasoning-delta", &[("id", &reasoning(response)), ("delta", text)]);
            }
            Kind::Reasoning => {}
            Kind::Text => event(out, "text-delta", &[("id", response), ("delta", text)]),
            Kind::Call { wire, .. } => {
                event(out, "tool-input-delta", &[("toolCallId", wire), ("inputTextDelta", text)]);
            }
        }
    }

    fn close(&mut self, response: &str, kind: &Kind, out: &mut Out) {
        match kind {
            Kind::Reasoning => event(out, "reasoning-end", &[("id", &reasoning(response))]),
            Kind::Text => event(out, "text-end", &[("id", response)]),
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
        for (place, block) in content.iter().enumerate() {
            match block {
                Block::Image { source } | Block::Document { source, .. } => {
                    if let Some(media) = media(source) {
                        event(out, "file", &[("url", &media.url), ("mediaType", &media.media_type)]);
                    }
                }
                Block::SearchResult { source, title, .. } => {
                    let id = join(&[response, "-source-", &decimal(place as u64)]);
                    if source.split(':').skip(1).any(|after| after.starts_with("//")) {
                        event(out, "source-url", &[("sourceId", &id), ("url", source), ("title", title)]);
                    } else {
                        let fields = [("sourceId", id.as_str()), ("mediaType", "text/plain"), ("title", title)];
                        event_with(out, "source-document", &fields, &|w| {
                            w.field("filename", source);
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

    fn input_is_sent_whole(&self) -> bool {
        true
    }

    fn call(&mut self, call: &Call<'_>, out: &mut Out) {
        if call.disposition == Disposition::PendingClient {
            self.ours(call.position);
        }
        Self::input(call, out);
        self.told(call, out);
    }

    fn dispose(&mut self, call: &Call<'_>, in_open_step: bool, out: &mut Out) {
        // The client looks for a call's part in the open step alone, and makes a second part of one that it misses.
        if call.disposition == Disposition::PendingClient && self.ours(call.position) && in_open_step {
            Self::input(call, out);
        }
        self.told(call, out);
    }

    fn client_runs(&mut self, call: &Call<'_>, in_open_step: bool, out: &mut Out) {
        if !self.ours(call.position) {
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
            event_with(out, "tool-output-error", &fields, &|w| self.by_client(answer.call, w));
            return true;
        }
        event_with(out, "tool-output-available", &[("toolCallId", wire)], &|w| {
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

    fn finished(&mut self, _run_id: &RunId, _position: Position, exhausted: bool, cause: Option<Cause>, out: &mut Out) {
        match cause {
            Some(Cause::Cancelled) => {
                event(out, "finish-step", &[]);
                event(out, "abort", &[("reason", "cancelled")]);
            }
            Some(Cause::NaturalEnd | Cause::MaxSteps | Cause::Stopped) | None => {
                Self::finish(if exhausted { "length" } else { "stop" }, out);
            }
        }
    }

    fn failed(&mut self, _run_id: &RunId, _position: Position, code: &str, message: &str, out: &mut Out) {
        event(out, "error", &[("errorText", &join(&[code, ": ", message]))]);
        Self::finish("error", out);
    }

    fn retract(&mut self, _response: &str, goes_back: bool, out: &mut Out) -> Retracted {
        // A step that was left is not opened again.
        if self.options.version == AiSdkVersion::V6 || goes_back || !self.has_step {
            out.push(Chunk::Cut);
            return Retracted::Run;
        }
        event(out, "reset-step", &[]);
        Retracted::Step
    }

    fn keeps_steps(&self) -> bool {
        true
    }

    fn forget(&mut self) {
        self.by_client.clear();
    }
}
