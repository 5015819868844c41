//! The machine: what happens on each input, and what the policies work on.

use super::input::{Generation, Input, Live};
use super::link::{Link, Phase, Stop};
use super::options::{Options, Protocol};
use super::output::{Anomaly, Fetch, LaneChange, LaneId, Output, Status, Step};
use super::pending::Commands;
use super::reads::Reads;
use super::side::Side;
use super::staging::Staged;
use super::stats::Stats;
use super::{dsh, pages, plain, strict};
use crate::event::{Epoch, RunId, ThreadId};
use crate::json::Notes;
use crate::preview::Content;
use crate::text::join;
use crate::thread::Log;
use std::collections::VecDeque;

/// Rows per committed read.
const PAGE: u32 = 500;
/// While only the log is followed and a run is not Ended, it is read every so many ms (C3.9).
const LOG_ONLY_INTERVAL: u64 = 5_000;
/// A plain stream says nothing of commits: while a run works, the log is read every so many ms (C4).
const PLAIN_INTERVAL: u64 = 3_000;

/// Follows one thread. See the [module](super).
#[derive(Debug, Clone)]
pub struct Follower {
    pub(super) protocol: Protocol,
    pub(super) thread_id: Option<ThreadId>,
    pub(super) renewable: bool,
    pub(super) side: Option<Side>,
    pub(super) staged: Option<Staged>,
    pub(super) link: Link,
    pub(super) reads: Reads,
    pub(super) stats: Stats,
    pub(super) commands: Commands,
    pub(super) dsh: dsh::State,
    pub(super) accepted_run: Option<RunId>,
    /// When the log is read without being asked to.
    pub(super) poll_at: Option<u64>,
    /// The random bits that came with the input at hand.
    pub(super) random: u64,
    /// The epoch and revision of the last opening.
    pub(super) seen: Option<(Epoch, u64)>,
    pub(super) outputs: VecDeque<Output>,
    status: Status,
}

impl Follower {
    /// A follower that does nothing until [`Input::Connect`]. An initial page is shown at once.
    pub fn new(options: Options) -> Self {
        let mut follower = Self {
            protocol: options.protocol,
            thread_id: options.thread_id,
            renewable: options.renewable,
            side: None,
            staged: None,
            link: Link::new(options.watchdog, options.protocol == Protocol::Dsh),
            reads: Reads::default(),
            stats: Stats::default(),
            commands: Commands::default(),
            dsh: dsh::State::default(),
            accepted_run: None,
            poll_at: None,
            random: 0,
            seen: None,
            outputs: VecDeque::new(),
            status: Status::Idle,
        };
        if let Some(page) = options.initial {
            follower.show(Side::beginning_with(page));
        }
        follower
    }

    /// Something happened. `now` is in ms and never goes back by much; `random` are 64 random bits. Drain
    /// [`Follower::poll`] afterwards.
    pub fn handle(&mut self, input: Input, now: u64, random: u64) {
        self.hear(input, now, random);
        self.follow_up(now);
    }

    /// The first half of [`Follower::handle`], for one of many that came at once; [`Follower::follow_up`] is the other,
    /// for all of them.
    pub(crate) fn hear(&mut self, input: Input, now: u64, random: u64) {
        self.random = random;
        match input {
            Input::Connect if self.link.phase == Phase::Idle => self.open_live(now),
            Input::Connect => {}
            Input::Live(generation, live) => self.live(generation, live, now, random),
            Input::Page(id, result) => {
                if let Some(read) = self.reads.answered(id) {
                    pages::answered(self, read, result, now, random);
                }
            }
            Input::Window(id, result) => {
                if let Some(read) = self.reads.answered(id) {
                    dsh::answered(self, &read, result, now, random);
                }
            }
            Input::Command(id, command) => self.command(id, command, now),
            Input::Response(id, outcome) => self.response(id, outcome, now, random),
            Input::Wake(wake) => self.wake(wake, now),
            Input::Hidden => self.link.hide(now),
            Input::Offline => self.link.offline = true,
            Input::Tick => self.tick(now, random),
            Input::Close => self.close(),
        }
    }

