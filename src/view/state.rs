//! The view: what becomes of a step.

use super::changes::{Pending, Urgency, WINDOW};
use super::item::{Body, Item};
use super::key::{self, Key, Keys};
use super::lane::Lane;
use super::part::Answer;
use super::run::{Runs, Taken};
use super::send::{Send, SendState};
use crate::event::{Coordinate, Delta, Disposition, Fact, MessageId, PlacedFact, Position, RunId};
use crate::fold::Change;
use crate::follow::dsh::Queued;
use crate::follow::{LaneChange, LaneId, Status, Step};
use crate::sorted::Sorted;
use crate::thread::{Aside, Block, Record, Role, RunState};
use std::sync::Arc;

/// What an app shows of a thread, and what the page has not been told of it yet.
///
/// Feed it steps and sends; ask [`View::urgency`] when to take the changes, and take them with [`View::take_changes`].
#[derive(Debug, Clone)]
pub struct View {
    pub(super) committed: Vec<Item>,
    pub(super) lanes: Vec<Lane>,
    pub(super) sends: Vec<Send>,
    /// How many committed items the page does not see.
    pub(super) covered: usize,
    /// How many committed items were left out of what the page was told.
    pub(super) left_out: usize,
    /// Of those, what they were when the first of them was about to change; for the next changes. Empty for nothing.
    pub(super) older: String,
    /// How many new committed items are told at once.
    pub(super) window: usize,
    pub(super) runs: Runs,
    pub(super) status: Status,
    pub(super) number: u64,
    pub(super) pending: Pending,
    keys: Keys,
    /// Where the calls stand that may still be answered.
    calls: Sorted<Position, CallPlace>,
}

/// The item, and the call's number in it.
#[derive(Debug, Clone, Copy)]
struct CallPlace {
    item: usize,
    call: usize,
}

impl Default for View {
    fn default() -> Self {
        Self::new()
    }
}

impl View {
    /// Nothing is shown, and the page knows it: it begins with the same.
    pub fn new() -> Self {
        Self {
            committed: Vec::new(),
            lanes: Vec::new(),
            sends: Vec::new(),
            covered: 0,
            left_out: 0,
            older: String::new(),
            window: WINDOW,
            runs: Runs::default(),
            status: Status::Idle,
            number: 0,
            pending: Pending::default(),
            keys: Keys::default(),
            calls: Sorted::default(),
        }
    }

    /// How many of the committed items that are new are told at once; [`View::older`] tells the others.
    pub fn set_window(&mut self, items: usize) {
        self.window = items;
    }

    /// The same, for a log in which run rows alone say where a run stands (B2).
    pub fn by_rows() -> Self {
        let mut view = Self::new();
        view.runs = Runs::new(true);
        view
    }

    /// Takes one step of the follower. `fold` adds the Facts of a record, which it is asked for in the order of the log.
    pub fn apply(&mut self, step: &Step, fold: &mut dyn FnMut(&Arc<Record>, &mut Vec<Change>)) {
        if step.is_empty() {
            return;
        }
        if step.replace {
            self.forget();
        }
        let mut settled = self.take_lanes_out(&step.lanes);
        self.committed.reserve(step.records.len());
        let mut facts = Vec::new();
        for record in &step.records {
            fold(record, &mut facts);
            self.apply_record(record, &facts, settled.remove(&record.seq()));
            facts.clear();
        }
        for key in settled.values() {
            self.keys.free(key);
        }
        for change in &step.lanes {
            self.apply_lane(change);
        }
        if !step.covered.is_empty() {
            self.cover(&step.covered);
        }
        if let Some(queue) = &step.queue {
            self.set_queue(queue, step.replace);
        }
    }

    /// A message is on its way to the log: it is shown at the end until the log holds it. Once more with the same id, it
    /// is sent again.
    pub fn sending(&mut self, message_id: &MessageId, content: &[Block]) {
        self.sending_from(message_id, content, true);
        self.send_state(message_id, SendState::Sending);
    }

    /// Shows a message that is not committed yet, sent from here or elsewhere.
    fn sending_from(&mut self, message_id: &MessageId, content: &[Block], own: bool) {
        if let Some(send) = self.sends.iter_mut().find(|send| send.message_id == *message_id) {
            if send.content != content {
                send.content = content.to_vec();
                send.shown = false;
                self.pending.restructure();
            }
            return;
        }
        let key = key::message(message_id);
        if self.keys.holds(&key) {
            return;
        }
        self.sends.push(Send {
            key: self.keys.claim(key, "send", None),
            message_id: message_id.clone(),
            content: content.to_vec(),
            state: SendState::Sending,
            queued: false,
            own,
            shown: false,
            changed: false,
        });
        self.pending.restructure();
    }

