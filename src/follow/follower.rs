//! The machine: what happens on each input, and what the policies work on.

use super::command::{Command, CommandError, CommandId, Outcome};
use super::input::{Closed, Generation, Input, Live, Wake};
use super::lanes::{Feed, Lanes};
use super::link::{Due, Link, Phase, Stop};
use super::output::{Anomaly, Fetch, LaneChange, LaneId, Output, Status};
use super::pending::Commands;
use super::reads::Reads;
use super::side::Side;
use super::stats::Stats;
use super::{pages, plain, strict};
use crate::event::{Epoch, ThreadId};
use crate::json::Notes;
use crate::preview::Content;
use crate::thread::{Log, Page};
use std::collections::VecDeque;

/// Rows per committed read.
const PAGE: u32 = 500;
/// While only the log is followed and a run is not Ended, it is read every so many ms (C3.9).
const LOG_ONLY_INTERVAL: u64 = 5_000;
/// A plain stream says nothing of commits: while a run works, the log is read every so many ms (C4).
const PLAIN_INTERVAL: u64 = 3_000;

/// How the live stream speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `threadfold/1` (C3).
    Strict,
    /// Plain envelopes (C4).
    Plain,
}

/// What a follower is made with.
#[derive(Debug, Clone)]
pub struct Options {
    /// How the live stream speaks.
    pub protocol: Protocol,
    /// The thread that is followed; pages of another are refused. None where the app does not name it.
    pub thread_id: Option<ThreadId>,
    /// True when each request asks for its headers anew, so that a 401 is worth another try.
    pub renewable: bool,
    /// True when silence shows that a stream is half open: pings come, or any byte is seen.
    pub watchdog: bool,
    /// A committed page to start from.
    pub initial: Option<Page>,
}

/// Why a stream is closed and opened again by this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Something was lost on the way.
    Gap,
    /// The host is at fault.
    Fault,
    /// It was silent for too long, or somebody asked.
    Stale,
}

/// A log of another epoch while it is read, unseen (C3.1).
#[derive(Debug, Clone)]
pub(super) struct Staged {
    pub side: Side,
    /// It is swapped in when it reaches this seq; None for an empty log.
    pub until: Option<u64>,
    /// False while its epoch is not known: a page will tell.
    pub known: bool,
}

/// Follows one thread. See the [module](super).
#[derive(Debug)]
pub struct Follower {
    pub(super) protocol: Protocol,
    pub(super) thread_id: Option<ThreadId>,
    pub(super) side: Option<Side>,
    pub(super) staged: Option<Staged>,
    pub(super) link: Link,
    pub(super) reads: Reads,
    pub(super) stats: Stats,
    commands: Commands,
    poll_at: Option<u64>,
    seen: Option<(Epoch, u64)>,
    status: Status,
    outputs: VecDeque<Output>,
}

impl Follower {
    /// A follower that does nothing until [`Input::Connect`]. An initial page is shown at once.
    pub fn new(options: Options) -> Self {
        let mut follower = Self {
            protocol: options.protocol,
            thread_id: options.thread_id,
            side: None,
            staged: None,
            link: Link::new(options.renewable, options.watchdog),
            reads: Reads::default(),
            stats: Stats::default(),
            commands: Commands::default(),
            poll_at: None,
            seen: None,
            status: Status::Idle,
            outputs: VecDeque::new(),
        };
        if let Some(page) = options.initial {
            let mut side = Side::new(page.epoch.clone(), Lanes::default());
            side.apply(page.into_records());
            follower.show(side);
        }
        follower
    }

    /// Something happened. `now` is in ms and never goes back by much; `random` are 64 random bits. Drain
    /// [`Follower::poll`] afterwards.
    pub fn handle(&mut self, input: Input, now: u64, random: u64) {
        match input {
            Input::Connect if self.link.phase == Phase::Idle => self.open_live(now),
            Input::Connect => {}
            Input::Live(generation, live) => self.live(generation, live, now, random),
            Input::Page(id, result) => {
                if let Some(read) = self.reads.answered(id) {
                    pages::answered(self, read, result, now, random);
                }
            }
            Input::Command(id, command) => self.command(id, command, now),
            Input::Response(id, outcome) => self.response(id, outcome, now, random),
            Input::Wake(wake) => self.wake(wake, now),
            Input::Hidden => self.link.hidden = true,
            Input::Offline => self.link.offline = true,
            Input::Tick => self.tick(now, random),
            Input::Close => self.close(),
        }
        self.follow_up(now);
    }