    /// The next thing that the follower says or asks for; None when there is nothing more for now.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Gives a step back that was looked at: the next one takes its room, so that a Delta asks for none.
    pub fn recycle(&mut self, mut step: Step) {
        let room = self.side.as_mut().map(|side| &mut side.step.lanes).filter(|room| room.is_empty());
        // What a long step took is given back.
        if let Some(room) = room.filter(|_| step.lanes.capacity() <= 64) {
            step.lanes.clear();
            std::mem::swap(room, &mut step.lanes);
        }
    }

    /// When to call [`Follower::handle`] with [`Input::Tick`] at the latest, in ms.
    pub fn deadline(&self) -> Option<u64> {
        if self.link.is_stopped() {
            return self.commands.deadline();
        }
        let reads = self.reads.deadline(self.may_read());
        [self.link.deadline(), reads, self.commands.deadline(), self.poll_at].into_iter().flatten().min()
    }

    /// The content of a lane that is shown.
    pub fn lane(&self, id: LaneId) -> Option<&Content> {
        self.side.as_ref()?.lanes.get(id).map(|lane| &lane.content)
    }

    /// The lanes that are shown, said anew from nothing.
    pub fn shown_lanes(&self) -> Vec<LaneChange> {
        let mut changes = Vec::new();
        for lane in self.side.iter().flat_map(|side| side.lanes.iter()) {
            lane.tell(&mut changes);
        }
        changes
    }

    /// The log that is shown; None before the first page.
    pub fn log(&self) -> Option<&Log> {
        self.side.as_ref().map(|side| &side.log)
    }

    /// The newest row of the log that was applied; None while nothing was.
    pub fn frontier(&self) -> Option<u64> {
        match self.protocol {
            Protocol::Dsh => self.dsh.last(),
            Protocol::Strict | Protocol::Plain => self.log().and_then(Log::last),
        }
    }

    /// The connection's state.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Counters since the follower was made.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Tells of something odd; the sentence comes in parts.
    #[cold]
    #[inline(never)]
    pub(super) fn anomaly(&mut self, code: &'static str, message: &[&str]) {
        self.tell(Anomaly::new(code, join(message)));
    }

    pub(super) fn tell(&mut self, anomaly: Anomaly) {
        self.stats.anomalies += 1;
        self.outputs.push_back(Output::Anomaly(anomaly));
    }

    /// Counts what a decoder noted, and tells of the first of its kind.
    pub(super) fn note(&mut self, notes: &Notes) {
        self.stats.unknown += u64::from(notes.unknown_keys) + u64::from(notes.unknown_values);
        self.stats.replaced_halves += u64::from(notes.replaced_halves);
        if let Some(key) = &notes.first_unknown_key {
            self.anomaly("unknown_key", &["the key \"", key, "\" is not known here and was passed over"]);
        }
        if notes.unknown_values > 0 {
            self.anomaly("unknown_value", &["a value of an unknown kind was kept without being understood"]);
        }
    }

    fn live(&mut self, generation: Generation, live: Live, now: u64, random: u64) {
        if generation.0 != self.link.generation || !self.link.is_up() {
            return;
        }
        self.link.heard(now);
        if !matches!(live, Live::Closed(_)) {
            self.link.refusals = 0;
        }
        match (live, self.protocol) {
            (Live::Accepted, Protocol::Plain) => plain::accepted(self),
            (Live::Accepted, Protocol::Strict | Protocol::Dsh) | (Live::Activity, _) => {}
            (Live::Frame(frame, notes), Protocol::Strict) => {
                self.note(&notes);
                strict::frame(self, frame, now);
            }
            (Live::Plain(envelope, notes), Protocol::Plain) => {
                self.note(&notes);
                plain::event(self, envelope);
            }
            (Live::Dsh(item, notes), Protocol::Dsh) => {
                self.note(&notes);
                dsh::item(self, item, now);
            }
            (Live::Frame(..) | Live::Plain(..) | Live::Dsh(..), _) => {
                self.stats.unknown += 1;
                self.anomaly("wrong_protocol", &["an event of another kind of stream was ignored"]);
            }
            (Live::Retry(pause), _) => self.link.ask_pause(pause),
            (Live::Unknown(name), _) => {
                self.stats.unknown += 1;
                self.anomaly("unknown_event", &["the event \"", &name, "\" is not known here and was ignored"]);
            }
            (Live::Malformed(name, error), _) => {
                self.anomaly(error.code(), &["an event \"", &name, "\" could not be read: ", &error.message()]);
                strict::malformed(self, &name, now);
            }
            (Live::Closed(closed), _) => self.lost(&closed, now, random),
        }
    }

