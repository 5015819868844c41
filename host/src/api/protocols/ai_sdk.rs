//! What `DefaultChatTransport` of the AI SDK sends, versions 6 and 7.

use super::wish::{self, Given, Reply, Wish};
use crate::api::error::Problem;
use serde::Deserialize;
use serde_json::Value;
use threadfold::event::MessageId;
use threadfold::source::threadfold::Answer;
use threadfold::thread::Block;

#[derive(Debug, Deserialize)]
struct Body {
    messages: Vec<UiMessage>,
    trigger: Option<String>,
}

#[derive(Debug, Deserialize)]
struct UiMessage {
    id: String,
    role: String,
    parts: Vec<Part>,
}

/// The parts that matter here have these fields, each kind some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Part {
    r#type: String,
    text: Option<String>,
    url: Option<String>,
    media_type: Option<String>,
    filename: Option<String>,
    tool_call_id: Option<String>,
    state: Option<String>,
    output: Option<Value>,
    error_text: Option<String>,
    approval: Option<Approval>,
}

#[derive(Debug, Deserialize)]
struct Approval {
    approved: Option<bool>,
    reason: Option<String>,
}

/// A new message begins a run; an answer in the last message, or nothing new, goes on with the one that waits.
pub(super) fn wish(body: &str) -> Result<Wish, Problem> {
    let body: Body = serde_json::from_str(body).map_err(|error| Problem::bad("bad_body", error.to_string()))?;
    if body.trigger.as_deref() == Some("regenerate-message") {
        let message = "what was said stays said: the log has no way to take an answer back; send a new message";
        return Err(Problem::bad("unsupported", message));
    }
    let last = body.messages.into_iter().next_back().ok_or_else(|| Problem::bad("bad_body", "there is no message"))?;
    match last.role.as_str() {
        "user" => Ok(Wish::Say {
            message_id: MessageId::from(last.id.as_str()),
            content: last.parts.iter().map(said).collect::<Result<Vec<_>, _>>()?,
        }),
        "assistant" => Ok(Wish::GoOn(last.parts.into_iter().filter_map(given).collect())),
        other => Err(Problem::bad("bad_body", format!("the last message is of role {other:?}"))),
    }
}

fn said(part: &Part) -> Result<Block, Problem> {
    match (part.r#type.as_str(), &part.text, &part.url) {
        ("text", Some(text), _) => Ok(Block::Text { text: text.clone() }),
        ("file", _, Some(url)) => {
            let media_type = part.media_type.as_deref().unwrap_or("application/octet-stream");
            wish::file(&wish::source(url, media_type), media_type, part.filename.as_deref())
        }
        (kind, ..) => Err(Problem::bad("unsupported", format!("a person's message can't hold a part {kind:?}"))),
    }
}

fn given(part: Part) -> Option<Given> {
    let call = part.tool_call_id?;
    let text = |text: String| vec![Block::Text { text }];
    let answer = match part.state.as_deref()? {
        "approval-responded" => {
            let approval = part.approval?;
            Answer::Approve { approve: approval.approved?, reason: approval.reason }
        }
        "output-available" => {
            Answer::Result { content: text(wish::text(&part.output.unwrap_or_default())), is_error: false }
        }
        "output-error" => Answer::Result { content: text(part.error_text.unwrap_or_default()), is_error: true },
        _ => return None,
    };
    Some(Given { to: call, reply: Reply::Answer(answer) })
}