    /// The next thing that the follower says or asks for; None when there is nothing more for now.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to call [`Follower::handle`] with [`Input::Tick`] at the latest, in ms.
    pub fn deadline(&self) -> Option<u64> {
        if self.link.is_stopped() {
            return self.commands.deadline();
        }
        [self.link.deadline(), self.reads.deadline(), self.commands.deadline(), self.poll_at]
            .into_iter()
            .flatten()
            .min()
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

    /// The connection's state.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Counters since the follower was made.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// What frames and pages work on: the staged side while there is one.
    pub(super) fn current(&mut self) -> Option<&mut Side> {
        match &mut self.staged {
            Some(staged) => Some(&mut staged.side),
            None => self.side.as_mut(),
        }
    }

    /// An opening named its epoch and revision. It is progress when the host has moved since the last one: then frames
    /// did flow, though none may have been applied.
    pub(super) fn opened(&mut self, epoch: &Epoch, revision: u64) {
        self.link.phase = Phase::Open { revision };
        let moved = match &self.seen {
            Some((seen, last)) => seen != epoch || revision > *last,
            None => true,
        };
        if moved {
            self.link.progressed();
            self.seen = Some((epoch.clone(), revision));
        }
    }

    /// Another epoch begins, unseen (C3.1).
    pub(super) fn stage(&mut self, epoch: Epoch) {
        let lanes = Lanes::after(self.side.as_ref().map(|side| &side.lanes));
        self.reads.forget();
        self.staged = Some(Staged { side: Side::new(epoch, lanes), until: None, known: true });
    }

    /// Nothing is known yet of the log that the stream is of; a page will tell its epoch.
    pub(super) fn stage_unknown(&mut self) {
        self.stage(Epoch::from(""));
        if let Some(staged) = &mut self.staged {
            staged.known = false;
        }
        self.reads.look();
    }

    /// The epoch that the app sees goes on after all.
    pub(super) fn unstage(&mut self) {
        if self.staged.take().is_some() {
            self.reads.forget();
        }
    }

    /// Puts the staged side in the place of the other once it has reached what its opening announced: one change (C3.1).
    pub(super) fn swap(&mut self) {
        let ready = |staged: &Staged| staged.known && staged.side.log.covers(staged.until);
        if self.staged.as_ref().is_some_and(ready)
            && let Some(staged) = self.staged.take()
        {
            self.show(staged.side);
        }
    }

    /// The stream has a hole or its host is at fault: close it and open it again (C3.3, C3.9). What is shown stays.
    pub(super) fn reopen(&mut self, why: Why, now: u64) {
        self.stats.reopens += 1;
        self.close_live();
        if why != Why::Stale {
            self.link.fault(now);
        }
        self.unbind(None);
        self.link.reopen_soon(now);
    }

    /// Nothing more is to be had of this source until somebody asks.
    pub(super) fn stop(&mut self, stop: Stop) {
        self.close_live();
        self.unbind(Some(false));
        self.reads.forget();
        self.link.phase = Phase::Stopped(stop);
    }

    pub(super) fn stop_failed(&mut self, code: &'static str) {
        self.stop(Stop::Failed(code));
    }

    /// The host refused for want of authority. With headers that are asked anew this is worth other tries.
    pub(super) fn unauthorized(&mut self, now: u64, random: u64) {
        self.link.refusals = self.link.refusals.saturating_add(1);
        if self.link.renewable && self.link.refusals < 3 {
            self.close_live();
            self.unbind(Some(false));
            self.link.lost(now, random, None);
        } else {
            self.stop(Stop::Unauthorized);
        }
    }

    pub(super) fn anomaly(&mut self, code: &'static str, message: String) {
        self.tell(Anomaly { code, message });
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
            self.anomaly("unknown_key", format!("the key \"{key}\" is not known here and was passed over"));
        }
        if notes.unknown_values > 0 {
            self.anomaly("unknown_value", "a value of an unknown kind was kept without being understood".to_owned());
        }
    }

