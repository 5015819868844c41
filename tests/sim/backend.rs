//! A backend: the model host, what clients may ask of it (C1), and what it remembers of logs that are over.

use crate::host::{Act, Host};
use std::collections::VecDeque;
use threadfold::event::{Epoch, MessageId, RunId};
use threadfold::follow::frame::Frame;
use threadfold::follow::{Accepted, Answer, Command, OnActive, Outcome};
use threadfold::thread::{Block, EndCause, Message, MessageRow, Record, Role, RunRow, RunState, Target, ToolReason};

#[derive(Debug, Clone, Default)]
pub struct Backend {
    pub host: Host,
    /// The first message makes the thread.
    pub exists: bool,
    /// Logs of epochs that are over.
    pub past: Vec<(Epoch, Vec<Record>)>,
    /// Messages that wait for the end of a run.
    pub queue: VecDeque<Queued>,
    /// What was answered to each key, and the last seq that this stands on.
    known: Vec<(String, Outcome, Option<u64>)>,
}

/// A message that waits for the end of a run.
#[derive(Debug, Clone)]
pub struct Queued {
    pub run: RunId,
    pub message: MessageId,
    content: Vec<Block>,
    /// Its run is over as soon as it begins.
    cancelled: bool,
}

/// How the process ends, and what the next one finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crash {
    /// Commits that the disk lost; with any, or with `rewrites`, it is another epoch.
    pub lost: usize,
    /// Another epoch, in which the ids of lost runs are given again.
    pub rewrites: bool,
    /// The run that was under way goes on.
    pub goes_on: bool,
}

impl Backend {
    /// What a command does, and the frames that tell of it.
    pub fn command(&mut self, command: &Command) -> (Outcome, Vec<Frame>) {
        let key = match command {
            Command::Send { idempotency_key, .. } | Command::Resume { idempotency_key, .. } => idempotency_key.clone(),
            Command::Cancel { .. } => String::new(),
        };
        if let Some((_, outcome, _)) = self.known.iter().find(|(known, ..)| !key.is_empty() && *known == key) {
            return (outcome.clone(), Vec::new());
        }
        let (outcome, frames) = match command {
            Command::Send { message_id, content, on_active, .. } => self.send(message_id, content, *on_active),
            Command::Resume { run_id, answer, call_id, .. } => {
                let call = call_id.as_ref().map_or("pause", |call| call.as_str());
                self.resume(run_id.as_ref(), call, answer)
            }
            Command::Cancel { run_id } => self.cancel(run_id.as_ref()),
        };
        if matches!(outcome, Outcome::Accepted(_)) && !key.is_empty() {
            self.known.push((key, outcome.clone(), self.host.frontier()));
        }
        (outcome, frames)
    }

    /// The run is over; the next of the queue begins.
    pub fn finish(&mut self, cause: EndCause) -> Vec<Frame> {
        let mut frames = Vec::new();
        if self.host.active.as_ref().is_some_and(|attempt| attempt.seq.is_none()) {
            frames.extend(self.host.act(&Act::Abandon));
        }
        frames.extend(self.host.commit(vec![self.host.state(RunState::Ended(cause))]));
        frames.extend(self.begin_next());
        frames
    }

    /// A queued message's run begins, if none is under way.
    pub fn begin_next(&mut self) -> Vec<Frame> {
        if !self.host.is_over() {
            return Vec::new();
        }
        let Some(Queued { run, message, content, cancelled }) = self.queue.pop_front() else { return Vec::new() };
        let mut frames = self.host.begin(run, message.as_str(), content);
        if cancelled {
            frames.extend(self.finish(EndCause::Cancelled));
        }
        frames
    }

    /// Somebody who is no client here says something.
    pub fn said_elsewhere(&mut self, text: &str) -> Vec<Frame> {
        self.exists = true;
        let run = self.host.next_run();
        let id = format!("elsewhere-{}-{}", run.as_str(), self.past.len());
        self.host.begin(run, &id, vec![crate::host::text_block(text)])
    }

    /// The process ends and another begins.
    pub fn crash(&mut self, crash: Crash) {
        let other_epoch = crash.rewrites || crash.lost > 0;
        let lost = match self.host.commits.iter().rev().nth(crash.lost) {
            Some(last) => self.host.log.iter().filter(|record| record.seq() > *last).count(),
            None if crash.lost == 0 => 0,
            None => self.host.log.len(),
        };
        if other_epoch {
            self.past.push((self.host.epoch.clone(), self.host.log.clone()));
        }
        self.host.crash(other_epoch, lost);
        if other_epoch {
            let frontier = self.host.frontier();
            self.known.retain(|(_, _, stands_on)| *stands_on <= frontier);
            self.queue.clear();
        }
        if crash.rewrites {
            let number = |row: &RunRow| row.run_id.as_str().get(1..).and_then(|number| number.parse().ok());
            self.host.runs = self.host.log.iter().filter_map(run_row).filter_map(number).max().unwrap_or(0);
        }
        if !crash.goes_on && self.host.last_state() == Some(&RunState::Running) {
            self.finish(EndCause::Indeterminate);
        }
    }

