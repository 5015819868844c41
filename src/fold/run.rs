//! One run while its records come in.

use super::occurrence::{OpenCall, OpenCalls, unanswered};
use super::output::Output;
use super::terminal::{pending, terminal};
use super::{AnomalyCode, Beginning, continuation};
use crate::event::{CallId, Coordinate, Fact, Position, RunId};
use crate::sorted::Sorted;
use crate::thread::{Block, Message, MessageName, MessageRow, Record, ResumeTicket, Role, RunRow, RunState};

/// What the log says of a run so far.
#[derive(Debug, Clone, PartialEq)]
pub struct RunView {
    /// The run.
    pub run_id: RunId,
    /// Its latest state; Running before its first run row.
    pub state: RunState,
    /// The seq of the row that set the state; None before the first run row.
    pub state_seq: Option<u64>,
    /// The ticket of the current state; only an Awaiting run has one.
    pub ticket: Option<ResumeTicket>,
    /// The call occurrence that the ticket was bound to when it was recorded (A3.4).
    pub ticket_call: Option<Position>,
    /// True when the run's beginning is not among the records that were read (A3.1).
    pub partial: bool,
    /// The seq of its first record that was read.
    pub first_seq: u64,
    /// How many of its calls have no result. 0 once the run has ended.
    pub unanswered: usize,
}

/// The run's view and what the next record needs to know besides.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub view: RunView,
    start: Start,
    calls: OpenCalls,
    /// Only a run row says that the run goes on.
    by_rows: bool,
    /// Set by an Awaiting row for the record after it: the call that was waited for (A3.6).
    waited_for: Option<Option<CallId>>,
    /// By step, the response number that a plain id has next (A2.2).
    next_response: Sorted<u32, u32>,
}

/// Whether the run's beginning was read (A3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// No record was read yet, and the log is whole: the next record is the beginning.
    Whole,
    /// No record was read yet, and older rows are unread.
    Windowed,
    /// The first row is what a person said; a Running row of the same commit makes it the beginning.
    Undecided,
    /// No record was read yet, and only a Running row is the beginning.
    Row,
    /// Decided, one way or the other.
    Decided,
}

impl Run {
    /// A run of which `seq` is the first record.
    pub fn new(run_id: RunId, first_seq: u64, beginning: Beginning) -> Self {
        let view = RunView {
            run_id,
            state: RunState::Running,
            state_seq: None,
            ticket: None,
            ticket_call: None,
            partial: true,
            first_seq,
            unanswered: 0,
        };
        Self {
            view,
            start: match beginning {
                Beginning::Whole => Start::Whole,
                Beginning::Windowed => Start::Windowed,
                Beginning::Row => Start::Row,
            },
            by_rows: beginning == Beginning::Row,
            calls: OpenCalls::default(),
            waited_for: None,
            next_response: Sorted::default(),
        }
    }

    /// Takes the run's next record.
    pub fn append(&mut self, record: &Record, out: &mut Output<'_>) {
        if self.view.state.is_ended() {
            out.anomaly(AnomalyCode::RecordAfterEnd, Some(&self.view.run_id), None);
            return;
        }
        self.begin(record, out);
        self.resume(record, out);
        match record {
            Record::Message(row) => self.message(row, out),
            Record::Run(row) => self.state(row, out),
            Record::Aside(_) => {}
        }
        self.view.unanswered = self.calls.len();
    }

    /// The next record of the log is another run's, so the commit that was to tell is over.
    pub fn interrupt(&mut self) {
        if self.start == Start::Undecided {
            self.start = Start::Decided;
        }
    }

    fn begin(&mut self, record: &Record, out: &mut Output<'_>) {
        let started = match (self.start, record) {
            (Start::Whole, _) => true,
            (Start::Windowed, Record::Message(row)) if is_the_persons(row) => {
                self.start = Start::Undecided;
                return;
            }
            (Start::Undecided, Record::Message(row)) if matches!(row.message.role, Role::User | Role::System) => return,
            (Start::Undecided | Start::Row, Record::Run(row)) => {
                matches!(row.state, RunState::Running | RunState::Unknown(_))
            }
            (Start::Windowed | Start::Undecided | Start::Row, _) => false,
            (Start::Decided, _) => return,
        };
        self.start = Start::Decided;
        if started {
            self.view.partial = false;
            out.opened(self.view.first_seq, &self.view.run_id, Fact::RunStarted {});
        }
    }

    /// The record after an Awaiting goes on, unless it ends the run (A3.6).
    fn resume(&mut self, record: &Record, out: &mut Output<'_>) {
        if self.by_rows && !matches!(record, Record::Run(_)) {
            return;
        }
        let Some(waited_for) = self.waited_for.take() else { return };
        match record {
            Record::Run(RunRow { state: RunState::Ended(_), .. }) => {}
            Record::Run(_) | Record::Message(_) | Record::Aside(_) => {
                out.opened(record.seq(), &self.view.run_id, continuation::resumed(waited_for.as_ref()));
            }
        }
    }