    /// What became of a message on its way. The log is right: once it holds the message, this says nothing more.
    pub fn send_state(&mut self, message_id: &MessageId, state: SendState) {
        let found = self.sends.iter_mut().find(|send| send.message_id == *message_id);
        // What the host's list holds did not fail, whatever became of the request.
        let is_known = |send: &&mut Send| send.queued && matches!(state, SendState::Failed { .. });
        if let Some(send) = found.filter(|send| send.state != state && !is_known(send)) {
            send.state = state;
            send.changed = true;
            self.pending.press(Urgency::Now);
        }
    }

    /// Something else was put in the place of these records.
    fn cover(&mut self, seqs: &[u64]) {
        self.recall();
        for item in self.committed.iter_mut().filter(|item| !item.covered && seqs.contains(&item.record.seq())) {
            item.covered = true;
            self.covered = self.covered.saturating_add(1);
        }
        self.pending = Pending::reset();
    }

    /// The messages that wait at the host. What it lists no more and the log does not hold was given up by somebody; what
    /// was sent from here is said to be lost when the host forgot it.
    fn set_queue(&mut self, queue: &[Queued], is_new_log: bool) {
        for queued in queue {
            self.sending_from(&queued.id, &queued.content, false);
            if let Some(send) = self.sends.iter_mut().find(|send| send.message_id == queued.id) {
                send.queued = true;
            }
            self.send_state(&queued.id, SendState::Queued);
        }
        let is_gone = |send: &Send| send.queued && !queue.iter().any(|queued| queued.id == send.message_id);
        if is_new_log {
            for send in self.sends.iter_mut().filter(|send| send.own && is_gone(send)) {
                let (code, message) = ("lost".to_owned(), "the host had accepted this message and lost it".to_owned());
                send.state = SendState::Failed { code, message };
                send.queued = false;
                send.changed = true;
            }
        }
        if self.sends.iter().any(is_gone) {
            self.sends.iter().filter(|send| is_gone(send)).for_each(|send| self.keys.free(&send.key));
            self.sends.retain(|send| !is_gone(send));
            self.pending.restructure();
        }
    }

    /// True while a message that failed to reach the log is shown as such.
    pub fn has_failed(&self, message_id: &MessageId) -> bool {
        let failed = |send: &Send| matches!(send.state, SendState::Failed { .. });
        self.sends.iter().any(|send| send.message_id == *message_id && failed(send))
    }

    /// The state of the connection.
    pub fn set_status(&mut self, status: &Status) {
        self.status = status.clone();
    }

    /// The log before is void. Sends are not of the log, and stay.
    fn forget(&mut self) {
        self.recall();
        self.committed.clear();
        self.covered = 0;
        self.lanes.clear();
        self.calls.clear();
        self.runs = self.runs.anew();
        self.keys.keep_only(self.sends.iter().map(|send| Key::clone(&send.key)));
        self.pending = Pending::reset();
    }

    /// Takes out the lanes that go in this step, so that what comes finds their keys free. The keys of those that settle
    /// are returned, by the seq of the record that takes the place.
    fn take_lanes_out(&mut self, changes: &[LaneChange]) -> Sorted<u64, Key> {
        let mut settled = Sorted::default();
        for change in changes {
            match change {
                LaneChange::Settled { lane, seq } => {
                    if let Some(lane) = self.take_lane(*lane)
                        && let Some(second) = settled.insert(*seq, lane.key)
                    {
                        self.keys.free(&second);
                    }
                }
                LaneChange::Dropped { lane } => self.drop_lane(*lane),
                LaneChange::Open { .. }
                | LaneChange::Grew { .. }
                | LaneChange::Reset { .. }
                | LaneChange::Confirmed { .. } => {}
            }
        }
        settled
    }

    fn take_lane(&mut self, id: LaneId) -> Option<Lane> {
        let index = self.lanes.iter().position(|lane| lane.id == id)?;
        self.pending.restructure();
        Some(self.lanes.remove(index))
    }

    fn drop_lane(&mut self, id: LaneId) {
        if let Some(lane) = self.take_lane(id) {
            self.keys.free(&lane.key);
        }
    }

