//! The fold once more, as a slow reading of A3: each question is answered by looking through the run's records again.
//! It shares no code with the fold, so that the laws compare two readings of the rules and not one with itself.

use super::*;
use crate::event::{CallId, Cause, Coordinate, Disposition, RunId};
use crate::json::Raw;
use crate::thread::{Block, EndCause, MessageRow, ResumeTicket, Role, RunState, Target, ToolReason};
use std::collections::BTreeMap;

/// All Facts of a whole log.
pub fn fold_slowly(records: &[Record]) -> BTreeMap<Position, PlacedFact> {
    let mut facts = BTreeMap::new();
    let runs: std::collections::BTreeSet<&RunId> = records.iter().filter_map(Record::run_id).collect();
    for run in runs {
        let own: Vec<&Record> = records.iter().filter(|record| record.run_id() == Some(run)).collect();
        let end = own.iter().position(|record| matches!(record, Record::Run(row) if row.state.is_ended()));
        let counted = end.map_or(own.as_slice(), |end| &own[..=end]);
        let reading = Reading { run, records: counted };
        for at in 0..counted.len() {
            facts.extend(reading.facts(at).into_iter().map(|placed| (placed.position, placed)));
        }
    }
    facts
}

/// One run's records up to its end.
struct Reading<'a> {
    run: &'a RunId,
    records: &'a [&'a Record],
}

/// The place of a call: which record, which block.
type Occurrence = (usize, usize);

