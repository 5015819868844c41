//! Chunks, assembled: the same for a lane that grows and for an attempt that is over (B1).

use super::{Chunk, WholeBlock};
use crate::event::Delta;
use crate::follow::lanes::Lane;
use crate::follow::output::LaneChange;
use crate::json::{self, Raw, wire_object};
use crate::preview::{Content, Part, Placed};
use crate::thread::{Block, Inference};

/// Takes a chunk into a content.
fn take(content: &mut Content, chunk: &Chunk) -> Placed {
    match chunk {
        Chunk::BlockStart { index, .. } => {
            content.begin_block(*index);
            Placed::Nothing
        }
        Chunk::Text { index, text } => content.push_block(*index, Delta::TextDelta { delta: text.clone() }),
        Chunk::Reasoning { index, text } => content.push_block(*index, Delta::ReasoningDelta { delta: text.clone() }),
        Chunk::ToolCall { index, id, name, argumentsDelta } => {
            let (id, name, args_delta) = (id.clone(), name.clone().unwrap_or_default(), argumentsDelta.clone());
            content.push_block(*index, Delta::ToolCallDelta { id, name, args_delta })
        }
        Chunk::BlockEnd { index, block } => match block {
            WholeBlock::Text { text } => content.end_block(*index, Part::Text(text.clone())),
            WholeBlock::Reasoning { text } => content.end_block(*index, Part::Reasoning(text.clone())),
            WholeBlock::ToolCall { id, name, arguments } => {
                content.end_block(*index, Part::call(id.clone(), name.clone(), arguments))
            }
            // What it is will be seen when it is committed.
            WholeBlock::Unknown(_) => Placed::Nothing,
        },
        Chunk::Usage { .. } | Chunk::Finish { .. } | Chunk::Unknown(_) => Placed::Nothing,
    }
}

/// The content that these chunks make.
pub(super) fn content_of(chunks: &[Chunk]) -> Content {
    let mut content = Content::default();
    for chunk in chunks {
        take(&mut content, chunk);
    }
    content
}

/// A lane grows by a chunk.
pub(super) fn say(lane: &mut Lane, chunk: &Chunk, changes: &mut Vec<LaneChange>) {
    match take(&mut lane.content, chunk) {
        Placed::Nothing => {}
        Placed::Grew(delta, growth) => changes.push(LaneChange::Grew { lane: lane.id, delta, growth }),
        Placed::Rebuilt => {
            changes.push(LaneChange::Reset { lane: lane.id });
            lane.tell_content(changes);
        }
    }
}

/// What an attempt that is over had said, and how it failed.
pub(super) fn attempt_of(chunks: &[Chunk]) -> (Vec<Block>, Option<Inference>) {
    let blocks = content_of(chunks).parts().iter().map(block).collect();
    let failure = chunks.iter().rev().find_map(|chunk| match chunk {
        Chunk::Finish { reason, .. } => json::read::<FinishReason>(reason.as_str()).ok()?.failure,
        _ => None,
    });
    (blocks, failure.map(|problem| Inference { code: problem.code, message: problem.message }))
}

fn block(part: &Part) -> Block {
    match part {
        Part::Text(text) => Block::Text { text: text.clone() },
        Part::Reasoning(text) => Block::Thinking { text: text.clone(), signature: None },
        Part::Call { id, name, args } => {
            Block::ToolUse { id: id.clone(), name: name.clone(), input: Raw::of_text(args.raw()) }
        }
    }
}

wire_object! {
    /// Why a provider was done.
    struct FinishReason {
        failure: Option<Problem> => optional,
    }
}

wire_object! {
    struct Problem {
        code: String => default,
        message: String => default,
    }
}