    /// The newest run's last row.
    pub fn latest(&self) -> Option<&RunRow> {
        self.host.log.iter().rev().find_map(run_row)
    }

    /// What goes on after an answer to a ticket: the result, if the answer is one, and the run.
    pub fn go_on(&mut self, result: Option<(String, bool)>) -> Vec<Frame> {
        let mut rows: Vec<Record> = result.into_iter().map(|(call, failed)| self.result(&call, failed)).collect();
        rows.push(self.host.state(RunState::Running));
        self.host.commit(rows)
    }

    /// A tool's answer.
    pub fn result(&self, call: &str, is_error: bool) -> Record {
        let content = vec![crate::host::text_block("done")];
        let block = Block::ToolResult { tool_use_id: call.into(), content, is_error };
        self.host.message(&format!("tool-{call}-{}", self.next_seq()), Role::Tool, vec![block])
    }

    /// A message that belongs to no run.
    pub fn note(&mut self, text: &str) -> Vec<Frame> {
        let id = format!("note-{}", self.next_seq());
        let message =
            Message { id: id.as_str().into(), role: Role::System, content: vec![crate::host::text_block(text)] };
        let row = MessageRow { seq: 0, time: 0, run_id: None, step: None, response: None, mark: None, message };
        self.host.commit(vec![Record::Message(row)])
    }

    /// Where the next commit begins: ids made of it are given once.
    fn next_seq(&self) -> u64 {
        self.host.frontier().map_or(0, |last| last + 1)
    }

    fn send(&mut self, id: &MessageId, content: &[Block], on_active: OnActive) -> (Outcome, Vec<Frame>) {
        self.exists = true;
        if !self.host.is_over() && on_active == OnActive::Reject {
            return (refused(409, "run_active"), Vec::new());
        }
        let run = self.host.next_run();
        if self.host.is_over() {
            let seq = self.next_seq();
            let frames = self.host.begin(run.clone(), id.as_str(), content.to_vec());
            return (accepted(run, id, Some(seq)), frames);
        }
        let message = Queued { run: run.clone(), message: id.clone(), content: content.to_vec(), cancelled: false };
        let frames = if on_active == OnActive::Cancel {
            self.queue.push_front(message);
            self.finish(EndCause::Cancelled)
        } else {
            self.queue.push_back(message);
            Vec::new()
        };
        (accepted(run, id, None), frames)
    }

    fn resume(&mut self, run: Option<&RunId>, call: &str, answer: &Answer) -> (Outcome, Vec<Frame>) {
        let Some(run) = run.filter(|run| self.knows(run)) else { return (refused(404, "not_found"), Vec::new()) };
        let ticket = self
            .latest()
            .filter(|row| row.run_id == *run && row.state == RunState::Awaiting)
            .and_then(|row| row.resume_ticket.clone());
        let Some(ticket) = ticket else { return (refused(409, "already_resolved"), Vec::new()) };
        if ticket.target.call_id().is_some_and(|waits| waits.as_str() != call) {
            return (refused(409, "already_resolved"), Vec::new());
        }
        let wrong = (refused(400, "wrong_answer"), Vec::new());
        let result = match (&ticket.target, answer) {
            (Target::ToolCall { reason: ToolReason::ClientExecution, .. } | Target::RemoteInput { .. }, answer) => {
                let Answer::Result { is_error, .. } = answer else { return wrong };
                Some((call.to_owned(), *is_error))
            }
            (Target::ToolCall { .. }, Answer::Approve { approve: true, .. }) | (Target::Pause(_), _) => None,
            (Target::ToolCall { .. }, Answer::Approve { .. }) => Some((call.to_owned(), true)),
            (Target::ToolCall { .. } | Target::Unknown { .. }, _) => return wrong,
        };
        let frames = self.go_on(result);
        (Outcome::Accepted(Accepted { run_id: Some(run.clone()), ..Accepted::default() }), frames)
    }

    fn cancel(&mut self, run: Option<&RunId>) -> (Outcome, Vec<Frame>) {
        let Some(run) = run else { return (refused(404, "not_found"), Vec::new()) };
        if let Some(queued) = self.queue.iter_mut().find(|queued| queued.run == *run) {
            queued.cancelled = true;
        } else if !self.knows(run) {
            return (refused(404, "not_found"), Vec::new());
        } else if !self.host.is_over() && self.host.run_id() == *run {
            return (Outcome::Accepted(Accepted::default()), self.finish(EndCause::Cancelled));
        }
        (Outcome::Accepted(Accepted::default()), Vec::new())
    }

    fn knows(&self, run: &RunId) -> bool {
        self.host.log.iter().any(|record| record.run_id() == Some(run))
    }
}

fn run_row(record: &Record) -> Option<&RunRow> {
    match record {
        Record::Run(row) => Some(row),
        Record::Message(_) | Record::Aside(_) => None,
    }
}

fn accepted(run: RunId, id: &MessageId, seq: Option<u64>) -> Outcome {
    Outcome::Accepted(Accepted { run_id: Some(run), message_id: Some(id.clone()), seq })
}

pub fn refused(status: u16, code: &str) -> Outcome {
    Outcome::Refused { status, retry_after: None, code: code.to_owned(), message: "no".to_owned() }
}
