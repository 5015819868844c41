//! What a request of another protocol wants, in the contract's own words.

use crate::api::error::Problem;
use crate::run::{Rejected, Threads};
use serde_json::{Value, json};
use std::sync::Arc;
use threadfold::event::{MessageId, RunId, ThreadId};
use threadfold::source::threadfold::{Answer, ResumeRequest, SendInput, SendRequest};
use threadfold::thread::{Block, RunState, Target, ToolReason};

/// What is wished.
#[derive(Debug)]
pub(super) enum Wish {
    /// Begin a run with this.
    Say {
        /// The message's id, which is the key of the command too: the same request again begins nothing.
        message_id: MessageId,
        /// What is said.
        content: Vec<Block>,
    },
    /// Go on with the run that waits, by whichever of these answers it waits for.
    GoOn(Vec<Given>),
}

/// An answer.
#[derive(Debug)]
pub(super) struct Given {
    /// What it answers: the call's id on the wire (the provider's, or that with `#` and a number behind it), or the
    /// interrupt's.
    pub(super) to: String,
    /// The answer.
    pub(super) reply: Reply,
}

/// What is answered.
#[derive(Debug)]
pub(super) enum Reply {
    /// In the contract's words.
    Answer(Answer),
    /// To an interrupt: what it means depends on what was asked.
    Interrupt {
        /// The person would not answer.
        cancelled: bool,
        /// What the person said.
        payload: Value,
    },
}

impl Wish {
    /// Does it; the run that began or goes on.
    ///
    /// # Errors
    /// As the commands, and `nothing_pending` when no run waits for any of the answers.
    pub(super) async fn carry_out(self, threads: &Arc<Threads>, thread: &ThreadId) -> Result<RunId, Problem> {
        match self {
            Self::Say { message_id, content } => {
                let idempotency_key = message_id.as_str().to_owned();
                let input = SendInput { message_id, content };
                let request = SendRequest { input, idempotency_key, on_active: None };
                Ok(threads.send(thread, request).await?.run_id)
            }
            Self::GoOn(given) => go_on(threads, thread, given).await,
        }
    }
}

async fn go_on(threads: &Arc<Threads>, thread: &ThreadId, given: Vec<Given>) -> Result<RunId, Problem> {
    let in_thread = thread.clone();
    let latest = threads.store(move |store| store.latest(&in_thread, None)).await?;
    let nothing = || Rejected::Conflict("nothing_pending", format!("no run of {thread} waits for this answer"));
    let row = latest.ok_or_else(nothing)?;
    let ticket = match (&row.state, &row.resume_ticket) {
        (RunState::Awaiting, Some(ticket)) => ticket,
        // The same request came before.
        (RunState::Running, _) => return Ok(row.run_id),
        _ => return Err(nothing().into()),
    };
    let call = ticket.target.call_id().map(|call| call.as_str().to_owned());
    let interrupt = format!("{}-{}-", row.run_id, row.seq);
    let is_meant =
        |given: &Given| given.to.starts_with(&interrupt) || call.as_ref().is_some_and(|call| is_of(&given.to, call));
    let answer = match given.into_iter().rev().find(is_meant).map(|given| given.reply) {
        Some(Reply::Answer(answer)) => answer,
        // There is nothing to say no to.
        Some(Reply::Interrupt { cancelled: true, .. }) if call.is_none() => {
            threads.cancel(thread, &row.run_id).await?;
            return Ok(row.run_id);
        }
        Some(Reply::Interrupt { cancelled, payload }) => answer_of(&ticket.target, cancelled, &payload),
        None if call.is_none() => Answer::GoOn,
        None => return Err(nothing().into()),
    };
    let correlation_id = call.unwrap_or_else(|| "pause".to_owned());
    let idempotency_key = format!("{}-{}", row.run_id, row.seq);
    let request = ResumeRequest { correlation_id, idempotency_key, answer };
    Ok(threads.resume(thread, &row.run_id, request).await?.run_id)
}

/// What the answer to an interrupt means where this is waited for. A permission is refused by `false`, or by an object
/// whose `approved` or `approve` is.
fn answer_of(target: &Target, cancelled: bool, payload: &Value) -> Answer {
    match target {
        Target::ToolCall { reason: ToolReason::ClientExecution, .. } | Target::RemoteInput { .. } => {
            Answer::Result { content: vec![Block::Text { text: text(payload) }], is_error: cancelled }
        }
        Target::ToolCall { .. } => {
            let said = payload.get("approved").or_else(|| payload.get("approve")).unwrap_or(payload);
            let reason = payload.get("reason").and_then(Value::as_str).map(str::to_owned);
            Answer::Approve { approve: !cancelled && said != &Value::Bool(false), reason }
        }
        Target::Pause(_) | Target::Unknown { .. } => Answer::GoOn,
    }
}

/// Whether an id on the wire is of this call.
fn is_of(wire: &str, call: &str) -> bool {
    wire.strip_prefix(call).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

/// The JSON of an image or a document by where it is, or by its bytes.
pub(super) fn source(url: &str, media_type: &str) -> Value {
    match url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((media_type, data)) => json!({ "type": "base64", "media_type": media_type, "data": data }),
        None => json!({ "type": "url", "url": url, "media_type": media_type }),
    }
}

/// A block of an image, or of any other file as a document.
///
/// # Errors
/// None is expected: the JSON is made here.
pub(super) fn file(source: &Value, media_type: &str, title: Option<&str>) -> Result<Block, Problem> {
    let block = if media_type.starts_with("image/") {
        json!({ "type": "image", "source": source })
    } else if let Some(title) = title {
        json!({ "type": "document", "source": source, "title": title })
    } else {
        json!({ "type": "document", "source": source })
    };
    threadfold::json::read(&block.to_string()).map_err(|error| Problem::bad("bad_file", error.to_string()))
}

/// A value as text: a string as it is, anything else as JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
