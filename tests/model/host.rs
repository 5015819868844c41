//! A host that keeps the contract (C1, C2): a log with epochs, runs, one attempt at a time, and what it says of them.

use threadfold::event::{AttemptId, CallId, Coordinate, Delta, Epoch, MessageId, RunId, ThreadId};
use threadfold::follow::ReadError;
use threadfold::follow::frame::{
    Active, Bye, CONTRACT, Committed, DeltaFrame, End, Frame, Opened, Outcome, Ping, Start,
};
use threadfold::json::{Fragment, Raw};
use threadfold::preview::{Content, Part};
use threadfold::thread::{
    Block, EndCause, Message, MessageRow, Page, Record, ResumeTicket, Role, RunRow, RunState, Target, ToolReason,
};

/// Something that happens on the host.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A person says something: the next run begins.
    Say(&'static str),
    /// An attempt of this step of the newest run begins.
    Start(u32),
    /// The attempt says something.
    Delta(Delta),
    /// What the attempt said is committed.
    Commit,
    /// The attempt is over; its record was committed before.
    End,
    /// The attempt is over and leaves nothing.
    Abandon,
    /// The run waits for an answer to this call.
    Await(&'static str),
    /// The run goes on.
    GoOn,
    /// The run is over.
    Finish,
    /// A sign of life.
    Ping,
    /// The host is about to close the stream.
    Bye,
}

pub fn say(text: &'static str) -> Act {
    Act::Say(text)
}

pub fn start(step: u32) -> Act {
    Act::Start(step)
}

pub fn delta(text: &str) -> Act {
    Act::Delta(Delta::TextDelta { delta: Fragment::from(text) })
}

pub fn think(text: &str) -> Act {
    Act::Delta(Delta::ReasoningDelta { delta: Fragment::from(text) })
}

pub fn call(id: &str, name: &str, args: &str) -> Act {
    Act::Delta(Delta::ToolCallDelta { id: CallId::from(id), name: name.to_owned(), args_delta: Fragment::from(args) })
}

/// An attempt while it streams.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub id: AttemptId,
    pub started_after: Option<u64>,
    pub coordinate: Coordinate,
    pub deltas: Vec<Delta>,
    /// Its record, once committed.
    pub seq: Option<u64>,
}

#[derive(Debug, Clone)]
pub struct Host {
    pub epoch: Epoch,
    pub log: Vec<Record>,
    /// The last seq of each commit: no page splits one.
    pub commits: Vec<u64>,
    announced: u64,
    pub revision: u64,
    pub active: Option<Attempt>,
    attempts: u32,
    /// How many runs were named: their ids are made of it.
    pub runs: u32,
    /// The newest run.
    run: RunId,
    lives: u32,
    /// All that any attempt ever said, as it grew: what a page may show of a response is a beginning of one of these.
    pub said: Vec<(Coordinate, Content)>,
    /// Whether `committed` carries the rows.
    pub with_rows: bool,
    /// Rows per page at most, whatever is asked for.
    pub page_size: usize,
}

impl Default for Host {
    fn default() -> Self {
        Self {
            epoch: Epoch::from("e1"),
            log: Vec::new(),
            commits: Vec::new(),
            announced: 0,
            revision: 0,
            active: None,
            attempts: 0,
            runs: 0,
            run: RunId::from(""),
            lives: 1,
            said: Vec::new(),
            with_rows: true,
            page_size: usize::MAX,
        }
    }
}

