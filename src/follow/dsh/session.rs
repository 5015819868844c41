//! What a dsh log means for a thread (B2): each event that matters becomes one record, in log order.

use super::content::attempt_of;
use super::{Body, Event, Queued, Said, Settlement, SettlementKind, Splice, Surface};
use crate::event::{CallId, MessageId, RunId};
use crate::json::{Raw, Writer};
use crate::thread::{
    Aside, AsideRow, Block, Message, MessageRow, Record, ResumeTicket, Role, RunRow, RunState, Target, Tool, ToolReason,
};
use std::ops::Range;

/// More messages than this don't wait.
const MOST_WAITING: usize = 10_000;

/// Where a log stands: what the next event needs to know of those before it.
#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    /// The turn that runs, and whether a step of it has begun.
    turn: Option<u32>,
    has_stepped: bool,
    /// The step of the last settlement, and how many settlements it had: an attempt's number within its step.
    step: (u32, u32),
    settled: u32,
    /// Calls that somebody has to allow, oldest first. A run waits for one at a time.
    questions: Vec<(String, ResumeTicket)>,
    /// The calls of the last answer.
    calls: Vec<(CallId, Raw)>,
    /// The messages that wait for the next turn, and those that wait for the next step.
    next_turn: Vec<Queued>,
    next_step: Vec<Queued>,
    /// Messages that were taken from the lists and are not said yet.
    taken: Vec<Queued>,
    /// The lists stand as of this seq: an older change is in them already.
    inbox_through: Option<u64>,
    queue_changed: bool,
    /// What the model sees, in its order.
    surface: Vec<u64>,
    /// What it sees no more, and was not told yet.
    covered: Vec<u64>,
}

impl Session {
    /// A log that begins with these events. One that begins inside a turn is of that turn (B2).
    pub fn beginning_with(events: &[Event]) -> Self {
        let first = events.iter().find(|event| event.body.turn().is_some());
        let turn = first.filter(|event| !matches!(event.body, Body::TurnStart { .. }));
        Self { turn: turn.and_then(|event| event.body.turn()), queue_changed: true, ..Self::default() }
    }

    /// The messages that wait after these events are known. What waited before them is as many nameless ones as it takes,
    /// so that each change of the lists finds its place.
    pub fn expect_inbox(&mut self, events: &[Event], at_end: &[Queued]) {
        for steers in [false, true] {
            let mut before = at_end.iter().filter(|message| message.steers == steers).count();
            for event in events.iter().rev() {
                if let Body::Spliced(splice) = &event.body
                    && splice.steers == steers
                {
                    before = before.saturating_sub(splice.inserted.len()).saturating_add(splice.removed);
                }
            }
            let nameless = Queued { steers, id: MessageId::from(""), content: Vec::new() };
            *self.list(steers) = vec![nameless; before.min(MOST_WAITING)];
        }
    }

    /// The messages that wait, as the host lists them; what a turn has taken and not said yet is not among them.
    pub fn set_inbox(&mut self, inbox: Vec<Queued>) {
        self.taken.retain(|message| !inbox.iter().any(|waiting| waiting.id == message.id));
        (self.next_step, self.next_turn) = inbox.into_iter().partition(|message| message.steers);
        self.queue_changed = true;
    }

    /// The messages that wait are those of this log, as of this seq: older changes are in them already.
    pub fn inherit_inbox(&mut self, before: &Self, through: Option<u64>) {
        self.next_turn.clone_from(&before.next_turn);
        self.next_step.clone_from(&before.next_step);
        self.taken.clone_from(&before.taken);
        self.inbox_through = through;
    }