    fn apply_lane(&mut self, change: &LaneChange) {
        match change {
            LaneChange::Open { lane, run_id, coordinate } => self.open_lane(*lane, run_id, coordinate.as_ref()),
            LaneChange::Grew { lane, delta, growth } => {
                let is_call = matches!(delta, Delta::ToolCallDelta { .. });
                let now = self.lane_mut(*lane).is_some_and(|lane| lane.grow(growth, is_call));
                self.pending.press(if now { Urgency::Now } else { Urgency::Frame });
            }
            LaneChange::Reset { lane } => {
                if let Some(lane) = self.lane_mut(*lane) {
                    lane.reset();
                    self.pending.restructure();
                }
            }
            LaneChange::Confirmed { lane, confirmed } => {
                if self.lane_mut(*lane).is_some_and(|lane| lane.confirm(*confirmed)) {
                    self.pending.press(Urgency::Now);
                }
            }
            // Lanes that were opened in this very step: the others are out already.
            LaneChange::Settled { lane, .. } | LaneChange::Dropped { lane } => self.drop_lane(*lane),
        }
    }

    fn open_lane(&mut self, lane: LaneId, run_id: &RunId, coordinate: Option<&Coordinate>) {
        let wish = coordinate.map_or_else(|| key::lane(run_id, lane), key::response);
        let key = self.keys.claim(wish, "lane-", Some(u64::from(lane.0)));
        self.lanes.push(Lane::new(lane, key, run_id.clone(), coordinate.cloned()));
        self.pending.restructure();
    }

    /// The newest lanes are the ones that grow.
    fn lane_mut(&mut self, id: LaneId) -> Option<&mut Lane> {
        self.lanes.iter_mut().rfind(|lane| lane.id == id)
    }

    /// Takes a record and its Facts. `settled` is the key of the lane whose place it takes.
    fn apply_record(&mut self, record: &Arc<Record>, facts: &[Change], settled: Option<Key>) {
        let resolved = match self.runs.take(record) {
            Taken::Counts(resolved) => resolved,
            Taken::AfterEnd => {
                settled.iter().for_each(|key| self.keys.free(key));
                return self.apply_facts(facts);
            }
        };
        if let Some(item) = resolved {
            self.resolve(item);
        }
        let mut settled = settled;
        if let Some((body, wish)) = self.body_of(record, facts) {
            if matches!(body, Body::Awaiting { .. }) {
                self.runs.awaits(record, self.committed.len());
            }
            let key = self.key_for(record, wish, settled.take());
            self.committed.push(Item::new(key, record, body));
            self.pending.restructure();
        }
        settled.iter().for_each(|key| self.keys.free(key));
        self.apply_own_facts(record, facts);
    }

    /// The item that a record is by itself, and the key that it wants; None for a tool's message, which goes to its
    /// calls, and for a state in which the run goes on.
    fn body_of(&self, record: &Record, facts: &[Change]) -> Option<(Body, String)> {
        match record {
            Record::Message(row) => match row.message.role {
                Role::User | Role::System => Some((Body::Turn, key::message(&row.message.id))),
                Role::Tool => None,
                Role::Assistant => {
                    let folded = || facts.iter().find_map(|fact| coordinate(fact, row.seq));
                    let at = row.coordinate().or_else(folded);
                    let place = at.as_ref().map(|at| (at.step, at.response));
                    let wish = at.as_ref().map_or_else(|| key::message(&row.message.id), key::response);
                    Some((Body::assistant(row, place), wish))
                }
            },
            Record::Run(row) => {
                let body = match row.state {
                    RunState::Running | RunState::Unknown(_) => return None,
                    RunState::Awaiting => Body::Awaiting { call: None, resolved: false },
                    RunState::Ended(_) => Body::Ended,
                };
                Some((body, key::boundary(&row.run_id, row.seq)))
            }
            Record::Aside(row) => {
                let wish = match row.aside {
                    Aside::Attempt { .. } => key::response(&row.coordinate()),
                    Aside::Retry { .. } => key::boundary(&row.run_id, row.seq),
                };
                Some((Body::Aside, wish))
            }
        }
    }

    /// The key of the lane that settles or of the send that arrives, else its own.
    fn key_for(&mut self, record: &Record, wish: String, settled: Option<Key>) -> Key {
        let send = match record {
            Record::Message(row) if row.message.role == Role::User => {
                self.sends.iter().position(|send| send.message_id == row.message.id)
            }
            Record::Message(_) | Record::Run(_) | Record::Aside(_) => None,
        };
        let sent = send.map(|index| self.sends.remove(index).key);
        settled.or(sent).unwrap_or_else(|| self.keys.claim(wish, "", Some(record.seq())))
    }

