//! Events of the log, by type (B2). A body that can't be read is passed like a type that is not known: the seq counts.
#![allow(non_snake_case)]

use super::stream::{self, Record};
use crate::event::{CallId, MessageId};
use crate::follow::dsh::{Body, Event, Queued, Said, Settlement, SettlementKind, Splice, Surface, WholeBlock};
use crate::json::{self, Error, Limits, Raw, Reader, Wire, wire_object, wire_tokens};
use crate::thread::{Block, EndCause, Failure, Inference};

/// Reads the envelope that comes next.
pub(super) fn read(r: &mut Reader<'_>) -> Result<Event, Error> {
    let (mut kind, mut seq, mut time, mut data) = (None, None, 0, "{}");
    let mut surface = Surface::None;
    r.object(|r, key| {
        match key {
            "type" => kind = Some(r.string()?),
            "seq" => seq = Some(r.unsigned()?),
            "time" => time = r.unsigned()?,
            "data" => data = r.raw()?,
            "surfaceOp" => surface = surface_of(r.raw()?),
            _ => r.skip()?,
        }
        Ok(())
    })?;
    let (Some(kind), Some(seq)) = (kind, seq) else { return Err(r.missing("seq")) };
    let mut inner = Inner::default();
    let body = inner.body(&kind, data).unwrap_or_else(|| {
        r.notes.unknown_values = r.notes.unknown_values.saturating_add(1);
        Body::Other((*kind).to_owned())
    });
    r.notes.replaced_halves = r.notes.replaced_halves.saturating_add(inner.replaced_halves);
    Ok(Event { seq, time, surface, body })
}

/// The messages that wait, as a snapshot's projections list them.
pub(super) fn inbox(projections: &str) -> Option<Vec<Queued>> {
    let mut inner = Inner::default();
    let values: Data = inner.part(projections)?;
    let inbox: Data = inner.part(values.values.as_ref()?.as_str())?;
    let mut r = Reader::new(inbox.inbox.as_ref()?.as_str(), Limits::default()).ok()?;
    let mut all = Vec::new();
    r.object(|r, key| {
        let steers = key == "next-step";
        let waiting = <Vec<Raw>>::read(r)?;
        all.extend(waiting.iter().filter_map(|message| inner.queued(message, steers)));
        Ok(())
    })
    .ok()?;
    Some(all)
}

/// Reads what stands inside events, and counts the halves of characters that it met.
#[derive(Default)]
struct Inner {
    replaced_halves: u32,
}

impl Inner {
    fn part<T: Wire>(&mut self, text: &str) -> Option<T> {
        let (value, notes) = json::read_noting(text).ok()?;
        self.replaced_halves = self.replaced_halves.saturating_add(notes.replaced_halves);
        Some(value)
    }

    /// None for a body that lacks what its type needs.
    fn body(&mut self, kind: &str, text: &str) -> Option<Body> {
        let Some(kind) = Known::from_word(kind) else { return Some(Body::Other(kind.to_owned())) };
        let data = &mut self.part::<Data>(text)?;
        Some(match kind {
            Known::TurnStart => Body::TurnStart { turn: data.turn? },
            Known::TurnEnd => Body::TurnEnd { turn: data.turn?, cause: self.cause(data.reason.take()?) },
            Known::StepStart => Body::StepStart { turn: data.turn?, step: data.step? },
            Known::StepEnd => Body::StepEnd { turn: data.turn?, step: data.step? },
            Known::Message => self.message(data)?,
            Known::Attempt => {
                let timed = stream::expand(self.part::<Vec<Record>>(data.stream.as_ref()?.as_str())?)?;
                let chunks = timed.into_iter().map(|timed| timed.chunk).collect();
                let kind = SettlementKind::Attempt { chunks };
                Body::Settlement(Settlement { turn: data.turn?, step: data.step?, kind })
            }
            Known::Said => Body::Said(self.said(data, None, false)?),
            Known::System => {
                let message = &mut self.part(data.message.as_ref()?.as_str())?;
                Body::Said(self.said(message, Some(data.turn?), true)?)
            }
            Known::Result => self.result(data)?,
            Known::Asked => Body::Asked {
                id: data.id.take()?,
                call: data.callId.take(),
                tool: data.toolName.take().unwrap_or_default(),
                reason: data.reason.as_ref().and_then(|reason| self.part(reason.as_str())),
            },
            Known::Decided => Body::Decided { id: data.id.take()? },
            Known::Retry => Body::Retry {
                turn: data.turn?,
                step: data.step?,
                retry: data.retry?,
                most: data.maxRetries.unwrap_or(0),
                failure: data.failure.as_ref().map(|failure| self.inference(failure)),
            },
            Known::Spliced => Body::Spliced(self.splice(data)?),
        })
    }