    /// Takes the next event. None for one that a thread is not made of.
    pub fn take(&mut self, event: Event) -> Option<Record> {
        let Event { seq, time, surface, body } = event;
        let is_news = Some(seq) > self.inbox_through;
        self.show(seq, surface);
        match body {
            Body::TurnStart { turn } => {
                self.turn = Some(turn);
                self.has_stepped = false;
                Some(state(seq, time, run(turn), RunState::Running, None))
            }
            Body::TurnEnd { turn, cause } => {
                self.turn = None;
                self.questions.clear();
                self.drop_taken(is_news);
                Some(state(seq, time, run(turn), RunState::Ended(cause), None))
            }
            Body::StepStart { .. } => {
                self.has_stepped = true;
                None
            }
            Body::StepEnd { .. } => {
                self.drop_taken(is_news);
                None
            }
            Body::Settlement(settlement) => Some(self.settle(seq, time, surface, settlement)),
            Body::Said(said) => {
                self.unqueue(&said.id, is_news);
                Some(self.said(seq, time, said))
            }
            Body::Result { turn, step, id, call, content, is_error } => {
                let block = Block::ToolResult { tool_use_id: call, content, is_error };
                let message = Message { id, role: Role::Tool, content: vec![block] };
                let step = Some(step);
                Some(Record::Message(MessageRow {
                    seq,
                    time,
                    run_id: Some(run(turn)),
                    step,
                    response: None,
                    mark: None,
                    message,
                }))
            }
            Body::Asked { id, call, tool, reason } => self.asked(seq, time, id, call, tool, reason),
            Body::Decided { id } => self.decided(seq, time, &id),
            Body::Retry { turn, step, retry, most, failure } => {
                let response = self.attempts(turn, step).saturating_sub(1);
                let aside = Aside::Retry { retry, most, failure };
                Some(Record::Aside(AsideRow { seq, time, run_id: run(turn), step, response, aside }))
            }
            Body::Spliced(splice) => {
                if is_news {
                    self.splice(splice);
                }
                None
            }
            Body::Other(_) => None,
        }
    }

    /// How many attempts of this step have left something: the number of the next one (B2).
    pub fn attempts(&self, turn: u32, step: u32) -> u32 {
        if self.step == (turn, step) { self.settled } else { 0 }
    }

    /// As [`attempts`](Self::attempts), of the turn that this run is.
    pub fn attempts_of(&self, run_id: &RunId, step: u32) -> u32 {
        if run(self.step.0) == *run_id { self.attempts(self.step.0, step) } else { 0 }
    }

    /// The messages that wait, when they are others than at the last call.
    pub fn queue(&mut self) -> Option<Vec<Queued>> {
        std::mem::take(&mut self.queue_changed).then(|| self.waiting())
    }

    /// The messages that wait, in the order in which they will be said.
    fn waiting(&self) -> Vec<Queued> {
        let all = [&self.taken, &self.next_step, &self.next_turn].into_iter().flatten();
        all.filter(|message| !message.id.as_str().is_empty()).cloned().collect()
    }

