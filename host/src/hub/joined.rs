//! Deltas with neighbours of one kind and call joined, and the message that they make.

use threadfold::event::{CallId, Delta};
use threadfold::json::{Fragment, Raw};
use threadfold::thread::Block;

/// What an attempt has said.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    deltas: Vec<Delta>,
}

impl Joined {
    /// The joined Deltas.
    pub fn deltas(&self) -> &[Delta] {
        &self.deltas
    }

    /// Adds a Delta.
    pub fn push(&mut self, delta: Delta) {
        match (self.deltas.last_mut(), &delta) {
            (Some(Delta::TextDelta { delta: last }), Delta::TextDelta { delta: more })
            | (Some(Delta::ReasoningDelta { delta: last }), Delta::ReasoningDelta { delta: more }) => {
                append(last, more)
            }
            (
                Some(Delta::ToolCallDelta { id: last_id, name: last_name, args_delta: last }),
                Delta::ToolCallDelta { id, name, args_delta: more },
            ) if last_id == id => {
                name_late(last_name, name);
                append(last, more);
            }
            _ => self.deltas.push(delta),
        }
    }

    /// The text that was said, all of it.
    pub fn text(&self) -> String {
        self.blocks(false)
            .iter()
            .filter_map(|block| match block {
                Block::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// The reasoning, all of it.
    pub fn reasoning(&self) -> String {
        self.blocks(false)
            .iter()
            .filter_map(|block| match block {
                Block::Thinking { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// The calls with their arguments so far, in the order in which they were opened.
    pub fn calls(&self) -> Vec<(CallId, String, String)> {
        let mut calls: Vec<(CallId, String, Fragment)> = Vec::new();
        for delta in &self.deltas {
            let Delta::ToolCallDelta { id, name, args_delta } = delta else { continue };
            match calls.iter_mut().find(|(known, ..)| known == id) {
                Some((_, known, args)) => {
                    name_late(known, name);
                    append(args, args_delta);
                }
                None => calls.push((id.clone(), name.clone(), args_delta.clone())),
            }
        }
        calls.into_iter().map(|(id, name, args)| (id, name, whole(&args))).collect()
    }

    /// The blocks of the message that this is, with or without its tool calls. Reasoning, text and calls stand in the
    /// order in which they were begun; empty ones are left out.
    pub fn blocks(&self, with_calls: bool) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut seen: Vec<&CallId> = Vec::new();
        let calls = if with_calls { self.calls() } else { Vec::new() };
        // Text that a call's arguments interrupted goes on in a block of its own.
        for delta in &self.deltas {
            match delta {
                Delta::TextDelta { delta } if !delta.is_empty() => blocks.push(Block::Text { text: whole(delta) }),
                Delta::ReasoningDelta { delta } if !delta.is_empty() => {
                    blocks.push(Block::Thinking { text: whole(delta), signature: None });
                }
                Delta::ToolCallDelta { id, .. } if with_calls && !seen.contains(&id) => {
                    seen.push(id);
                    if let Some((id, name, args)) = calls.iter().find(|(known, ..)| known == id) {
                        blocks.push(Block::ToolUse { id: id.clone(), name: name.clone(), input: input(args) });
                    }
                }
                Delta::TextDelta { .. } | Delta::ReasoningDelta { .. } | Delta::ToolCallDelta { .. } => {}
            }
        }
        blocks
    }
}

/// A provider may say a tool's name after the call's first piece.
fn name_late(known: &mut String, name: &str) {
    if known.is_empty() {
        name.clone_into(known);
    }
}

/// Arguments as JSON. No arguments are `{}`; what is not JSON is kept as a string, for the tool to refuse.
fn input(args: &str) -> Raw {
    if args.trim().is_empty() {
        return Raw::from_writer(|w| w.object(|_| {}));
    }
    Raw::parse(args).unwrap_or_else(|_| Raw::from_writer(|w| w.string(args)))
}

/// Joins two pieces; halves of a character that meet become whole.
fn append(first: &mut Fragment, more: &Fragment) {
    if more.is_empty() {
        return;
    }
    match (first.tail.take(), more.lead) {
        (Some(high), Some(low)) => {
            first.text.extend(char::decode_utf16([high, low]).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
        }
        (None, Some(low)) if first.is_empty() => first.lead = Some(low),
        (Some(_), None) | (None, Some(_)) => first.text.push(char::REPLACEMENT_CHARACTER),
        (None, None) => {}
    }
    first.text.push_str(&more.text);
    first.tail = more.tail;
}

/// The text as it is committed: a half that never became whole is U+FFFD.
fn whole(fragment: &Fragment) -> String {
    let mut text = String::with_capacity(fragment.text.len());
    if fragment.lead.is_some() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.push_str(&fragment.text);
    if fragment.tail.is_some() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}
