//! The parts of an item: what of its blocks is shown, and how.

use crate::event::{CallId, Disposition};
use crate::json::{Raw, Wire, Writer};
use crate::thread::{Block, Record, Role};
use std::sync::Arc;

/// A call of a committed message.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// The number of its part.
    pub part: usize,
    /// What the log says of it while it has no result (A3.5).
    pub disposition: Disposition,
    /// Its result, which wins over any disposition.
    pub answer: Option<Answer>,
}

/// Where a result stands: its record, and the block in it.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// The tool message.
    pub record: Arc<Record>,
    /// The block's number in it.
    pub block: usize,
}

impl Answer {
    /// The call that the block names.
    pub fn call_id(&self) -> Option<&CallId> {
        let Record::Message(row) = &*self.record else { return None };
        match row.message.content.get(self.block) {
            Some(Block::ToolResult { tool_use_id, .. }) => Some(tool_use_id),
            _ => None,
        }
    }

    /// What was answered, and whether it is an error.
    pub fn content(&self) -> (&[Block], bool) {
        let Record::Message(row) = &*self.record else { return (&[], false) };
        match row.message.content.get(self.block) {
            Some(Block::ToolResult { content, is_error, .. }) => (content, *is_error),
            _ => (&[], false),
        }
    }
}

impl Call {
    /// A call of which nothing is known yet.
    pub fn new(part: usize, disposition: Disposition) -> Self {
        Self { part, disposition, answer: None }
    }

    /// The two fields that change while the part stays.
    pub fn write_state(&self, w: &mut Writer) {
        w.key("state");
        let answer = self.answer.as_ref().map(Answer::content);
        w.string(match (answer, self.disposition) {
            (Some((_, true)), _) => "error",
            (Some((_, false)), _) | (None, Disposition::Executed) => "output",
            (None, other) => other.as_str(),
        });
        w.key("output");
        match answer {
            Some((content, _)) => write_parts(w, Role::Tool, content, &[]),
            None => w.null(),
        }
    }
}

/// The calls of an assistant's message, each with the number of its part.
pub(super) fn calls(content: &[Block], disposition: Disposition) -> Vec<Call> {
    let shown = content.iter().filter(|block| is_shown(block)).enumerate();
    shown
        .filter(|(_, block)| matches!(block, Block::ToolUse { .. }))
        .map(|(part, _)| Call::new(part, disposition))
        .collect()
}

/// The parts of a message. `calls` are those of its calls, in order.
pub(super) fn write_parts(w: &mut Writer, role: Role, content: &[Block], calls: &[Call]) {
    let mut calls = calls.iter();
    w.array(|w| {
        for block in content.iter().filter(|block| is_shown(block)) {
            match block {
                Block::ToolUse { id, name, input } if role == Role::Assistant => w.object(|w| {
                    w.field("type", "tool_call");
                    w.field("id", id.as_str());
                    w.field("name", name);
                    w.field("args", input.as_str());
                    // No tool takes a string: it is what a model wrote that is no JSON.
                    if input.as_str().starts_with("\"") {
                        w.flag("invalid", true);
                    }
                    if let Some(call) = calls.next() {
                        call.write_state(w);
                    }
                }),
                _ => write_part(w, block),
            }
        }
    });
}

/// Empty text is nothing that was said (A3.2), so it is no part.
fn is_shown(block: &Block) -> bool {
    !matches!(block, Block::Text { text } if text.is_empty())
}

fn write_part(w: &mut Writer, block: &Block) {
    w.object(|w| match block {
        Block::Text { text } => {
            w.field("type", "text");
            w.field("text", text);
        }
        Block::Thinking { text, .. } => {
            w.field("type", "reasoning");
            w.field("text", text);
        }
        Block::Image { source } => {
            w.field("type", "image");
            raw(w, "source", Some(source));
        }
        Block::Document { source, title, context } => {
            w.field("type", "document");
            raw(w, "source", Some(source));
            nullable(w, "title", title.as_deref());
            nullable(w, "context", context.as_deref());
        }
        Block::SearchResult { source, title, content, citations } => {
            w.field("type", "search_result");
            w.field("source", source);
            w.field("title", title);
            raw(w, "content", Some(content));
            raw(w, "citations", citations.as_ref());
        }
        Block::Redacted {} => w.field("type", "redacted"),
        // Calls and results where none belong are told and not believed.
        Block::ToolUse { .. } | Block::ToolResult { .. } | Block::Unknown(_) => {
            w.field("type", "unknown");
            w.key("block");
            block.write(w);
        }
    });
}

/// A field that is a string or null.
pub(super) fn nullable(w: &mut Writer, key: &'static str, value: Option<&str>) {
    w.key(key);
    match value {
        Some(value) => w.string(value),
        None => w.null(),
    }
}

/// A field that is a number or null.
pub(super) fn number(w: &mut Writer, key: &'static str, value: Option<u64>) {
    w.key(key);
    match value {
        Some(value) => w.number(value),
        None => w.null(),
    }
}

/// A field that is JSON as the host said it, or null.
pub(super) fn raw(w: &mut Writer, key: &'static str, value: Option<&Raw>) {
    w.key(key);
    match value {
        Some(value) => value.write(w),
        None => w.null(),
    }
}