    fn close(&mut self) {
        self.stop(Stop::Closed);
        self.poll_at = None;
        self.staged = None;
        for (id, result) in self.commands.close() {
            self.outputs.push_back(Output::Done(id, result));
        }
    }

    /// What follows from any input: the step that it made, the opening, reads and requests that are due, the status.
    pub(crate) fn follow_up(&mut self, now: u64) {
        self.swap();
        if let Some(staged) = &mut self.staged {
            staged.side.take_step();
        }
        if let Some(step) = self.side.as_mut().map(Side::take_step).filter(|step| !step.is_empty()) {
            self.stats.records += step.records.len() as u64;
            self.outputs.push_back(Output::Step(step));
        }
        for (id, command) in self.commands.due(now) {
            self.outputs.push_back(Output::Request(id, command));
        }
        if self.link.opens(now) {
            self.open_live(now);
        }
        if !self.link.is_stopped() && self.link.phase != Phase::Idle {
            self.poll_later(now);
        }
        // Most Deltas leave nothing to be read.
        if self.reads.are_wanted() && self.may_read() {
            self.read(now);
        }
        let status = self.status_now();
        if status != self.status {
            self.status = status.clone();
            self.outputs.push_back(Output::Status(status));
        }
    }

    /// True while there is a network to read over.
    fn may_read(&self) -> bool {
        let away = self.link.offline && !self.link.is_up();
        !self.link.is_stopped() && self.link.phase != Phase::Idle && !away
    }

    fn read(&mut self, now: u64) {
        if self.protocol == Protocol::Dsh {
            return self.read_window(now);
        }
        let known = self.staged.as_ref().is_none_or(|staged| staged.known);
        let (after, epoch) = match self.current() {
            Some(side) if known => (side.log.last(), Some(side.log.epoch().clone())),
            Some(_) | None => (None, None),
        };
        self.reads.reached(after);
        if let Some(id) = self.reads.begin(now, after, epoch.clone()) {
            self.stats.reads += 1;
            self.outputs.push_back(Output::Fetch(Fetch { id, after, limit: PAGE, epoch, through: None }));
        }
    }

    /// A dsh log is read by windows: the newest rows, at least as many as are shown.
    fn read_window(&mut self, now: u64) {
        self.reads.reached(self.dsh.last());
        if let Some(id) = self.reads.begin(now, None, None) {
            self.stats.reads += 1;
            let shown = self.log().map_or(0, |log| log.records().len());
            let limit = PAGE.max(u32::try_from(shown).unwrap_or(u32::MAX));
            let through = self.reads.target();
            self.outputs.push_back(Output::Fetch(Fetch { id, after: None, limit, epoch: None, through }));
        }
    }

    /// How often the log is read without being asked to, while that is due.
    fn poll_interval(&self) -> Option<u64> {
        let runs = self.side.as_ref().map(|side| &side.runs);
        if self.link.is_out_of_sight() {
            return None;
        }
        match self.protocol {
            Protocol::Strict if self.link.is_log_only() => runs.filter(|runs| runs.any()).map(|_| LOG_ONLY_INTERVAL),
            Protocol::Plain => runs.filter(|runs| runs.any_working()).map(|_| PLAIN_INTERVAL),
            Protocol::Strict | Protocol::Dsh => None,
        }
    }

    fn poll_later(&mut self, now: u64) {
        self.poll_at = self.poll_interval().map(|interval| self.poll_at.unwrap_or(now.saturating_add(interval)));
    }

    fn status_now(&self) -> Status {
        if let Some(status) = self.link.status() {
            return status;
        }
        let up = matches!(self.link.phase, Phase::Open { .. } | Phase::Plain);
        match &self.side {
            None if !up && self.stats.losses == 0 => Status::Connecting,
            Some(_) if up && self.staged.is_none() && !self.reads.is_behind() && !self.link.is_log_only() => {
                Status::Live
            }
            None | Some(_) => Status::CatchingUp,
        }
    }
}