impl Host {
    /// What happens, and the frames that tell of it.
    pub fn act(&mut self, act: &Act) -> Vec<Frame> {
        match act {
            Act::Say(text) => {
                let run = self.next_run();
                let id = format!("u{}", self.runs);
                self.begin(run, &id, vec![text_block(text)])
            }
            // One attempt at a time, and none of a run that is over (C1).
            Act::Start(_) if self.active.is_some() || self.is_over() => Vec::new(),
            Act::Start(step) => self.attempt(*step, 0),
            Act::Delta(delta) => self.delta(delta),
            Act::Commit => self.settle(),
            Act::End => {
                let Some(attempt) = self.active.take() else { return Vec::new() };
                let Some(seq) = attempt.seq else { return self.ended(&attempt, Outcome::Abandoned {}) };
                self.ended(&attempt, Outcome::Committed { seq })
            }
            Act::Abandon => match self.active.take() {
                Some(attempt) => self.ended(&attempt, Outcome::Abandoned {}),
                None => Vec::new(),
            },
            Act::Await(call_id) => {
                let target =
                    Target::ToolCall { reason: ToolReason::Permission, call_id: CallId::from(*call_id), tool: None };
                let mut record = self.state(RunState::Awaiting);
                if let Record::Run(row) = &mut record {
                    row.resume_ticket = Some(ResumeTicket { target, detail: None });
                }
                self.commit(vec![record])
            }
            Act::GoOn => self.commit(vec![self.state(RunState::Running)]),
            Act::Finish if self.is_over() => Vec::new(),
            Act::Finish => self.commit(vec![self.state(RunState::Ended(EndCause::NaturalEnd))]),
            Act::Ping => vec![Frame::Ping(Ping {
                epoch: self.epoch.clone(),
                frontier: self.frontier(),
                revision: self.revision,
            })],
            Act::Bye => vec![Frame::Bye(Bye { reason: "restart".to_owned() })],
        }
    }

    /// The process ends and begins anew: what streamed is gone, and revisions begin anew. `lost` is how many rows the
    /// disk lost: then it is another epoch. A run that was under way is over.
    pub fn restart(&mut self, other_epoch: bool, lost: usize) {
        self.crash(other_epoch, lost);
        if self.last_state() == Some(&RunState::Running) {
            self.commit(vec![self.state(RunState::Ended(EndCause::Indeterminate))]);
        }
    }

    /// As [`Host::restart`], but the run that was under way goes on.
    pub fn crash(&mut self, other_epoch: bool, lost: usize) {
        self.active = None;
        self.revision = 0;
        self.attempts = 0;
        if other_epoch {
            self.lives += 1;
            self.epoch = Epoch::from(format!("e{}", self.lives).as_str());
            self.log.truncate(self.log.len().saturating_sub(lost));
            let last = self.frontier();
            self.commits.retain(|seq| Some(*seq) < last);
            self.commits.extend(last);
            let newest = self.log.iter().rev().find_map(|record| match record {
                Record::Run(row) => Some(row.run_id.clone()),
                Record::Message(_) | Record::Aside(_) => None,
            });
            self.run = newest.unwrap_or_else(|| RunId::from(""));
        }
    }

    /// True when the run has come to rest since this attempt began, whatever the attempt still says.
    pub fn rests(&self, attempt: &Attempt) -> bool {
        self.log.iter().any(|record| match record {
            Record::Run(row) => {
                row.run_id == attempt.coordinate.run_id
                    && Some(row.seq) > attempt.started_after
                    && matches!(row.state, RunState::Awaiting | RunState::Ended(_))
            }
            Record::Message(_) | Record::Aside(_) => false,
        })
    }

    /// The id of another run.
    pub fn next_run(&mut self) -> RunId {
        self.runs += 1;
        RunId::from(format!("r{}", self.runs).as_str())
    }

    /// A run's first commit: what the person said, and that it works.
    pub fn begin(&mut self, run: RunId, message_id: &str, content: Vec<Block>) -> Vec<Frame> {
        self.run = run;
        self.commit(vec![self.message(message_id, Role::User, content), self.state(RunState::Running)])
    }

    /// How many commits there were, in all epochs.
    pub fn commits_announced(&self) -> u64 {
        self.announced
    }

    pub fn frontier(&self) -> Option<u64> {
        self.log.last().map(Record::seq)
    }

    pub fn opened(&self) -> Frame {
        let active = self.active.as_ref().map(|attempt| Active {
            attempt: attempt.id.clone(),
            started_after: attempt.started_after,
            run_id: attempt.coordinate.run_id.clone(),
            step: attempt.coordinate.step,
            response: attempt.coordinate.response,
            next: attempt.deltas.len() as u64,
            deltas: joined(&attempt.deltas),
        });
        Frame::Opened(Opened {
            contract: CONTRACT.to_owned(),
            epoch: self.epoch.clone(),
            frontier: self.frontier(),
            revision: self.revision,
            active,
        })
    }

