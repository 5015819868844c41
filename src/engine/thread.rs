//! The composition.

use super::events::{self, Event, Events};
use crate::event::{Coordinate, RunId};
use crate::fold::{Change, Fold, facts};
use crate::follow::frame::Frame;
use crate::follow::{
    Accepted, Anomaly, Command, CommandError, CommandId, Fetch, Follower, Generation, Input, LaneChange, LaneId, Live,
    Options, Output, Protocol, Stats, Status, Step, Wake,
};
use crate::view::{SendState, Urgency, View};
use std::collections::VecDeque;

/// What the edge has to do.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Open the live stream, as this generation.
    OpenLive(Generation),
    /// Close the live stream of this generation.
    CloseLive(Generation),
    /// Ask for a sign of life of this generation's stream, over its own connection and with no effect on the host
    /// ([`Protocol::Dsh`](crate::follow::Protocol) alone). Whatever comes of the stream is an answer.
    Knock(Generation),
    /// Read what was committed.
    Fetch(Fetch),
    /// Send a command; a resume and a cancel name their run.
    Request(CommandId, Command),
    /// A command is over: accepted, or why not.
    Done(CommandId, Result<Accepted, CommandError>),
    /// Tell of something odd.
    Anomaly(Anomaly),
}

/// One thread, followed. See the [module](super).
#[derive(Debug)]
pub struct Engine {
    /// Run rows alone say where a run stands (B2).
    by_rows: bool,
    follower: Follower,
    fold: Fold,
    view: View,
    effects: VecDeque<Effect>,
    facts: u64,
    anomalies: u64,
    /// Collected only while somebody listens.
    events: Option<Events>,
    /// The lanes that are open, oldest first. They are few.
    lanes: Vec<(LaneId, RunId, Option<Coordinate>)>,
    /// Sends under way, by command.
    sends: Vec<(CommandId, Command)>,
    /// Sends that were refused, until somebody asks for another try.
    refused: Vec<Command>,
    /// How many commands this side made itself; their ids are counted down from the highest.
    own_commands: u32,
    /// Fragments were taken in of which nobody was told yet.
    fragments: bool,
}

/// Ids from here on are of commands that were sent again by this side; nobody waits for their end.
const OWN_COMMANDS: u32 = 1 << 31;

impl Engine {
    /// An engine that does nothing until [`Input::Connect`]. An initial page is in the view at once.
    pub fn new(options: Options) -> Self {
        let by_rows = options.protocol == Protocol::Dsh;
        let mut engine = Self {
            by_rows,
            follower: Follower::new(options),
            fold: if by_rows { Fold::by_rows() } else { Fold::new() },
            view: if by_rows { View::by_rows() } else { View::new() },
            effects: VecDeque::new(),
            facts: 0,
            anomalies: 0,
            events: None,
            lanes: Vec::new(),
            sends: Vec::new(),
            refused: Vec::new(),
            own_commands: 0,
            fragments: false,
        };
        engine.drain();
        engine
    }

    /// Something happened. `now` is in ms since 1970, `random` are 64 random bits.
    pub fn handle(&mut self, input: Input, now: u64, random: u64) {
        if let Input::Command(id, command @ Command::Send { message_id, content, .. }) = &input {
            self.view.sending(message_id, content);
            self.sends.push((*id, command.clone()));
        }
        let again =
            if matches!(input, Input::Wake(Wake::User)) { std::mem::take(&mut self.refused) } else { Vec::new() };
        self.follower.handle(input, now, random);
        self.drain();
        for command in again {
            // The log may have it after all: then it is not said again.
            if matches!(&command, Command::Send { message_id, .. } if !self.view.has_failed(message_id)) {
                continue;
            }
            let id = CommandId(OWN_COMMANDS | self.own_commands);
            self.own_commands = self.own_commands.wrapping_add(1);
            self.handle(Input::Command(id, command), now, random);
        }
    }

    /// One of the things that came of the live stream at once; [`Engine::streamed`] is due after the last of them. As
    /// [`Engine::handle`], but fragments that follow one another make one step: most of what a short one costs is what
    /// could follow from any input, and after a fragment nothing does but that its lane grew.
    pub fn stream(&mut self, input: Input, now: u64, random: u64) {
        if !matches!(input, Input::Live(_, Live::Frame(Frame::Delta(_), _))) {
            self.streamed(now);
            return self.handle(input, now, random);
        }
        self.follower.hear(input, now, random);
        self.fragments = true;
    }