    /// What the model sees no more since the last call.
    pub fn covered(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.covered)
    }

    fn settle(&mut self, seq: u64, time: u64, surface: Surface, settlement: Settlement) -> Record {
        let Settlement { turn, step, kind } = settlement;
        let response = self.attempts(turn, step);
        let is_answer = surface == Surface::Append || matches!(kind, SettlementKind::Attempt { .. });
        if is_answer {
            self.step = (turn, step);
            self.settled = response.saturating_add(1);
        }
        match kind {
            SettlementKind::Message { id, interrupted, content } => {
                self.calls = content.iter().filter_map(call_of).collect();
                Record::Message(MessageRow {
                    seq,
                    time,
                    run_id: Some(run(turn)),
                    // What was put in place of other messages is no answer of an attempt.
                    step: is_answer.then_some(step),
                    response: is_answer.then_some(response),
                    mark: interrupted.then(|| "interrupted".to_owned()),
                    message: Message { id, role: Role::Assistant, content },
                })
            }
            SettlementKind::Attempt { chunks } => {
                let (content, failure) = attempt_of(&chunks);
                let aside = Aside::Attempt { content, failure };
                Record::Aside(AsideRow { seq, time, run_id: run(turn), step, response, aside })
            }
        }
    }

    fn said(&mut self, seq: u64, time: u64, said: Said) -> Record {
        let Said { turn, is_system, id, content, injected } = said;
        let role = if is_system { Role::System } else { Role::User };
        Record::Message(MessageRow {
            seq,
            time,
            run_id: turn.or(self.turn).map(run),
            step: None,
            response: None,
            mark: injected,
            message: Message { id, role, content },
        })
    }

    fn asked(
        &mut self,
        seq: u64,
        time: u64,
        id: String,
        call: Option<CallId>,
        tool: String,
        detail: Option<String>,
    ) -> Option<Record> {
        let run_id = self.turn.map(run)?;
        let target = match call {
            Some(call_id) => {
                let input = self.calls.iter().find(|(call, _)| *call == call_id).map(|(_, input)| input.clone());
                let tool = Some(Tool { tool_id: tool, arguments: input.unwrap_or_else(Raw::null) });
                Target::ToolCall { reason: ToolReason::Permission, call_id, tool }
            }
            None => Target::Unknown { call_id: None, raw: Raw::from_writer(|w| w.string(&tool)) },
        };
        let ticket = ResumeTicket { target, detail };
        let is_first = self.questions.is_empty();
        self.questions.push((id, ticket.clone()));
        is_first.then(|| state(seq, time, run_id, RunState::Awaiting, Some(ticket)))
    }

    /// The run goes on, or waits for the next question. An answer to another than the question that it waits for changes
    /// nothing that is seen.
    fn decided(&mut self, seq: u64, time: u64, id: &str) -> Option<Record> {
        let run_id = self.turn.map(run)?;
        let at = self.questions.iter().position(|(question, _)| question == id)?;
        self.questions.remove(at);
        let next = self.questions.first().map(|(_, ticket)| ticket.clone());
        let now = if next.is_some() { RunState::Awaiting } else { RunState::Running };
        (at == 0).then(|| state(seq, time, run_id, now, next))
    }

    fn splice(&mut self, splice: Splice) {
        let Splice { steers, start, removed, mut inserted } = splice;
        let list = self.list(steers);
        let start = start.min(list.len());
        let end = start.saturating_add(removed).min(list.len());
        let mut out = put(list, start..end, &mut inserted);
        // What a turn or a step takes is shown until it is said; anything else that is taken out was given up.
        if self.turn.is_some() && (steers || !self.has_stepped) {
            self.taken.append(&mut out);
        }
        self.queue_changed = true;
    }

    fn list(&mut self, steers: bool) -> &mut Vec<Queued> {
        if steers { &mut self.next_step } else { &mut self.next_turn }
    }

    fn unqueue(&mut self, id: &MessageId, is_news: bool) {
        if !is_news {
            return;
        }
        let before = self.taken.len();
        self.taken.retain(|message| message.id != *id);
        self.queue_changed |= before != self.taken.len();
    }

    fn drop_taken(&mut self, is_news: bool) {
        if !is_news {
            return;
        }
        self.queue_changed |= !self.taken.is_empty();
        self.taken.clear();
    }

    /// What the model sees from here on. A replacement covers what stands from one event to another, and stands there.
    fn show(&mut self, seq: u64, surface: Surface) {
        let (start, end) = match surface {
            Surface::None => return,
            Surface::Append => return self.surface.push(seq),
            Surface::Replace { start, end } => (start, end),
        };
        let place = |wanted: u64| self.surface.iter().position(|shown| *shown == wanted);
        // The beginning may be among the events that are unread.
        let first = place(start).unwrap_or(0);
        match place(end).filter(|last| first <= *last) {
            Some(last) => self.covered.append(&mut put(&mut self.surface, first..last + 1, &mut vec![seq])),
            None => self.surface.push(seq),
        }
    }
}

/// Puts these at the place of those, which lie within the list and are returned. The standard library's `splice` is a
/// kilobyte of the wire.
fn put<T>(list: &mut Vec<T>, place: Range<usize>, new: &mut Vec<T>) -> Vec<T> {
    let mut behind = list.split_off(place.end);
    let out = list.split_off(place.start);
    list.append(new);
    list.append(&mut behind);
    out
}

/// The run that a turn is.
pub(super) fn run(turn: u32) -> RunId {
    let mut w = Writer::new();
    w.number(u64::from(turn));
    let mut id = "turn-".to_owned();
    id.push_str(&w.finish());
    RunId::from(id.as_str())
}

fn state(seq: u64, time: u64, run_id: RunId, state: RunState, resume_ticket: Option<ResumeTicket>) -> Record {
    Record::Run(RunRow { seq, time, run_id, state, resume_ticket })
}

fn call_of(block: &Block) -> Option<(CallId, Raw)> {
    match block {
        Block::ToolUse { id, input, .. } => Some((id.clone(), input.clone())),
        _ => None,
    }
}
