//! What an app would show: records and lanes, made of nothing but steps. Every step is checked.

use super::host::Host;
use crate::event::{Coordinate, RunId};
use crate::follow::{LaneChange, LaneId, Step};
use crate::preview::{Content, Part};
use crate::thread::{Block, MessageRow, Record, Role, RunState};
use std::collections::HashSet;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct Lane {
    pub id: LaneId,
    pub run_id: RunId,
    pub coordinate: Option<Coordinate>,
    pub confirmed: bool,
    /// Kind and text of each part.
    pub parts: Vec<(&'static str, String)>,
}

#[derive(Debug, Clone, Default)]
pub struct Page {
    pub records: Vec<Arc<Record>>,
    pub lanes: Vec<Lane>,
    pub steps: u32,
    /// How often what a lane showed was void.
    pub resets: u32,
    ids: HashSet<LaneId>,
    /// What was wrong, first things first.
    pub wrong: Vec<String>,
    /// Plain streams may show less than before, and one text twice for a while (C4).
    pub best_effort: bool,
}

impl Page {
    pub fn new(best_effort: bool) -> Self {
        Self { best_effort, ..Self::default() }
    }

    /// Takes a step and checks what has to hold at every step.
    pub fn apply(&mut self, step: &Step, host: &Host, content: &dyn Fn(LaneId) -> Option<Content>) {
        self.steps += 1;
        let before = self.clone();
        if step.replace {
            self.records.clear();
            self.lanes.clear();
        }
        for record in &step.records {
            if record.seq() != self.records.len() as u64 {
                self.blame(format!("I7: record {} came as number {}", record.seq(), self.records.len()));
            }
            self.records.push(Arc::clone(record));
        }
        for change in &step.lanes {
            self.change(change, step, &before, host);
        }
        self.check(&before, step, host);
        for lane in self.lanes.clone() {
            let theirs = content(lane.id).map(|content| parts_of(&content));
            if theirs.as_ref() != Some(&lane.parts) {
                self.blame(format!("the lane's content is {theirs:?}, and its steps made {:?}", lane.parts));
            }
        }
    }

    /// Committed items and lanes, in order.
    pub fn visible(&self) -> String {
        let committed = self.records.iter().filter_map(|record| match &**record {
            Record::Message(row) => Some(said(row)),
            Record::Aside(_) => None,
            Record::Run(row) => match &row.state {
                RunState::Awaiting => Some("awaiting".to_owned()),
                RunState::Ended(cause) => Some(match cause {
                    crate::thread::EndCause::NaturalEnd => "ended".to_owned(),
                    other => format!("ended {other:?}"),
                }),
                RunState::Running | RunState::Unknown(_) => None,
            },
        });
        let lanes = self.lanes.iter().map(|lane| {
            let state = if lane.confirmed { "live" } else { "unconfirmed" };
            format!("{state}: {}", shown(&lane.parts)).trim_end().to_owned()
        });
        committed.chain(lanes).collect::<Vec<_>>().join(" | ")
    }

    fn blame(&mut self, what: String) {
        self.wrong.push(what);
    }

    fn change(&mut self, change: &LaneChange, step: &Step, before: &Self, host: &Host) {
        match change {
            LaneChange::Open { lane, run_id, coordinate } => {
                let kept = step.replace && before.lanes.iter().any(|old| old.id == *lane);
                if !self.ids.insert(*lane) && !kept {
                    self.blame(format!("{lane:?} was opened twice"));
                }
                let (run_id, coordinate) = (run_id.clone(), coordinate.clone());
                self.lanes.push(Lane { id: *lane, run_id, coordinate, confirmed: true, parts: Vec::new() });
            }
            LaneChange::Grew { lane, delta, growth } => {
                let kind = match delta {
                    crate::event::Delta::TextDelta { .. } => "text",
                    crate::event::Delta::ReasoningDelta { .. } => "reasoning",
                    crate::event::Delta::ToolCallDelta { .. } => "call",
                };
                let Some(lane) = self.find(*lane) else { return };
                if growth.opened {
                    lane.parts.push((kind, String::new()));
                }
                match lane.parts.get_mut(growth.part) {
                    Some((of, text)) if *of == kind => text.push_str(&growth.text(delta)),
                    _ => self.blame(format!("{growth:?} grew no part of its kind")),
                }
            }
            LaneChange::Reset { lane } => {
                self.resets += 1;
                if let Some(lane) = self.find(*lane) {
                    lane.parts.clear();
                }
            }
            LaneChange::Confirmed { lane, confirmed } => {
                if let Some(lane) = self.find(*lane) {
                    lane.confirmed = *confirmed;
                }
            }
            LaneChange::Settled { lane, seq } => {
                let Some(gone) = self.remove(*lane) else { return };
                let record = step.records.iter().find(|record| record.seq() == *seq);
                match record.map(|record| &**record) {
                    Some(Record::Message(row))
                        if row.coordinate() == gone.coordinate
                            || self.best_effort && row.run_id.as_ref() == Some(&gone.run_id) => {}
                    _ => self.blame(format!("{gone:?} settled with {seq}, which is not its record in this step")),
                }
            }
            LaneChange::Dropped { lane } => {
                let Some(gone) = self.remove(*lane) else { return };
                // The attempt that streams may be another one of the same response.
                let of_run = |attempt: &&super::host::Attempt| {
                    Some(&attempt.coordinate) == gone.coordinate.as_ref()
                        && !host.rests(attempt)
                        && is_beginning(&gone.parts, &parts_of(&Content::of(&attempt.deltas)))
                };
                let streams = host.active.as_ref().is_some_and(|attempt| of_run(&attempt));
                let settled = host.log.iter().any(|record| is_settlement(record, &gone));
                let shown = self.records.iter().any(|record| is_settlement(record, &gone));
                if !gone.parts.is_empty() && streams && !settled && !self.best_effort {
                    self.blame(format!("{gone:?} was dropped while it streams"));
                }
                if !gone.parts.is_empty() && settled && !shown && !is_void(&gone, host) {
                    self.blame(format!("{gone:?} was dropped before its record was shown"));
                }
            }
        }
    }

    /// I1, I8, and that a lane shows only what was said.
    fn check(&mut self, before: &Self, step: &Step, host: &Host) {
        let mut wrong = Vec::new();
        for (at, lane) in self.lanes.iter().enumerate() {
            if !self.best_effort && self.records.iter().any(|record| is_settlement(record, lane)) {
                wrong.push(format!("I1: {lane:?} is shown beside its record"));
            }
            if self
                .lanes
                .iter()
                .skip(at + 1)
                .any(|other| other.coordinate == lane.coordinate && other.run_id == lane.run_id)
            {
                wrong.push(format!("{lane:?} is there twice"));
            }
            let said = |(coordinate, content): &&(Coordinate, Content)| {
                lane.coordinate.as_ref().is_none_or(|of| of == coordinate)
                    && is_beginning(&lane.parts, &parts_of(content))
            };
            if !self.best_effort && !lane.parts.is_empty() && host.said.iter().find(said).is_none() {
                wrong.push(format!("{lane:?} shows what was never said"));
            }
            let old = before.lanes.iter().find(|old| old.id == lane.id && !old.parts.is_empty());
            if old.is_some_and(|old| lane.parts.is_empty() && !is_void(old, host)) {
                wrong.push(format!("I8: {lane:?} went blank"));
            }
        }
        let was_blank = before.records.is_empty() && before.lanes.iter().all(|lane| lane.parts.is_empty());
        if !was_blank && self.records.is_empty() && !host.log.is_empty() {
            wrong.push("I8: the page went blank".to_owned());
        }
        if step.replace && host.frontier().is_some() && self.records.is_empty() && !before.records.is_empty() {
            wrong.push("I8: the log was replaced by nothing".to_owned());
        }
        self.wrong.append(&mut wrong);
    }

    fn find(&mut self, id: LaneId) -> Option<&mut Lane> {
        if !self.lanes.iter().any(|lane| lane.id == id) {
            self.blame(format!("{id:?} is not there"));
        }
        self.lanes.iter_mut().find(|lane| lane.id == id)
    }

    fn remove(&mut self, id: LaneId) -> Option<Lane> {
        let at = self.lanes.iter().position(|lane| lane.id == id);
        if at.is_none() {
            self.blame(format!("{id:?} is not there"));
        }
        at.map(|at| self.lanes.remove(at))
    }
}

fn is_settlement(record: &Record, lane: &Lane) -> bool {
    match record {
        Record::Message(row) => lane.coordinate.is_some() && row.coordinate() == lane.coordinate,
        Record::Run(_) | Record::Aside(_) => false,
    }
}

/// True when what this lane shows was said by an attempt that another one of its response has followed: the follower may
/// see the other one's beginning, where nothing was said yet, however much was said since.
fn is_void(lane: &Lane, host: &Host) -> bool {
    let mut attempts = host.said.iter().rev().filter(|(coordinate, _)| lane.coordinate.as_ref() == Some(coordinate));
    attempts.next();
    attempts.any(|(_, content)| is_beginning(&lane.parts, &parts_of(content)))
}

/// Parts that these could grow into.
fn is_beginning(parts: &[(&'static str, String)], of: &[(&'static str, String)]) -> bool {
    parts.len() <= of.len()
        && parts.iter().zip(of).all(|((kind, text), (other, all))| kind == other && all.starts_with(text))
}

pub fn parts_of(content: &Content) -> Vec<(&'static str, String)> {
    let kind = |part: &Part| match part {
        Part::Text(_) => "text",
        Part::Reasoning(_) => "reasoning",
        Part::Call { .. } => "call",
    };
    content.parts().iter().map(|part| (kind(part), part.text().to_owned())).collect()
}

fn shown(parts: &[(&'static str, String)]) -> String {
    let show = |(kind, text): &(&'static str, String)| match *kind {
        "reasoning" => format!("({text})"),
        "call" => format!("[{text}]"),
        _ => text.clone(),
    };
    parts.iter().map(show).collect::<Vec<_>>().join(" ")
}

fn said(row: &MessageRow) -> String {
    let content: Vec<(&'static str, String)> = row
        .message
        .content
        .iter()
        .map(|block| match block {
            Block::Text { text } => ("text", text.clone()),
            Block::Thinking { text, .. } => ("reasoning", text.clone()),
            Block::ToolUse { input, .. } => ("call", input.as_str().to_owned()),
            _ => ("other", String::new()),
        })
        .collect();
    let who = match row.message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        _ => "other",
    };
    format!("{who}: {}", shown(&content)).trim_end().to_owned()
}