    /// All that came at once was given to [`Engine::stream`].
    pub fn streamed(&mut self, now: u64) {
        if std::mem::take(&mut self.fragments) {
            self.follower.follow_up(now);
            self.drain();
        }
    }

    /// The next thing for the edge to do; None when there is nothing more for now.
    pub fn poll(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// True when [`Engine::poll`] has something.
    pub fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    /// When to call [`Engine::handle`] with [`Input::Tick`] at the latest, in ms.
    pub fn deadline(&self) -> Option<u64> {
        self.follower.deadline()
    }

    /// How soon the page should see the changes that wait.
    pub fn urgency(&self) -> Urgency {
        self.view.urgency()
    }

    /// The view's changes since the last call, as JSON; None when there are none.
    pub fn take_changes(&mut self) -> Option<String> {
        let follower = &self.follower;
        self.view.take_changes(&|lane| follower.lane(lane))
    }

    /// The whole view as JSON.
    pub fn whole(&mut self) -> String {
        let follower = &self.follower;
        self.view.whole(&|lane| follower.lane(lane))
    }

    /// How many of the committed items that are new are told at once (200 unless said): [`Engine::older`] tells the others.
    pub fn set_window(&mut self, items: usize) {
        self.view.set_window(items);
    }

    /// The items that [`Engine::take_changes`] left out so far, as JSON: those before the last ones of a long read.
    pub fn older(&mut self) -> String {
        self.view.older()
    }

    /// From now on events are collected (true) or not.
    pub fn listen(&mut self, on: bool) {
        self.events = on.then(Events::default);
    }

    /// The events since the last call, as a JSON array; None when there are none.
    pub fn take_events(&mut self) -> Option<String> {
        let events = self.next_events();
        (!events.is_empty()).then(|| events::write(&events))
    }

    /// The events since the last call.
    pub fn next_events(&mut self) -> Vec<Event> {
        self.events.as_mut().map(Events::take).unwrap_or_default()
    }

    /// What somebody who begins to listen has to know first, as a JSON array: all Facts in order, amended as they read
    /// now, and what the lanes show. Take the waiting events before.
    pub fn history(&self) -> String {
        let mut all = Vec::new();
        if let Some(log) = self.follower.log() {
            let records = || log.records().iter().map(|record| &**record);
            let mut facts = facts(self.fold_of(log.first()), records()).into_iter().peekable();
            for record in records() {
                all.extend(events::said(record));
                while let Some(placed) = facts.next_if(|placed| placed.position.seq <= record.seq()) {
                    all.push(Event::Fact(placed));
                }
            }
        }
        for change in self.follower.shown_lanes() {
            if let LaneChange::Grew { lane, delta, .. } = change
                && let Some((run_id, coordinate)) = self.place_of(lane)
            {
                all.push(Event::Delta { lane, run_id, coordinate, delta });
            }
        }
        events::write(&all)
    }

    /// Counters since the engine was made.
    pub fn stats(&self) -> Stats {
        let stats = self.follower.stats().clone();
        Stats { facts: self.facts, anomalies: stats.anomalies + self.anomalies, ..stats }
    }

    /// The connection's state.
    pub fn status(&self) -> &Status {
        self.follower.status()
    }

    /// The last applied seq; None when nothing is applied.
    pub fn frontier(&self) -> Option<u64> {
        self.follower.frontier()
    }

    /// A log that does not begin at its first record is folded as a window (A3.1).
    fn fold_of(&self, first: Option<u64>) -> Fold {
        match first {
            _ if self.by_rows => Fold::by_rows(),
            None | Some(0) => Fold::new(),
            Some(_) => Fold::windowed(),
        }
    }

    fn drain(&mut self) {
        while let Some(output) = self.follower.poll() {
            match output {
                Output::Step(step) => {
                    self.step(&step);
                    self.follower.recycle(step);
                }
                Output::Status(status) => self.view.set_status(&status),
                Output::Done(id, result) => self.done(id, result),
                Output::OpenLive(generation) => self.effects.push_back(Effect::OpenLive(generation)),
                Output::CloseLive(generation) => self.effects.push_back(Effect::CloseLive(generation)),
                Output::Knock(generation) => self.effects.push_back(Effect::Knock(generation)),
                Output::Fetch(fetch) => self.effects.push_back(Effect::Fetch(fetch)),
                Output::Request(id, command) => self.effects.push_back(Effect::Request(id, command)),
                Output::Anomaly(anomaly) => self.effects.push_back(Effect::Anomaly(anomaly)),
            }
        }
    }

    /// One change of what is seen: records fold to Facts, lanes grow, settle and go.
    fn step(&mut self, step: &Step) {
        if step.replace {
            self.fold = self.fold_of(step.records.first().map(|record| record.seq()));
            self.lanes.clear();
            self.tell(Event::Reset { lane: None, run_id: None, coordinate: None });
        }
        let Self { fold, view, events, facts, .. } = self;
        view.apply(step, &mut |record, changes| {
            fold.append_to(record, changes);
            *facts += changes.iter().filter(|change| matches!(change, Change::Add(_))).count() as u64;
            // Copied only for who listens.
            if let Some(events) = events {
                events::said(record).into_iter().for_each(|said| events.push(said));
                changes.iter().for_each(|change| events.push(event(change.clone())));
            }
        });
        for anomaly in self.fold.anomalies() {
            self.anomalies += 1;
            self.effects.push_back(Effect::Anomaly(Anomaly::new(anomaly.code.as_str(), anomaly.message())));
        }
        for change in &step.lanes {
            self.lane(change);
        }
    }

    fn lane(&mut self, change: &LaneChange) {
        match change {
            LaneChange::Open { lane, run_id, coordinate } => {
                self.lanes.push((*lane, run_id.clone(), coordinate.clone()));
            }
            LaneChange::Grew { lane, delta, .. } => {
                // Copied only for who listens.
                if self.events.is_some()
                    && let Some((run_id, coordinate)) = self.place_of(*lane)
                {
                    self.tell(Event::Delta { lane: *lane, run_id, coordinate, delta: delta.clone() });
                }
            }
            LaneChange::Reset { lane } => self.reset(*lane),
            LaneChange::Confirmed { .. } => {}
            LaneChange::Settled { lane, .. } => self.forget(*lane),
            LaneChange::Dropped { lane } => {
                self.reset(*lane);
                self.forget(*lane);
            }
        }
    }

    fn reset(&mut self, lane: LaneId) {
        // A lane that nobody was told of needs no reset; without its run it would read as one of everything.
        if let Some((run_id, coordinate)) = self.place_of(lane) {
            self.tell(Event::Reset { lane: Some(lane), run_id: Some(run_id), coordinate });
        }
    }

    /// The run and the response of a lane; None for a lane that is not open.
    fn place_of(&self, lane: LaneId) -> Option<(RunId, Option<Coordinate>)> {
        let (_, run_id, coordinate) = self.lanes.iter().rfind(|(id, ..)| *id == lane)?;
        Some((run_id.clone(), coordinate.clone()))
    }

    fn forget(&mut self, lane: LaneId) {
        if let Some(at) = self.lanes.iter().position(|(id, ..)| *id == lane) {
            self.lanes.remove(at);
        }
    }

    fn tell(&mut self, event: Event) {
        if let Some(events) = &mut self.events {
            events.push(event);
        }
    }

    /// A send that was refused stays in the view, with the reason, until it is sent again.
    fn done(&mut self, id: CommandId, result: Result<Accepted, CommandError>) {
        if let Some(at) = self.sends.iter().position(|(send, _)| *send == id) {
            let (_, command) = self.sends.remove(at);
            if let Command::Send { message_id, .. } = &command {
                let state = match &result {
                    Ok(accepted) if accepted.seq.is_none() => SendState::Queued,
                    Ok(_) => SendState::Sending,
                    Err(error) => SendState::Failed { code: error.code.clone(), message: error.message.clone() },
                };
                self.view.send_state(message_id, state);
            }
            if result.is_err() {
                self.refused.push(command);
            }
        }
        if id.0 < OWN_COMMANDS {
            self.effects.push_back(Effect::Done(id, result));
        }
    }
}

/// What a listener is told of a change of the Facts.
fn event(change: Change) -> Event {
    match change {
        Change::Add(placed) => Event::Fact(placed),
        Change::Amend { position, fact } => Event::Amend { position, fact },
    }
}