    fn live(&mut self, generation: Generation, live: Live, now: u64, random: u64) {
        if generation.0 != self.link.generation || !self.link.is_up() {
            return;
        }
        self.link.heard(now);
        match (live, self.protocol) {
            (Live::Accepted, Protocol::Plain) => plain::accepted(self),
            (Live::Accepted, Protocol::Strict) | (Live::Activity, _) => {}
            (Live::Frame(frame, notes), Protocol::Strict) => {
                self.note(&notes);
                strict::frame(self, frame, now);
            }
            (Live::Plain(envelope, notes), Protocol::Plain) => {
                self.note(&notes);
                plain::event(self, envelope);
            }
            (Live::Frame(..) | Live::Plain(..), _) => {
                self.stats.unknown += 1;
                self.anomaly("wrong_protocol", "an event of another kind of stream was ignored".to_owned());
            }
            (Live::Retry(pause), _) => self.link.ask_pause(pause),
            (Live::Unknown(name), _) => {
                self.stats.unknown += 1;
                self.anomaly("unknown_event", format!("the event \"{name}\" is not known here and was ignored"));
            }
            (Live::Malformed(name, error), _) => {
                let message = format!("an event \"{name}\" could not be read: {error}");
                strict::malformed(self, Anomaly { code: error.code(), message }, &name, now);
            }
            (Live::Closed(closed), _) => self.lost(&closed, now, random),
        }
    }

    /// The stream is gone, clean or not (C3.8): that says nothing of the run, so the log is read, and the stream opened
    /// again later. Only what another try can't mend stops.
    fn lost(&mut self, closed: &Closed, now: u64, random: u64) {
        let mut pause = None;
        match closed {
            Closed::Refused { status: 401 | 403, .. } => return self.unauthorized(now, random),
            Closed::Refused { status: 404, .. } => return self.stop_failed("not_found"),
            Closed::Refused { status: 204, .. } => return self.stop_failed("no_content"),
            Closed::Refused { status, retry_after } => {
                pause = *retry_after;
                self.anomaly("refused", format!("the live stream was refused with status {status}"));
            }
            Closed::NotAStream(found) => self.anomaly(
                "not_a_stream",
                format!("the live stream's address answered with \"{found}\", not an event stream"),
            ),
            Closed::TooLarge(bytes) => {
                self.anomaly("event_too_large", format!("an event of the live stream was over {bytes} bytes"));
            }
            Closed::Lost => {}
        }
        if !self.link.bye {
            self.stats.losses += 1;
            self.reads.look();
        }
        self.unbind(Some(false));
        self.link.lost(now, random, pause);
        if let Phase::Stopped(stop) = self.link.phase {
            self.stop(stop);
        }
    }

    /// No lane is fed any more; `confirmed` says how they are shown from now on.
    fn unbind(&mut self, confirmed: Option<bool>) {
        let sides = [self.side.as_mut(), self.staged.as_mut().map(|staged| &mut staged.side)];
        for side in sides.into_iter().flatten() {
            for lane in side.lanes.iter_mut() {
                let was_fed = !matches!(lane.feed, Feed::Ended { until: Some(_) });
                if let (true, Some(confirmed)) = (was_fed, confirmed) {
                    lane.confirm(confirmed, &mut side.step.lanes);
                }
                if matches!(lane.feed, Feed::Attempt { .. }) {
                    lane.feed = Feed::Ended { until: None };
                }
            }
        }
    }

    fn open_live(&mut self, now: u64) {
        self.link.opening(now);
        self.stats.openings += 1;
        self.outputs.push_back(Output::OpenLive(Generation(self.link.generation)));
    }

    fn close_live(&mut self) {
        if self.link.is_up() {
            self.outputs.push_back(Output::CloseLive(Generation(self.link.generation)));
        }
    }

    fn command(&mut self, id: CommandId, command: Command, now: u64) {
        match self.addressed(command) {
            Ok(command) => self.commands.add(id, command, now),
            Err(error) => self.outputs.push_back(Output::Done(id, Err(error))),
        }
    }

    /// Fills in the run that a command is for.
    fn addressed(&self, command: Command) -> Result<Command, CommandError> {
        let refused = |code: &str, message: String| Err(CommandError { code: code.to_owned(), message });
        if self.link.phase == Phase::Stopped(Stop::Closed) {
            return refused("closed", "this client is closed; make a new one".to_owned());
        }
        let runs = self.side.as_ref().map(|side| &side.runs);
        match command {
            Command::Resume { run_id: None, call_id, answer, idempotency_key } => {
                match runs.and_then(|runs| runs.waiting_for(call_id.as_ref())) {
                    Some(run) => Ok(Command::Resume { run_id: Some(run.clone()), call_id, answer, idempotency_key }),
                    None => match call_id {
                        Some(call) => refused("nothing_pending", format!("no run waits for the call \"{call}\"")),
                        None => refused("nothing_pending", "no run rests in a pause".to_owned()),
                    },
                }
            }
            Command::Cancel { run_id: None } => match runs.and_then(|runs| runs.newest()) {
                Some(run) => Ok(Command::Cancel { run_id: Some(run.clone()) }),
                None => refused("no_active_run", "no run is active that could be cancelled".to_owned()),
            },
            other => Ok(other),
        }
    }