    /// A committed read, of the log as far as `upto` where that is given (a replica that lags).
    pub fn page(
        &self,
        after: Option<u64>,
        limit: u32,
        epoch: Option<&Epoch>,
        upto: Option<u64>,
    ) -> Result<Page, ReadError> {
        if epoch.is_some_and(|epoch| *epoch != self.epoch) {
            return Err(ReadError::Refused { status: 409, retry_after: None, code: Some("epoch_over".to_owned()) });
        }
        let frontier = upto.map_or(self.frontier(), |upto| self.frontier().min(Some(upto)));
        let mut rows: Vec<Record> =
            self.log.iter().filter(|row| Some(row.seq()) > after && Some(row.seq()) <= frontier).cloned().collect();
        let all = rows.len();
        let size = self.page_size.min(limit as usize);
        if all > size {
            let cut = rows[size - 1].seq();
            let end = self.commits.iter().copied().find(|seq| *seq >= cut).unwrap_or(cut);
            rows.retain(|row| row.seq() <= end);
        }
        let has_more = rows.len() < all;
        let mut page = Page {
            contract: CONTRACT.to_owned(),
            thread_id: ThreadId::from("t1"),
            epoch: self.epoch.clone(),
            frontier,
            has_more,
            messages: Vec::new(),
            runs: Vec::new(),
        };
        for row in rows {
            match row {
                Record::Message(row) => page.messages.push(row),
                Record::Run(row) => page.runs.push(row),
                Record::Aside(_) => {}
            }
        }
        Ok(page)
    }

    /// Where the newest run stands.
    pub fn last_state(&self) -> Option<&RunState> {
        self.log.iter().rev().find_map(|record| match record {
            Record::Run(row) => Some(&row.state),
            Record::Message(_) | Record::Aside(_) => None,
        })
    }

    /// True while no run is under way.
    pub fn is_over(&self) -> bool {
        self.last_state().is_none_or(RunState::is_ended)
    }

    /// The newest run.
    pub fn run_id(&self) -> RunId {
        self.run.clone()
    }

    fn next_seq(&self) -> u64 {
        self.frontier().map_or(0, |last| last + 1)
    }

    /// A message of the newest run; its commit gives it its seq.
    pub fn message(&self, id: &str, role: Role, content: Vec<Block>) -> Record {
        let message = Message { id: MessageId::from(id), role, content };
        Record::Message(MessageRow {
            seq: 0,
            time: 0,
            run_id: Some(self.run_id()),
            step: None,
            response: None,
            mark: None,
            message,
        })
    }

    /// A state of the newest run; its commit gives it its seq.
    pub fn state(&self, state: RunState) -> Record {
        Record::Run(RunRow { seq: 0, time: 0, run_id: self.run_id(), state, resume_ticket: None })
    }

    /// One commit, and its announcement.
    pub fn commit(&mut self, mut rows: Vec<Record>) -> Vec<Frame> {
        for row in &mut rows {
            let seq = self.next_seq();
            match row {
                Record::Message(row) => row.seq = seq,
                Record::Run(row) => row.seq = seq,
                Record::Aside(row) => row.seq = seq,
            }
            self.log.push(row.clone());
        }
        self.commits.extend(self.frontier());
        self.announced += 1;
        let records = self.with_rows.then_some(rows);
        vec![Frame::Committed(Committed { frontier: self.frontier(), records })]
    }

    /// An attempt at this response of the newest run begins.
    pub fn attempt(&mut self, step: u32, response: u32) -> Vec<Frame> {
        self.attempts += 1;
        self.revision += 1;
        let coordinate = Coordinate { run_id: self.run_id(), step, response };
        let id = AttemptId::from(format!("a{}", self.attempts).as_str());
        self.said.push((coordinate.clone(), Content::default()));
        let (run_id, started_after) = (coordinate.run_id.clone(), self.frontier());
        self.active = Some(Attempt { id: id.clone(), started_after, coordinate, deltas: Vec::new(), seq: None });
        vec![Frame::Start(Start { attempt: id, revision: self.revision, started_after, run_id, step, response })]
    }