    fn state(&mut self, row: &RunRow, out: &mut Output<'_>) {
        self.view.state = row.state.clone();
        self.view.state_seq = Some(row.seq);
        self.view.ticket = row.resume_ticket.clone().filter(|_| row.state == RunState::Awaiting);
        let ticket = self.view.ticket.as_ref();
        self.view.ticket_call = pending(ticket).and_then(|id| self.calls.find(&id));
        out.amend(self.calls.settle(&row.state, ticket, self.view.ticket_call));
        if let Some(fact) = terminal(&row.state, ticket) {
            out.own(&self.view.run_id, None, None, self.view.ticket_call, fact);
        }
        match row.state {
            RunState::Awaiting => self.waited_for = Some(pending(ticket)),
            RunState::Ended(_) => {
                self.calls.clear();
                self.next_response.clear();
            }
            RunState::Running | RunState::Unknown(_) => {}
        }
    }

    fn message(&mut self, row: &MessageRow, out: &mut Output<'_>) {
        let message = &row.message;
        match message.role {
            Role::System => self.misplaced(message, out),
            Role::User => {
                self.misplaced(message, out);
                if let Some(fact) = continuation::injected(message, &self.view.run_id) {
                    out.own(&self.view.run_id, Some(&message.id), None, None, fact);
                }
            }
            Role::Assistant => {
                self.misplaced(message, out);
                self.assistant(row, out);
            }
            Role::Tool => {
                self.misplaced(message, out);
                self.results(message, out);
            }
        }
    }

    /// Thinking, then what is visible, then the calls (A3.2).
    fn assistant(&mut self, row: &MessageRow, out: &mut Output<'_>) {
        let message = &row.message;
        let coordinate = self.coordinate(row);
        let run_id = &self.view.run_id;
        let mut own = |fact| out.own(run_id, Some(&message.id), coordinate.as_ref(), None, fact);
        if let Some(text) = thinking(message) {
            own(Fact::AssistantThinking { id: Some(message.id.clone()), text: Some(text) });
        }
        let visible: Vec<Block> = message.content.iter().filter(|block| block.is_visible()).cloned().collect();
        if !visible.is_empty() {
            own(Fact::AssistantMessage { id: message.id.clone(), content: visible });
        }
        for block in &message.content {
            if let Block::ToolUse { id, name, input } = block {
                let disposition = unanswered(&self.view.state, None);
                let mut call = OpenCall {
                    position: Position { seq: row.seq, index: 0 },
                    id: id.clone(),
                    name: name.clone(),
                    input: input.clone(),
                    disposition,
                };
                call.position = own(call.fact());
                self.calls.push(call);
            }
        }
    }

    /// One result per block, each at the call that it answers (A3.3, A3.4).
    fn results(&mut self, message: &Message, out: &mut Output<'_>) {
        for block in &message.content {
            let Block::ToolResult { tool_use_id, content, is_error } = block else { continue };
            let call = self.calls.find(tool_use_id);
            match call {
                Some(position) => out.amend(self.calls.answer(position)),
                // The call of a partial run may stand in the rows that are unread.
                None if self.view.partial => {}
                None => out.anomaly(AnomalyCode::ResultWithoutCall, Some(&self.view.run_id), Some(tool_use_id)),
            }
            let fact = Fact::ToolResult { id: tool_use_id.clone(), content: content.clone(), is_error: *is_error };
            out.own(&self.view.run_id, Some(&message.id), None, call, fact);
        }
    }

    /// Calls are made by assistants and answered by tools; elsewhere they are told and not believed.
    fn misplaced(&self, message: &Message, out: &mut Output<'_>) {
        for block in &message.content {
            let call = match (message.role, block) {
                (Role::System | Role::User | Role::Tool, Block::ToolUse { id, .. }) => id,
                (Role::System | Role::User | Role::Assistant, Block::ToolResult { tool_use_id, .. }) => tool_use_id,
                _ => continue,
            };
            out.anomaly(AnomalyCode::MisplacedBlock, Some(&self.view.run_id), Some(call));
        }
    }

    /// The response that an assistant's message is: as its row says, or else as its id says (A2.2).
    fn coordinate(&mut self, row: &MessageRow) -> Option<Coordinate> {
        let decoded = match MessageName::of(&row.message.id, Some(&self.view.run_id)) {
            MessageName::Assistant { step } => Some((step, self.next_response.get(&step).copied().unwrap_or(0))),
            MessageName::Truncated { step, response } => {
                let next = self.next_response.get(&step).copied().unwrap_or(0);
                // Cut answers of a partial run may be among the unread rows; there the number itself is what counts.
                let last = if self.view.partial { response } else { next };
                self.next_response.insert(step, last.saturating_add(1));
                Some((step, response))
            }
            MessageName::Continuation { .. }
            | MessageName::Steer { .. }
            | MessageName::Tool { .. }
            | MessageName::ResumeInput { .. }
            | MessageName::Report
            | MessageName::Opaque => None,
        };
        row.coordinate()
            .or_else(|| decoded.map(|(step, response)| Coordinate { run_id: self.view.run_id.clone(), step, response }))
    }
}

/// True for a user message that the host did not make (A3.1).
fn is_the_persons(row: &MessageRow) -> bool {
    row.message.role == Role::User && !MessageName::of(&row.message.id, row.run_id.as_ref()).is_injected()
}

/// The message's reasoning, blocks joined as they would have been streamed; None where it holds no thinking block.
fn thinking(message: &Message) -> Option<String> {
    let mut texts = message.content.iter().filter_map(|block| match block {
        Block::Thinking { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.next().map(|first| texts.fold(first.to_owned(), |joined, text| joined + text))
}
