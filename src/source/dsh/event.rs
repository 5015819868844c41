//! Events of the log, by type (B2). A body that can't be read is passed like a type that is not known: the seq counts.
#![allow(non_snake_case)]

use super::stream::{self, Record};
use crate::event::{CallId, MessageId};
use crate::follow::dsh::{Body, Event, Queued, Said, Settlement, SettlementKind, Splice, Surface, WholeBlock};
use crate::json::{self, Error, Limits, Raw, Reader, Wire, wire_object, wire_tagged};
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
    let mut inner = Reader::new(data, Limits::default())?;
    let body = body(&kind, &mut inner).unwrap_or_else(|_| {
        r.notes.unknown_values = r.notes.unknown_values.saturating_add(1);
        Body::Other((*kind).to_owned())
    });
    r.notes.replaced_halves = r.notes.replaced_halves.saturating_add(inner.notes.replaced_halves);
    Ok(Event { seq, time, surface, body })
}

fn body(kind: &str, r: &mut Reader<'_>) -> Result<Body, Error> {
    Ok(match kind {
        "turn/start" => Turn::read(r).map(|Turn { turn }| Body::TurnStart { turn })?,
        "turn/end" => TurnEnd::read(r).map(|end| Body::TurnEnd { turn: end.turn, cause: cause(end.reason) })?,
        "step/start" => Step::read(r).map(|Step { turn, step }| Body::StepStart { turn, step })?,
        "step/end" => Step::read(r).map(|Step { turn, step }| Body::StepEnd { turn, step })?,
        "assistant/message" => message(Answer::read(r)?),
        "assistant/attempt" => {
            let Attempt { turn, step, stream } = Attempt::read(r)?;
            let timed = stream::expand(stream).ok_or_else(|| r.expected("as many times as pieces"))?;
            let chunks = timed.into_iter().map(|timed| timed.chunk).collect();
            Body::Settlement(Settlement { turn, step, kind: SettlementKind::Attempt { chunks } })
        }
        "user/message" => Body::Said(said(UserMessage::read(r)?, None, false)),
        "system/message" => {
            let SystemMessage { turn, message } = SystemMessage::read(r)?;
            Body::Said(said(message, Some(turn), true))
        }
        "tool/result" => result(ToolResult::read(r)?).ok_or_else(|| r.missing("toolCallId"))?,
        "approval/asked" => {
            let Asked { id, toolName, callId, reason } = Asked::read(r)?;
            Body::Asked { id, call: callId, tool: toolName, reason }
        }
        "approval/decided" => Decided::read(r).map(|Decided { id }| Body::Decided { id })?,
        "llm/retry" => {
            let Retry { turn, step, retry, maxRetries, failure } = Retry::read(r)?;
            Body::Retry { turn, step, retry, most: maxRetries, failure: failure.map(inference) }
        }
        "agent/inbox/spliced" => Body::Spliced(splice(Spliced::read(r)?)),
        other => Body::Other(other.to_owned()),
    })
}

/// The messages that wait, as a snapshot's projections list them.
pub(super) fn inbox(projections: &str) -> Option<Vec<Queued>> {
    let values: Projections = json::read(projections).ok()?;
    let inbox: Inbox = json::read(values.values.as_str()).ok()?;
    let mut r = Reader::new(inbox.inbox.as_str(), Limits::default()).ok()?;
    let mut all = Vec::new();
    r.object(|r, key| {
        let steers = key == "next-step";
        let waiting: Vec<UserMessage> = Wire::read(r)?;
        all.extend(waiting.into_iter().map(|message| queued(message, steers)));
        Ok(())
    })
    .ok()?;
    Some(all)
}

fn surface_of(operation: &str) -> Surface {
    if operation == "\"append\"" {
        return Surface::Append;
    }
    match json::read::<Operation>(operation) {
        Ok(Operation { op, start, end }) if op == "replace" => Surface::Replace { start, end },
        _ => Surface::None,
    }
}

/// How a turn ended (B2). An end that nobody knows is never success.
fn cause(reason: Raw) -> EndCause {
    let Ok(Reason { kind, error }) = json::read(reason.as_str()) else { return EndCause::Unknown(reason) };
    match &*kind {
        "completed" => EndCause::NaturalEnd,
        "max-tokens" => EndCause::MaxSteps,
        "aborted" => EndCause::Cancelled,
        "interrupted" => EndCause::Indeterminate,
        "error" | "blocked" => {
            let mut failure = inference(error.unwrap_or_default());
            if failure.code.is_empty() {
                failure.code = kind;
            }
            EndCause::Error(Failure::Inference(failure))
        }
        _ => EndCause::Unknown(reason),
    }
}

fn inference(problem: Problem) -> Inference {
    Inference { code: problem.code, message: problem.message }
}

fn message(answer: Answer) -> Body {
    let Answer { turn, step, message, interrupted } = answer;
    let content = message.content.into_iter().map(block).collect();
    let kind = SettlementKind::Message { id: message.id, interrupted: interrupted.unwrap_or(false), content };
    Body::Settlement(Settlement { turn, step, kind })
}

/// A block of an answer. Arguments that are no JSON stay as they were written, as a JSON string: a view marks them.
pub(super) fn block(block: WholeBlock) -> Block {
    match block {
        WholeBlock::Text { text } => Block::Text { text },
        WholeBlock::Reasoning { text } => Block::Thinking { text, signature: None },
        WholeBlock::ToolCall { id, name, arguments } => Block::ToolUse { id, name, input: input(&arguments) },
        WholeBlock::Unknown(raw) => Block::Unknown(raw),
    }
}

