//! What `HttpAgent` of AG-UI sends.

use super::wish::{self, Given, Reply, Wish};
use crate::api::error::Problem;
use serde::Deserialize;
use serde_json::{Value, json};
use threadfold::event::MessageId;
use threadfold::source::threadfold::Answer;
use threadfold::thread::Block;

#[derive(Debug, Deserialize)]
struct Body {
    messages: Vec<Message>,
    #[serde(default)]
    resume: Vec<Resume>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: String,
    role: String,
    #[serde(default)]
    content: Value,
    tool_call_id: Option<String>,
    error: Option<String>,
    #[serde(default)]
    metadata: Value,
}

/// An answer to an interrupt.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resume {
    interrupt_id: String,
    status: String,
    #[serde(default)]
    payload: Value,
}

/// An answer to an interrupt or the results of the client's tools go on with the run that waits; a new message begins
/// one.
pub(super) fn wish(body: &str) -> Result<Wish, Problem> {
    let body: Body = serde_json::from_str(body).map_err(|error| Problem::bad("bad_body", error.to_string()))?;
    let results = body.messages.iter().rev().take_while(|message| message.role == "tool");
    let results =
        results.filter_map(|message| Some(Given { to: message.tool_call_id.clone()?, reply: result(message) }));
    let resumed = body.resume.into_iter().map(|Resume { interrupt_id, status, payload }| Given {
        to: interrupt_id,
        reply: Reply::Interrupt { cancelled: status == "cancelled", payload },
    });
    let given: Vec<Given> = results.chain(resumed).collect();
    let last = body.messages.last().ok_or_else(|| Problem::bad("bad_body", "there is no message"))?;
    if given.is_empty() && last.role == "user" {
        return Ok(Wish::Say { message_id: MessageId::from(last.id.as_str()), content: said(&last.content)? });
    }
    Ok(Wish::GoOn(given))
}

fn result(message: &Message) -> Reply {
    let is_error = message.error.is_some() || message.metadata.get("is_error") == Some(&Value::Bool(true));
    Reply::Answer(Answer::Result { content: vec![Block::Text { text: wish::text(&message.content) }], is_error })
}

/// Content is a text, or a list of parts.
fn said(content: &Value) -> Result<Vec<Block>, Problem> {
    match content {
        Value::String(text) => Ok(vec![Block::Text { text: text.clone() }]),
        Value::Array(parts) => parts.iter().map(part).collect(),
        _ => Err(Problem::bad("bad_body", "the last message has no content")),
    }
}

fn part(part: &Value) -> Result<Block, Problem> {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    let unsupported =
        || Problem::bad("unsupported", format!("a person's message can't hold a part {kind:?} like this"));
    if kind == "text" {
        let text = part.get("text").and_then(Value::as_str).ok_or_else(unsupported)?;
        return Ok(Block::Text { text: text.to_owned() });
    }
    let source = part.get("source").ok_or_else(unsupported)?;
    let field = |name: &str| source.get(name).and_then(Value::as_str);
    let fallback = if kind == "image" { "image/*" } else { "application/octet-stream" };
    let media_type = field("mimeType").unwrap_or(fallback);
    let value = field("value").ok_or_else(unsupported)?;
    let source = match field("type") {
        Some("url") => wish::source(value, media_type),
        Some("data") => json!({ "type": "base64", "media_type": media_type, "data": value }),
        _ => return Err(unsupported()),
    };
    wish::file(&source, media_type, None)
}