    fn response(&mut self, id: CommandId, outcome: Outcome, now: u64, random: u64) {
        let Some((id, result)) = self.commands.answered(id, outcome, now, random, self.link.renewable) else { return };
        if let Ok(accepted) = &result {
            if self.link.phase == Phase::Stopped(Stop::Failed("not_found")) {
                // The first message makes the thread (C1).
                self.wake(Wake::User, now);
            } else if !matches!(self.link.phase, Phase::Open { .. }) && self.side.is_some() {
                self.reads.wish(accepted.seq);
            }
        }
        self.outputs.push_back(Output::Done(id, result));
    }

    fn wake(&mut self, wake: Wake, now: u64) {
        match wake {
            Wake::Visible | Wake::Pageshow => self.link.hidden = false,
            Wake::Online => self.link.offline = false,
            Wake::User => {
                self.link.hidden = false;
                self.link.offline = false;
            }
        }
        self.reads.hurry();
        self.commands.hurry(now);
        if self.link.wake(now, wake == Wake::User) && self.link.may_open() {
            if self.link.is_up() {
                self.reopen(Why::Stale, now);
            }
            self.open_live(now);
        }
    }

    fn tick(&mut self, now: u64, random: u64) {
        match self.link.due(now) {
            Due::Nothing => {}
            Due::Open => self.open_live(now),
            Due::Reopen => self.reopen(Why::Stale, now),
            Due::Lost => {
                self.anomaly("half_open", "the live stream was silent for too long".to_owned());
                self.close_live();
                self.lost(&Closed::Lost, now, random);
            }
        }
        if self.poll_at.is_some_and(|at| at <= now) {
            self.poll_at = None;
            self.reads.look();
        }
    }

    fn close(&mut self) {
        self.stop(Stop::Closed);
        self.poll_at = None;
        let given_up = self.commands.close();
        self.outputs.extend(given_up.into_iter().map(|(id, result)| Output::Done(id, result)));
    }

    /// The side that the app sees from now on.
    pub(super) fn show(&mut self, mut side: Side) {
        let replacement = side.as_replacement();
        side.take_step();
        self.stats.records += replacement.records.len() as u64;
        self.outputs.push_back(Output::Step(replacement));
        self.side = Some(side);
    }

    /// What follows from any input: the step that it made, the reads and requests that are due, the status.
    fn follow_up(&mut self, now: u64) {
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
        if !self.link.is_stopped() && self.link.phase != Phase::Idle {
            self.poll_later(now);
            self.read(now);
        }
        let status = self.status_now();
        if status != self.status {
            self.status = status.clone();
            self.outputs.push_back(Output::Status(status));
        }
    }

    fn read(&mut self, now: u64) {
        let known = self.staged.as_ref().is_none_or(|staged| staged.known);
        let (after, epoch) = match self.current() {
            Some(side) if known => (side.log.last(), Some(side.log.epoch().clone())),
            Some(_) | None => (None, None),
        };
        let last = self.current().and_then(|side| side.log.last());
        self.reads.reached(last);
        if let Some(id) = self.reads.begin(now, epoch.clone()) {
            self.stats.reads += 1;
            self.outputs.push_back(Output::Fetch(Fetch { id, after, limit: PAGE, epoch }));
        }
    }

    /// How often the log is read without being asked to, while that is due.
    fn poll_interval(&self) -> Option<u64> {
        let runs = self.side.as_ref().map(|side| &side.runs);
        match self.protocol {
            Protocol::Strict if self.link.is_log_only() => runs.filter(|runs| runs.any()).map(|_| LOG_ONLY_INTERVAL),
            Protocol::Plain => runs.filter(|runs| runs.any_working()).map(|_| PLAIN_INTERVAL),
            Protocol::Strict => None,
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
            Some(_) if up && self.staged.is_none() && !self.reads.is_busy() && !self.link.is_log_only() => Status::Live,
            None | Some(_) => Status::CatchingUp,
        }
    }
}