fn input(arguments: &str) -> Raw {
    if arguments.trim().is_empty() { Raw::from_writer(|w| w.object(|_| {})) } else { Raw::of_text(arguments) }
}

/// Blocks of other messages: what is not understood is kept whole.
fn blocks(content: Vec<Raw>) -> Vec<Block> {
    content.into_iter().map(|raw| json::read(raw.as_str()).unwrap_or(Block::Unknown(raw))).collect()
}

/// The message's id is the request's where it has one, so that who sent it finds it.
fn said(message: UserMessage, turn: Option<u32>, is_system: bool) -> Said {
    let Source { kind, rpcId } = message.source.unwrap_or_default();
    let injected = (!is_system && !kind.is_empty() && kind != "user").then_some(kind);
    Said { turn, is_system, id: rpcId.unwrap_or(message.id), content: blocks(message.content), injected }
}

fn queued(message: UserMessage, steers: bool) -> Queued {
    let Said { id, content, .. } = said(message, None, false);
    Queued { steers, id, content }
}

fn splice(spliced: Spliced) -> Splice {
    let steers = spliced.target == "next-step";
    let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Splice {
        steers,
        start: place(spliced.start),
        removed: place(spliced.removedCount.unwrap_or(0)),
        inserted: spliced.inserted.into_iter().map(|message| queued(message, steers)).collect(),
    }
}

/// A tool's answer. Version 4 has it flat in the message; an older one may have it as a block of the message, or beside
/// it in the event (versions 2 and 3 are from the text, not verified against a host).
fn result(event: ToolResult) -> Option<Body> {
    let ToolResult { turn, step, message, callId, content, isError } = event;
    let message = message.unwrap_or_default();
    let nested = message.content.iter().find_map(|raw| match json::read(raw.as_str()) {
        Ok(Nested::Result { toolCallId, content, isError }) => Some((toolCallId, content, isError)),
        Ok(Nested::Unknown(_)) | Err(_) => None,
    });
    let (call, content, is_error) = match nested {
        Some((call, content, is_error)) => (call, content, is_error),
        None => (message.toolCallId.or(callId), content.unwrap_or(message.content), message.isError.or(isError)),
    };
    Some(Body::Result {
        turn,
        step,
        id: message.id.unwrap_or_else(|| MessageId::from("")),
        call: call?,
        content: blocks(content),
        is_error: is_error.unwrap_or(false),
    })
}

wire_object! {
    struct Turn {
        turn: u32,
    }
}

wire_object! {
    struct Step {
        turn: u32,
        step: u32,
    }
}

wire_object! {
    struct TurnEnd {
        turn: u32,
        reason: Raw,
    }
}

wire_object! {
    struct Reason {
        kind: String,
        error: Option<Problem> => optional,
    }
}

wire_object! {
    #[derive(Default)]
    struct Problem {
        code: String => default,
        message: String => default,
    }
}

wire_object! {
    struct Answer {
        turn: u32,
        step: u32,
        message: AnswerMessage,
        interrupted: Option<bool> => optional,
    }
}

wire_object! {
    struct AnswerMessage {
        id: MessageId,
        content: Vec<WholeBlock>,
    }
}

wire_object! {
    struct Attempt {
        turn: u32,
        step: u32,
        stream: Vec<Record>,
    }
}

wire_object! {
    struct UserMessage {
        id: MessageId,
        content: Vec<Raw>,
        source: Option<Source> => optional,
    }
}

wire_object! {
    #[derive(Default)]
    struct Source {
        kind: String => default,
        rpcId: Option<MessageId> => optional,
    }
}

wire_object! {
    struct SystemMessage {
        turn: u32,
        message: UserMessage,
    }
}

wire_object! {
    struct ToolResult {
        turn: u32,
        step: u32,
        message: Option<ToolMessage> => optional,
        callId: Option<CallId> => optional,
        content: Option<Vec<Raw>> => optional,
        isError: Option<bool> => optional,
    }
}

wire_tagged! {
    /// A result as a block of its message.
    pub enum Nested by "type" {
        "tool-result" Result {
            toolCallId: Option<CallId> => optional,
            content: Vec<Raw> => default,
            isError: Option<bool> => optional,
        }
    } else Unknown
}

wire_object! {
    #[derive(Default)]
    struct ToolMessage {
        id: Option<MessageId> => optional,
        toolCallId: Option<CallId> => optional,
        content: Vec<Raw> => default,
        isError: Option<bool> => optional,
    }
}

wire_object! {
    struct Asked {
        id: String,
        toolName: String => default,
        callId: Option<CallId> => optional,
        reason: Option<String> => optional,
    }
}

wire_object! {
    struct Decided {
        id: String,
    }
}

wire_object! {
    struct Retry {
        turn: u32,
        step: u32,
        retry: u32,
        maxRetries: u32 => default,
        failure: Option<Problem> => optional,
    }
}

wire_object! {
    struct Spliced {
        target: String,
        start: u64,
        removedCount: Option<u64> => optional,
        inserted: Vec<UserMessage> => default,
    }
}

wire_object! {
    struct Operation {
        op: String,
        start: u64,
        end: u64,
    }
}

wire_object! {
    struct Projections {
        values: Raw,
    }
}

wire_object! {
    struct Inbox {
        inbox: Raw,
    }
}