    /// How a turn ended (B2). An end that nobody knows is never success.
    fn cause(&mut self, reason: Raw) -> EndCause {
        let parts = &mut self.part::<Data>(reason.as_str()).unwrap_or_default();
        match parts.kind.as_deref().unwrap_or_default() {
            "completed" => EndCause::NaturalEnd,
            "max-tokens" => EndCause::MaxSteps,
            "aborted" => EndCause::Cancelled,
            "interrupted" => EndCause::Indeterminate,
            "error" | "blocked" => {
                let mut failure = parts.error.as_ref().map(|error| self.inference(error)).unwrap_or_default();
                if failure.code.is_empty() {
                    failure.code = parts.kind.take().unwrap_or_default();
                }
                EndCause::Error(Failure::Inference(failure))
            }
            _ => EndCause::Unknown(reason),
        }
    }

    fn inference(&mut self, failure: &Raw) -> Inference {
        let failure = &mut self.part::<Data>(failure.as_str()).unwrap_or_default();
        let message = failure.message.as_ref().and_then(|message| self.part(message.as_str())).unwrap_or_default();
        Inference { code: failure.code.take().unwrap_or_default(), message }
    }

    fn message(&mut self, data: &Data) -> Option<Body> {
        let message = &self.part::<Data>(data.message.as_ref()?.as_str())?;
        let content = message.content.as_ref()?.iter().map(|raw| self.part(raw.as_str()).map(block));
        let content = content.collect::<Option<_>>()?;
        let id = MessageId::from(&**message.id.as_ref()?);
        let kind = SettlementKind::Message { id, interrupted: data.interrupted.unwrap_or(false), content };
        Some(Body::Settlement(Settlement { turn: data.turn?, step: data.step?, kind }))
    }

    /// Blocks of other messages than answers: what is not understood is kept whole.
    fn blocks(&mut self, content: Vec<Raw>) -> Vec<Block> {
        content.into_iter().map(|raw| self.part(raw.as_str()).unwrap_or(Block::Unknown(raw))).collect()
    }

    /// The message's id is the request's where it has one, so that who sent it finds it.
    fn said(&mut self, message: &mut Data, turn: Option<u32>, is_system: bool) -> Option<Said> {
        let source = message.source.as_ref().and_then(|source| self.part::<Data>(source.as_str()));
        let source = &mut source.unwrap_or_default();
        let injected = source.kind.take().filter(|kind| !is_system && !kind.is_empty() && kind != "user");
        let id = MessageId::from(&**source.rpcId.as_ref().or(message.id.as_ref())?);
        Some(Said { turn, is_system, id, content: self.blocks(message.content.take()?), injected })
    }

    fn queued(&mut self, message: &Raw, steers: bool) -> Option<Queued> {
        let message = &mut self.part(message.as_str())?;
        let Said { id, content, .. } = self.said(message, None, false)?;
        Some(Queued { steers, id, content })
    }

    fn splice(&mut self, data: &Data) -> Option<Splice> {
        let steers = data.target.as_ref()? == "next-step";
        let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let inserted = data.inserted.iter().flatten().map(|message| self.queued(message, steers));
        Some(Splice {
            steers,
            inserted: inserted.collect::<Option<_>>()?,
            start: place(data.start?),
            removed: place(data.removedCount.unwrap_or(0)),
        })
    }