impl Reading<'_> {
    fn facts(&self, at: usize) -> Vec<PlacedFact> {
        let record = self.records[at];
        let mut placed = Vec::new();
        let place = |index, fact, call| PlacedFact {
            position: Position { seq: record.seq(), index },
            run_id: self.run.clone(),
            message_id: None,
            coordinate: None,
            call,
            fact,
        };
        if at == 0 {
            placed.push(place(0, Fact::RunStarted {}, None));
        } else if let Record::Run(before) = self.records[at - 1]
            && before.state == RunState::Awaiting
            && !matches!(record, Record::Run(row) if row.state.is_ended())
        {
            let waited = before.resume_ticket.as_ref().and_then(|ticket| named(&ticket.target));
            let waited = waited.map_or("null".to_owned(), |id| format!("\"{id}\""));
            let detail = format!(r#"{{"cause":"resumed","pending_tool_use_id":{waited}}}"#);
            placed.push(place(0, Fact::Continuation { steered: false, detail: Raw::parse(&detail).unwrap() }, None));
        }
        match record {
            Record::Aside(_) => {}
            Record::Run(row) => {
                let fact = match &row.state {
                    RunState::Running | RunState::Unknown(_) => None,
                    RunState::Awaiting => Some(Fact::Awaiting {
                        pending_tool_use_id: row.resume_ticket.as_ref().and_then(|ticket| named(&ticket.target)),
                        reason: row.resume_ticket.as_ref().and_then(|ticket| ticket.target.reason()).map(str::to_owned),
                    }),
                    RunState::Ended(cause) => Some(end(cause)),
                };
                let call = self.ticket_occurrence(at).map(|occurrence| self.position(occurrence));
                placed.extend(fact.map(|fact| place(1, fact, call)));
            }
            Record::Message(row) => {
                let coordinate = self.coordinate(at);
                for (number, (fact, call)) in self.message(at, row).into_iter().enumerate() {
                    let said = row.message.role == Role::Assistant;
                    placed.push(PlacedFact {
                        message_id: Some(row.message.id.clone()),
                        coordinate: coordinate.clone().filter(|_| said),
                        ..place(u32::try_from(number).unwrap() + 1, fact, call)
                    });
                }
            }
        }
        placed
    }

    fn message(&self, at: usize, row: &MessageRow) -> Vec<(Fact, Option<Position>)> {
        let message = &row.message;
        let mut said = Vec::new();
        match message.role {
            Role::System => {}
            Role::User => {
                let rest = message.id.as_str().strip_prefix(&format!("{}-", self.run));
                let steered = rest.is_some_and(|rest| rest.starts_with("steer-"));
                let cut = rest.is_some_and(|rest| rest.starts_with("continuation-"));
                if steered || cut {
                    let cause = if cut { r#","cause":"max_tokens""# } else { "" };
                    let detail = Raw::parse(&format!(r#"{{"message_id":"{}"{cause}}}"#, message.id)).unwrap();
                    said.push((Fact::Continuation { steered, detail }, None));
                }
            }
            Role::Assistant => {
                let thoughts: Vec<String> = message
                    .content
                    .iter()
                    .filter_map(|block| match block {
                        Block::Thinking { text, .. } => Some(text.clone()),
                        _ => None,
                    })
                    .collect();
                if !thoughts.is_empty() {
                    let text = Some(thoughts.concat());
                    said.push((Fact::AssistantThinking { id: Some(message.id.clone()), text }, None));
                }
                let mut content = message.content.clone();
                content.retain(|block| match block {
                    Block::Text { text } => !text.is_empty(),
                    Block::ToolUse { .. } | Block::ToolResult { .. } | Block::Thinking { .. } => false,
                    _ => true,
                });
                if !content.is_empty() {
                    said.push((Fact::AssistantMessage { id: message.id.clone(), content }, None));
                }
                for (block, content) in message.content.iter().enumerate() {
                    if let Block::ToolUse { id, name, input } = content {
                        let disposition = self.disposition((at, block));
                        let (id, name, input) = (id.clone(), name.clone(), input.clone());
                        said.push((Fact::ToolCall { id, name, input, disposition }, None));
                    }
                }
            }
            Role::Tool => {
                for (block, content) in message.content.iter().enumerate() {
                    if let Block::ToolResult { tool_use_id, content, is_error } = content {
                        let call = self.answered_by((at, block)).map(|occurrence| self.position(occurrence));
                        let (id, content, is_error) = (tool_use_id.clone(), content.clone(), *is_error);
                        said.push((Fact::ToolResult { id, content, is_error }, call));
                    }
                }
            }
        }
        said
    }

    /// The blocks of all messages of this role before a place, with their places.
    fn blocks(&self, role: Role, before: Occurrence) -> impl DoubleEndedIterator<Item = (Occurrence, &Block)> {
        self.records
            .iter()
            .enumerate()
            .flat_map(move |(at, record)| {
                let content = match record {
                    Record::Message(row) if row.message.role == role => row.message.content.as_slice(),
                    _ => &[],
                };
                content.iter().enumerate().map(move |(block, content)| ((at, block), content))
            })
            .filter(move |(occurrence, _)| *occurrence < before)
    }

    /// The calls that are answered by results before a place: each result in turn takes one.
    fn answered(&self, before: Occurrence) -> BTreeMap<Occurrence, Occurrence> {
        let mut taken = BTreeMap::new();
        for (place, block) in self.blocks(Role::Tool, before) {
            if let Block::ToolResult { tool_use_id, .. } = block
                && let Some(call) = self.nearest(tool_use_id, place, &taken)
            {
                taken.insert(call, place);
            }
        }
        taken
    }

    fn nearest(&self, id: &CallId, before: Occurrence, taken: &BTreeMap<Occurrence, Occurrence>) -> Option<Occurrence> {
        let free: Vec<Occurrence> = self
            .blocks(Role::Assistant, before)
            .filter(|(place, block)| {
                matches!(block, Block::ToolUse { id: other, .. } if other == id) && !taken.contains_key(place)
            })
            .map(|(place, _)| place)
            .collect();
        let batch = free.iter().map(|(at, _)| *at).max()?;
        free.into_iter().find(|(at, _)| *at == batch)
    }

    /// The call that the result at this place answers.
    fn answered_by(&self, result: Occurrence) -> Option<Occurrence> {
        let all = self.answered((usize::MAX, 0));
        all.into_iter().find(|(_, by)| *by == result).map(|(call, _)| call)
    }

    /// The call that the run row at this place waits for.
    fn ticket_occurrence(&self, at: usize) -> Option<Occurrence> {
        let ticket = self.ticket(at)?;
        self.nearest(&named(&ticket.target)?, (at, 0), &self.answered((at, 0)))
    }

    fn ticket(&self, at: usize) -> Option<&ResumeTicket> {
        match self.records[at] {
            Record::Run(row) if row.state == RunState::Awaiting => row.resume_ticket.as_ref(),
            _ => None,
        }
    }

    fn disposition(&self, call: Occurrence) -> Disposition {
        if self.answered((usize::MAX, 0)).contains_key(&call) {
            return Disposition::Executed;
        }
        let Some(at) = self.records.iter().rposition(|record| matches!(record, Record::Run(_))) else {
            return Disposition::Open;
        };
        if matches!(self.records[at], Record::Run(row) if row.state.is_ended()) {
            return Disposition::Unresolved;
        }
        match self.ticket(at).map(|ticket| &ticket.target) {
            Some(Target::ToolCall { reason, .. }) if self.ticket_occurrence(at) == Some(call) => {
                if *reason == ToolReason::ClientExecution {
                    Disposition::PendingClient
                } else {
                    Disposition::PendingBuiltin
                }
            }
            _ => Disposition::Open,
        }
    }

    /// Where the Fact of a call stands: after the thinking, the message, and the calls before it.
    fn position(&self, (at, block): Occurrence) -> Position {
        let Record::Message(row) = self.records[at] else { panic!("a call outside a message") };
        let content = &row.message.content;
        let thinking = content.iter().any(|block| matches!(block, Block::Thinking { .. }));
        let visible = content.iter().any(Block::is_visible);
        let calls = content[..=block].iter().filter(|block| matches!(block, Block::ToolUse { .. })).count();
        let index = usize::from(thinking) + usize::from(visible) + calls;
        Position { seq: row.seq, index: u32::try_from(index).unwrap() }
    }

    fn coordinate(&self, at: usize) -> Option<Coordinate> {
        let Record::Message(row) = self.records[at] else { return None };
        let number = |step: u32, response: usize| Coordinate {
            run_id: self.run.clone(),
            step,
            response: u32::try_from(response).unwrap(),
        };
        if let (Some(step), Some(response)) = (row.step, row.response) {
            return Some(Coordinate { run_id: self.run.clone(), step, response });
        }
        let own = row.message.id.as_str().strip_prefix(&format!("{}-assistant-", self.run))?.to_owned();
        if let Some((step, response)) = own.split_once("-truncated-") {
            return Some(number(step.parse().ok()?, response.parse().ok()?));
        }
        let cut = format!("{}-assistant-{own}-truncated-", self.run);
        let before = self.records[..at]
            .iter()
            .filter(|record| {
                matches!(record, Record::Message(row) if row.message.role == Role::Assistant && row.message.id.as_str().starts_with(&cut))
            })
            .count();
        Some(number(own.parse().ok()?, before))
    }
}

fn named(target: &Target) -> Option<CallId> {
    match target {
        Target::ToolCall { call_id, .. } | Target::RemoteInput { call_id, .. } => Some(call_id.clone()),
        Target::Pause(_) | Target::Unknown { .. } => None,
    }
}

fn end(cause: &EndCause) -> Fact {
    let finished =
        |cause, detail| Fact::RunFinished { exhausted: cause == Cause::MaxSteps, cause: Some(cause), detail };
    match cause {
        EndCause::NaturalEnd => finished(Cause::NaturalEnd, None),
        EndCause::MaxSteps => finished(Cause::MaxSteps, None),
        EndCause::Cancelled => finished(Cause::Cancelled, None),
        EndCause::Stopped(reason) => finished(Cause::Stopped, Some(reason.clone())),
        EndCause::Error(failure) => {
            Fact::RunFailed { code: failure.code().to_owned(), message: failure.message().to_owned() }
        }
        EndCause::Indeterminate | EndCause::Unknown(_) => Fact::RunFailed {
            code: "indeterminate".to_owned(),
            message: "execution outcome could not be determined".to_owned(),
        },
    }
}