    fn delta(&mut self, delta: &Delta) -> Vec<Frame> {
        let Some(attempt) = &mut self.active else { return Vec::new() };
        self.revision += 1;
        let index = attempt.deltas.len() as u64;
        attempt.deltas.push(delta.clone());
        if let Some((_, content)) = self.said.last_mut() {
            content.push(delta);
        }
        let (attempt, revision) = (attempt.id.clone(), self.revision);
        vec![Frame::Delta(DeltaFrame { attempt, revision, index, delta: delta.clone() })]
    }

    fn settle(&mut self) -> Vec<Frame> {
        let Some(attempt) = &self.active else { return Vec::new() };
        let coordinate = attempt.coordinate.clone();
        let id = format!("{}-assistant-{}", coordinate.run_id.as_str(), coordinate.step);
        let row = self.answer(&coordinate, &id, content(&attempt.deltas));
        self.settle_with(vec![row])
    }

    /// A response; its commit gives it its seq.
    pub fn answer(&self, coordinate: &Coordinate, id: &str, content: Vec<Block>) -> Record {
        let Coordinate { run_id, step, response } = coordinate.clone();
        let message = Message { id: MessageId::from(id), role: Role::Assistant, content };
        let (step, response) = (Some(step), Some(response));
        Record::Message(MessageRow { seq: 0, time: 0, run_id: Some(run_id), step, response, mark: None, message })
    }

    /// One commit whose first row is what the attempt that streams has led to.
    pub fn settle_with(&mut self, rows: Vec<Record>) -> Vec<Frame> {
        let seq = self.next_seq();
        if let Some(attempt) = &mut self.active {
            attempt.seq = Some(seq);
        }
        self.commit(rows)
    }

    fn ended(&mut self, attempt: &Attempt, outcome: Outcome) -> Vec<Frame> {
        self.revision += 1;
        let index = attempt.deltas.len() as u64;
        vec![Frame::End(End { attempt: attempt.id.clone(), revision: self.revision, index, outcome })]
    }
}

/// What an attempt that said this commits.
pub fn content(deltas: &[Delta]) -> Vec<Block> {
    Content::of(deltas).parts().iter().map(block).collect()
}

pub fn text_block(text: &str) -> Block {
    Block::Text { text: text.to_owned() }
}

fn block(part: &Part) -> Block {
    match part {
        Part::Text(text) => text_block(text),
        Part::Reasoning(text) => Block::Thinking { text: text.clone(), signature: None },
        Part::Call { id, name, args } => Block::ToolUse {
            id: id.clone(),
            name: name.clone(),
            input: Raw::parse(args.raw()).unwrap_or_else(|_| Raw::parse("null").unwrap()),
        },
    }
}

/// Neighbours of one kind and call are one Delta, as a baseline has them.
fn joined(deltas: &[Delta]) -> Vec<Delta> {
    let mut joined: Vec<Delta> = Vec::new();
    for delta in deltas {
        match (joined.last_mut(), delta) {
            (Some(Delta::TextDelta { delta: all }), Delta::TextDelta { delta: more })
            | (Some(Delta::ReasoningDelta { delta: all }), Delta::ReasoningDelta { delta: more }) => {
                append(all, more);
            }
            (
                Some(Delta::ToolCallDelta { id, name: known, args_delta: all }),
                Delta::ToolCallDelta { id: other, name, args_delta: more },
            ) if id == other => {
                if known.is_empty() {
                    known.clone_from(name);
                }
                append(all, more);
            }
            _ => joined.push(delta.clone()),
        }
    }
    joined
}

/// Halves of a character that meet are one; a half that does not find the other is lost for good.
fn append(all: &mut Fragment, more: &Fragment) {
    if more.is_empty() {
        return;
    }
    match (all.tail.take(), more.lead) {
        (Some(high), Some(low)) => {
            all.text.extend(char::decode_utf16([high, low]).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)));
        }
        (None, None) => {}
        (None, lead) if all.is_empty() => all.lead = lead,
        (Some(_), None) | (None, Some(_)) => all.text.push(char::REPLACEMENT_CHARACTER),
    }
    all.text.push_str(&more.text);
    all.tail = more.tail;
}
