//! What a run does next, from its rows alone.

use threadfold::event::{CallId, RunId};
use threadfold::json::Raw;
use threadfold::thread::{Block, Message, Record, Role};

/// A tool call that has no result yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The call.
    pub id: CallId,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub input: Raw,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// These calls of the last assistant message have no result.
    Tools(Vec<Call>),
    /// The model answers.
    Respond {
        /// The step.
        step: u32,
        /// Which answer of the step.
        response: u32,
    },
}

/// What the run of these rows does next.
pub fn next(run: &RunId, rows: &[Record]) -> Next {
    let messages: Vec<(&Message, Option<(u32, u32)>)> = rows
        .iter()
        .filter_map(|record| match record {
            Record::Message(row) => Some((&row.message, row.step.zip(row.response))),
            Record::Run(_) | Record::Aside(_) => None,
        })
        .collect();
    let Some(last) = messages.iter().rposition(|(message, _)| message.role == Role::Assistant) else {
        return Next::Respond { step: 0, response: 0 };
    };
    let (before, after) = messages.split_at(last + 1);
    let Some((assistant, place)) = before.last() else { return Next::Respond { step: 0, response: 0 } };
    let open = unanswered(assistant, after);
    if !open.is_empty() {
        return Next::Tools(open);
    }
    let (step, response) = place.unwrap_or((0, 0));
    let continuation = format!("{run}-continuation-{step}-");
    match after.last() {
        Some((message, _)) if message.id.as_str().starts_with(&continuation) => {
            Next::Respond { step, response: response + 1 }
        }
        _ => Next::Respond { step: step + 1, response: 0 },
    }
}

/// The calls of a message for which no result follows. Ids may repeat within the message: each result answers one.
fn unanswered(assistant: &Message, after: &[(&Message, Option<(u32, u32)>)]) -> Vec<Call> {
    let mut results: Vec<&CallId> = after
        .iter()
        .flat_map(|(message, _)| &message.content)
        .filter_map(|block| match block {
            Block::ToolResult { tool_use_id, .. } => Some(tool_use_id),
            _ => None,
        })
        .collect();
    let mut open = Vec::new();
    for block in &assistant.content {
        let Block::ToolUse { id, name, input } = block else { continue };
        match results.iter().position(|result| *result == id) {
            Some(answered) => {
                results.swap_remove(answered);
            }
            None => open.push(Call { id: id.clone(), name: name.clone(), input: input.clone() }),
        }
    }
    open
}
