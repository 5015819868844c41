//! The thread's messages as a chat-completions request.

use crate::agent::described;
use serde_json::{Value, json};
use threadfold::thread::{Block, Message, Role};

/// What is said to a model whose answer the token limit cut.
pub const GO_ON: &str = "Go on where you stopped.";

/// The request's body.
pub(super) fn body(model: &str, history: &[Message]) -> Value {
    json!({ "model": model, "stream": true, "messages": messages(history), "tools": described() })
}

fn messages(history: &[Message]) -> Vec<Value> {
    let mut messages = Vec::new();
    // Calls of the last assistant message that no result has answered yet: endpoints refuse a call without one.
    let mut open: Vec<String> = Vec::new();
    for message in history {
        if message.role != Role::Tool {
            close(&mut open, &mut messages);
        }
        match message.role {
            Role::System => messages.push(json!({ "role": "system", "content": text(&message.content) })),
            Role::User => messages.push(json!({ "role": "user", "content": text(&message.content) })),
            Role::Assistant => {
                let calls = calls(&message.content);
                open = calls.iter().filter_map(|call| call["id"].as_str().map(str::to_owned)).collect();
                let mut said = json!({ "role": "assistant", "content": text(&message.content) });
                if !calls.is_empty() {
                    said["tool_calls"] = Value::Array(calls);
                }
                messages.push(said);
            }
            Role::Tool => {
                for block in &message.content {
                    let Block::ToolResult { tool_use_id, content, is_error } = block else { continue };
                    let id = tool_use_id.as_str();
                    open.retain(|call| call != id);
                    let content = if *is_error { format!("error: {}", text(content)) } else { text(content) };
                    messages.push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
                }
            }
        }
    }
    close(&mut open, &mut messages);
    messages
}

fn close(open: &mut Vec<String>, messages: &mut Vec<Value>) {
    for id in open.drain(..) {
        messages
            .push(json!({ "role": "tool", "tool_call_id": id, "content": "error: the call was never carried out" }));
    }
}

fn calls(content: &[Block]) -> Vec<Value> {
    content
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse { id, name, input } => Some(json!({ "id": id.as_str(), "type": "function",
                "function": { "name": name, "arguments": input.as_str() } })),
            _ => None,
        })
        .collect()
}

/// Reasoning is the model's own and is not sent back.
fn text(content: &[Block]) -> String {
    content
        .iter()
        .filter_map(|block| match block {
            Block::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