    /// A tool's answer. Version 4 has it flat in the message; an older one may have it as a block of the message, or
    /// beside it in the event (versions 2 and 3 are from the text, not verified against a host).
    fn result(&mut self, data: &mut Data) -> Option<Body> {
        let message = data.message.as_ref().and_then(|message| self.part::<Data>(message.as_str()));
        let message = &mut message.unwrap_or_default();
        let mut nested = message.content.iter().flatten().find_map(|raw| {
            let is_result = Reader::new(raw.as_str(), Limits::default()).and_then(|r| r.tag("type"));
            is_result.is_ok_and(|tag| tag.as_deref() == Some("tool-result")).then(|| self.part::<Data>(raw.as_str()))?
        });
        let (call, content, is_error) = match &mut nested {
            Some(nested) => (nested.toolCallId.take(), nested.content.take(), nested.isError),
            None => (
                message.toolCallId.take().or(data.callId.take()),
                data.content.take().or(message.content.take()),
                message.isError.or(data.isError),
            ),
        };
        Some(Body::Result {
            turn: data.turn?,
            step: data.step?,
            id: MessageId::from(message.id.as_deref().unwrap_or_default()),
            call: call?,
            content: self.blocks(content.unwrap_or_default()),
            is_error: is_error.unwrap_or(false),
        })
    }
}

fn surface_of(operation: &str) -> Surface {
    if operation == "\"append\"" {
        return Surface::Append;
    }
    match json::read(operation) {
        Ok(Data { op: Some(ref op), start: Some(start), end: Some(end), .. }) if op == "replace" => {
            Surface::Replace { start, end }
        }
        _ => Surface::None,
    }
}

/// A block of an answer. Arguments that are no JSON stay as they were written, as a JSON string: a view marks them.
fn block(block: WholeBlock) -> Block {
    match block {
        WholeBlock::Text { text } => Block::Text { text },
        WholeBlock::Reasoning { text } => Block::Thinking { text, signature: None },
        WholeBlock::ToolCall { id, name, arguments } => Block::ToolUse { id, name, input: input(&arguments) },
        WholeBlock::Unknown(raw) => Block::Unknown(raw),
    }
}

fn input(arguments: &str) -> Raw {
    if arguments.chars().all(char::is_whitespace) {
        Raw::from_writer(|w| w.object(|_| {}))
    } else {
        Raw::of_text(arguments)
    }
}

wire_tokens! {
    /// The types that a thread is made of.
    pub enum Known {
        "turn/start" TurnStart,
        "turn/end" TurnEnd,
        "step/start" StepStart,
        "step/end" StepEnd,
        "assistant/message" Message,
        "assistant/attempt" Attempt,
        "user/message" Said,
        "system/message" System,
        "tool/result" Result,
        "approval/asked" Asked,
        "approval/decided" Decided,
        "llm/retry" Retry,
        "agent/inbox/spliced" Spliced,
    }
}

wire_object! {
    /// Every key of every body and of what stands in it: a type for each would be a tenth of what dsh adds to the module.
    /// A key that means several things is kept as JSON and read where its meaning is known.
    #[derive(Default)]
    struct Data {
        turn: Option<u32> => optional,
        step: Option<u32> => optional,
        id: Option<String> => optional,
        kind: Option<String> => optional,
        code: Option<String> => optional,
        message: Option<Raw> => optional,
        reason: Option<Raw> => optional,
        error: Option<Raw> => optional,
        failure: Option<Raw> => optional,
        stream: Option<Raw> => optional,
        source: Option<Raw> => optional,
        content: Option<Vec<Raw>> => optional,
        interrupted: Option<bool> => optional,
        isError: Option<bool> => optional,
        rpcId: Option<String> => optional,
        callId: Option<CallId> => optional,
        toolCallId: Option<CallId> => optional,
        toolName: Option<String> => optional,
        retry: Option<u32> => optional,
        maxRetries: Option<u32> => optional,
        target: Option<String> => optional,
        op: Option<String> => optional,
        start: Option<u64> => optional,
        end: Option<u64> => optional,
        removedCount: Option<u64> => optional,
        inserted: Option<Vec<Raw>> => optional,
        values: Option<Raw> => optional,
        inbox: Option<Raw> => optional,
    }
}