    /// The Facts that refine a record's item, among others.
    fn apply_own_facts(&mut self, record: &Arc<Record>, facts: &[Change]) {
        let (mut calls, mut results) = (0..usize::MAX, results(record));
        for fact in facts {
            match fact {
                Change::Add(PlacedFact { position, call, fact, .. }) if position.seq == record.seq() => match fact {
                    Fact::ToolCall { disposition, .. } => {
                        if let (Some(item), Some(call)) = (self.committed.len().checked_sub(1), calls.next()) {
                            self.calls.insert(*position, CallPlace { item, call });
                            self.dispose(*position, *disposition);
                        }
                    }
                    Fact::ToolResult { .. } => {
                        if let Some(block) = results.next() {
                            self.answer(record, block, *call);
                        }
                    }
                    Fact::Awaiting { .. } => self.bind(*call),
                    Fact::RunStarted {}
                    | Fact::AssistantMessage { .. }
                    | Fact::AssistantThinking { .. }
                    | Fact::Continuation { .. }
                    | Fact::RunFinished { .. }
                    | Fact::RunFailed { .. } => {}
                },
                Change::Add(_) => {}
                Change::Amend { .. } => self.apply_facts(std::slice::from_ref(fact)),
            }
        }
        // No fold pairs the results of a message that belongs to no run.
        if record.run_id().is_none() {
            results.for_each(|block| self.answer(record, block, None));
        }
    }

    /// Amendments.
    fn apply_facts(&mut self, facts: &[Change]) {
        for fact in facts {
            if let Change::Amend { position, fact: Fact::ToolCall { disposition, .. } } = fact {
                self.dispose(*position, *disposition);
            }
        }
    }

    fn dispose(&mut self, position: Position, disposition: Disposition) {
        let Some(place) = self.calls.get(&position).copied() else { return };
        self.recall_for(place.item);
        let Some(call) = self.committed.get_mut(place.item).and_then(|item| item.call_mut(place.call)) else { return };
        if call.disposition != disposition {
            call.disposition = disposition;
            self.pending.call(place.item, place.call);
        }
        // A run that has ended answers nothing (A2.3).
        if disposition == Disposition::Unresolved {
            self.calls.remove(&position);
        }
    }

    /// A result goes to its call; without one, it is an item.
    fn answer(&mut self, record: &Arc<Record>, block: usize, position: Option<Position>) {
        let answer = Answer { record: Arc::clone(record), block };
        let place = position.and_then(|position| self.calls.remove(&position));
        place.iter().for_each(|place| self.recall_for(place.item));
        let call = place.and_then(|place| self.committed.get_mut(place.item)?.call_mut(place.call));
        if let (Some(place), Some(call)) = (place, call) {
            call.answer = Some(answer);
            return self.pending.call(place.item, place.call);
        }
        let key = self.keys.claim(key::orphan(record.seq(), block), "again", None);
        self.committed.push(Item::new(key, record, Body::OrphanResult(block)));
        self.pending.restructure();
    }

    /// The item that waits says where the call stands.
    fn bind(&mut self, position: Option<Position>) {
        let place = position.and_then(|position| self.calls.get(&position)).copied();
        let found = place.and_then(|place| {
            let item = self.committed.get(place.item)?;
            Some((Key::clone(&item.key), item.call(place.call)?.part))
        });
        if let Some(Item { body: Body::Awaiting { call, .. }, .. }) = self.committed.last_mut() {
            *call = found;
        }
    }

    /// The run went on or ended: there is nothing to answer any more.
    fn resolve(&mut self, item: usize) {
        self.recall_for(item);
        if let Some(Item { body: Body::Awaiting { resolved, .. }, .. }) = self.committed.get_mut(item) {
            *resolved = true;
            self.pending.resolved(item);
        }
    }
}

/// The numbers of a tool message's results.
fn results(record: &Record) -> impl Iterator<Item = usize> + use<> {
    let blocks: Vec<usize> = match record {
        Record::Message(row) if row.message.role == Role::Tool => {
            let blocks = row.message.content.iter().enumerate();
            blocks.filter(|(_, block)| matches!(block, Block::ToolResult { .. })).map(|(number, _)| number).collect()
        }
        Record::Message(_) | Record::Run(_) | Record::Aside(_) => Vec::new(),
    };
    blocks.into_iter()
}

/// The coordinate that the fold found for the record with this seq.
fn coordinate(fact: &Change, seq: u64) -> Option<Coordinate> {
    match fact {
        Change::Add(placed) if placed.position.seq == seq => placed.coordinate.clone(),
        Change::Add(_) | Change::Amend { .. } => None,
    }
}
