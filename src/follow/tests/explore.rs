//! A small world explored to its end: every order in which its frames, reads, crashes and faults can come. A state that
//! was seen before is not gone into again, so the exploration ends. It goes to the depth first, which needs little memory.
//!
//! In each history something else becomes of a run; the page joins at any moment, a read is answered at any moment with
//! what the log holds then or held when it was asked for, one frame is lost, doubled or swapped, and the stream is cut or
//! the host's process ends, once, with its epoch or another. In every state B4's invariants hold; from every state in
//! which the history is over, quiet leads to the log.

use super::host::{Act, Host, call, delta, say, start};
use super::page::Page;
use crate::follow::frame::Frame;
use crate::follow::link::Phase;
use crate::follow::side::Side;
use crate::follow::{Closed, Fetch, Follower, Generation, Input, Live, Options, Output, Protocol, Status, Wake};
use crate::json::Notes;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashSet, VecDeque};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What can happen next.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Move {
    Connect,
    /// The history goes on.
    Act,
    Deliver,
    Lose,
    Twice,
    Swap,
    /// The stream ends; what is under way is lost.
    Cut,
    Crash {
        other_epoch: bool,
        lost: usize,
    },
    /// The read is answered as of now, or of when it was asked for.
    Answer {
        late: bool,
    },
    Tick,
    Ping,
}

#[derive(Clone)]
struct State {
    host: Host,
    follower: Follower,
    page: Page,
    /// How far the history is.
    at: usize,
    /// The stream, and the frames that are under way on it.
    stream: Option<Generation>,
    wire: VecDeque<Frame>,
    /// The read under way, and what the log held when it was asked for.
    read: Option<(Fetch, Option<u64>)>,
    connected: bool,
    faults: u8,
    breaks: u8,
    pings: u8,
    now: u64,
    path: Vec<Move>,
}

/// How much goes wrong.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    faults: u8,
    breaks: u8,
    pings: u8,
}

fn histories() -> Vec<Vec<Act>> {
    let plain = vec![start(0), delta("a"), delta("b"), Act::Commit, Act::End, Act::Finish];
    let resumed = vec![
        start(0),
        call("c", "f", "{}"),
        Act::Commit,
        Act::Await("c"),
        Act::End,
        Act::GoOn,
        start(1),
        delta("x"),
        Act::Commit,
        Act::End,
        Act::Finish,
    ];
    let cancelled = vec![start(0), delta("a"), Act::Finish, Act::Abandon];
    let retried = vec![start(0), delta("a"), Act::Abandon, start(0), delta("b"), Act::Commit, Act::Finish, Act::End];
    let second = vec![
        start(0),
        delta("a"),
        Act::Commit,
        Act::End,
        Act::Finish,
        say("more"),
        start(0),
        delta("b"),
        Act::Commit,
        Act::End,
    ];
    vec![plain, resumed, cancelled, retried, second]
}

impl State {
    fn new(bounds: Bounds) -> Self {
        let options =
            Options { protocol: Protocol::Strict, thread_id: None, renewable: false, watchdog: true, initial: None };
        let mut host = Host::default();
        host.act(&say("hi"));
        Self {
            host,
            follower: Follower::new(options),
            page: Page::new(false),
            at: 0,
            stream: None,
            wire: VecDeque::new(),
            read: None,
            connected: false,
            faults: bounds.faults,
            breaks: bounds.breaks,
            pings: bounds.pings,
            now: 1_000_000,
            path: Vec::new(),
        }
    }

    fn moves(&self, history: &[Act]) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.at < history.len() {
            moves.push(Move::Act);
        }
        if !self.connected {
            moves.push(Move::Connect);
        }
        if !self.wire.is_empty() {
            moves.push(Move::Deliver);
            if self.faults > 0 {
                moves.extend([Move::Lose, Move::Twice]);
                if self.wire.len() > 1 {
                    moves.push(Move::Swap);
                }
            }
        }
        if let Some((_, upto)) = &self.read {
            moves.push(Move::Answer { late: false });
            if *upto != self.host.frontier() {
                moves.push(Move::Answer { late: true });
            }
        }
        if self.breaks > 0 {
            if self.stream.is_some() {
                moves.push(Move::Cut);
            }
            moves.push(Move::Crash { other_epoch: false, lost: 0 });
            moves.push(Move::Crash { other_epoch: true, lost: 0 });
            moves.push(Move::Crash { other_epoch: true, lost: 1 });
        }
        if self.is_due() {
            moves.push(Move::Tick);
        }
        if self.pings > 0 && self.stream.is_some() {
            moves.push(Move::Ping);
        }
        moves
    }

    /// True when the follower wants to be called soon: what it does after long silence is not explored.
    fn is_due(&self) -> bool {
        self.follower.deadline().is_some_and(|at| at < self.now + 5_000)
    }

    fn make(&mut self, what: Move, history: &[Act]) {
        self.path.push(what);
        match what {
            Move::Connect => {
                self.connected = true;
                self.give(Input::Connect);
            }
            Move::Act => {
                if let Some(act) = history.get(self.at) {
                    self.at += 1;
                    let frames = self.host.act(act);
                    self.send(frames);
                }
            }
            Move::Deliver => self.deliver(),
            Move::Lose => {
                self.faults -= 1;
                self.wire.pop_front();
            }
            Move::Twice => {
                self.faults -= 1;
                if let Some(frame) = self.wire.front().cloned() {
                    self.wire.push_front(frame);
                }
            }
            Move::Swap => {
                self.faults -= 1;
                self.wire.swap(0, 1);
            }
            Move::Cut => {
                self.breaks -= 1;
                self.cut();
            }
            Move::Crash { other_epoch, lost } => {
                self.breaks -= 1;
                self.host.restart(other_epoch, lost);
                self.cut();
            }
            Move::Answer { late } => {
                let Some((fetch, upto)) = self.read.take() else { return };
                let upto = if late { upto } else { self.host.frontier() };
                let page = self.host.page(fetch.after, fetch.limit, fetch.epoch.as_ref(), upto);
                self.give(Input::Page(fetch.id, page.map(|page| (page, Notes::default()))));
            }
            Move::Tick => {
                self.now = self.follower.deadline().map_or(self.now, |at| at.max(self.now));
                self.give(Input::Tick);
            }
            Move::Ping => {
                self.pings -= 1;
                let frames = self.host.act(&Act::Ping);
                self.send(frames);
            }
        }
    }

    fn send(&mut self, frames: Vec<Frame>) {
        if self.stream.is_some() {
            self.wire.extend(frames);
        }
    }

    fn deliver(&mut self) {
        if let (Some(frame), Some(generation)) = (self.wire.pop_front(), self.stream) {
            self.give(Input::Live(generation, Live::Frame(frame, Notes::default())));
        }
    }

    fn cut(&mut self) {
        self.wire.clear();
        if let Some(generation) = self.stream.take() {
            self.give(Input::Live(generation, Live::Closed(Closed::Lost)));
        }
    }

    fn give(&mut self, input: Input) {
        self.follower.handle(input, self.now, 0);
        while let Some(output) = self.follower.poll() {
            match output {
                Output::OpenLive(generation) => {
                    self.stream = Some(generation);
                    self.wire = VecDeque::from([self.host.opened()]);
                }
                Output::CloseLive(generation) => {
                    if self.stream.take_if(|open| *open == generation).is_some() {
                        self.wire.clear();
                    }
                }
                Output::Fetch(fetch) => self.read = Some((fetch, self.host.frontier())),
                Output::Step(step) => {
                    let follower = &self.follower;
                    self.page.apply(&step, &self.host, &|lane| follower.lane(lane).cloned());
                }
                Output::Knock(_) => panic!("a stream whose pings are seen is not asked"),
                Output::Request(..) | Output::Done(..) | Output::Status(_) | Output::Anomaly(_) => {}
            }
        }
    }

    /// Nothing goes wrong any more, and the host pings: the page comes to what the log holds.
    fn settles(mut self) -> Result<(), String> {
        if !self.connected {
            self.connected = true;
            self.give(Input::Connect);
        }
        self.give(Input::Wake(Wake::Visible));
        for turn in 0..60 {
            while !self.wire.is_empty() {
                self.deliver();
            }
            if self.read.is_some() {
                self.make(Move::Answer { late: false }, &[]);
            } else if self.is_due() {
                self.make(Move::Tick, &[]);
            } else if turn < 40 {
                self.now += 1_000;
                let frames = self.host.act(&Act::Ping);
                self.send(frames);
            }
        }
        if let Some(wrong) = self.page.wrong.first() {
            return Err(wrong.clone());
        }
        let shown: Vec<_> = self.page.records.iter().map(|record| (**record).clone()).collect();
        if shown != self.host.log {
            return Err(format!(
                "I5: the page ends with {} records, the log with {}",
                shown.len(),
                self.host.log.len()
            ));
        }
        let streams =
            self.host.active.iter().filter(|attempt| attempt.seq.is_none() && !self.host.rests(attempt)).count();
        if self.page.lanes.len() != streams {
            return Err(format!("{} lanes, and {streams} stream", self.page.lanes.len()));
        }
        if *self.follower.status() != Status::Live {
            return Err(format!("the status is {:?}", self.follower.status()));
        }
        Ok(())
    }

    /// All that what happens next depends on.
    fn fingerprint(&self) -> u64 {
        let h = &mut DefaultHasher::new();
        (self.at, self.connected, self.faults, self.breaks, self.pings).hash(h);
        (self.host.epoch.as_str(), self.host.log.len(), self.host.revision, self.host.runs).hash(h);
        say_all(h, &self.host.active);
        self.wire.iter().for_each(|frame| frame.write().hash(h));
        if let Some((fetch, upto)) = &self.read {
            (fetch.after, upto).hash(h);
            say_all(h, &fetch.epoch);
        }
        let f = &self.follower;
        let phase = match f.link.phase {
            Phase::Down { at } => Phase::Down { at: at.saturating_sub(self.now) },
            other => other,
        };
        say_all(h, &(phase, f.link.failures, f.link.is_log_only(), f.link.fault_count(), &f.seen));
        (self.stream == Some(Generation(f.link.generation)), f.link.bye).hash(h);
        say_all(h, &f.reads.summary(self.now));
        f.side.iter().for_each(|side| hash_side(side, h));
        if let Some(staged) = &f.staged {
            (staged.until, staged.known).hash(h);
            hash_side(&staged.side, h);
        }
        h.finish()
    }
}

fn hash_side(side: &Side, h: &mut DefaultHasher) {
    (side.log.epoch().as_str(), side.log.last()).hash(h);
    for lane in side.lanes.iter() {
        (lane.coordinate.as_ref(), lane.started_after, lane.confirmed).hash(h);
        say_all(h, &lane.feed);
        lane.content.parts().iter().for_each(|part| part.text().hash(h));
    }
}

fn say_all(h: &mut DefaultHasher, what: &impl Debug) {
    format!("{what:?}").hash(h);
}

/// Explores to the end, and says how many states there are.
fn explore(history: &[Act], bounds: Bounds) -> usize {
    let first = State::new(bounds);
    let mut seen = HashSet::from([first.fingerprint()]);
    let mut next = vec![first];
    while let Some(state) = next.pop() {
        if state.at == history.len()
            && let Err(wrong) = state.clone().settles()
        {
            panic!("{wrong}\n{history:?}\n{:?}", state.path);
        }
        for what in state.moves(history) {
            let mut after = state.clone();
            after.make(what, history);
            if let Some(wrong) = after.page.wrong.first() {
                panic!("{wrong}\n{history:?}\n{:?}", after.path);
            }
            if seen.insert(after.fingerprint()) {
                next.push(after);
            }
        }
    }
    seen.len()
}

/// How far an ordinary run goes: the whole costs minutes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reach {
    /// The beginnings of the histories, with a fault or a break: what an unoptimised build can do.
    Beginnings,
    /// The histories to their end, with a fault and a break.
    Histories,
    /// With a ping at any moment too.
    Whole,
}

/// To the end where the tests are optimised, and with `SIM_EXPLORE=whole` with pings at any moment too; elsewhere as far
/// as fits into an ordinary run.
#[test]
fn every_state_of_a_small_world_keeps_the_invariants_and_comes_to_the_log() {
    let reach = match std::env::var("SIM_EXPLORE") {
        Ok(asked) if asked == "whole" => Reach::Whole,
        _ if cfg!(debug_assertions) => Reach::Beginnings,
        _ => Reach::Histories,
    };
    let bounds = match reach {
        Reach::Beginnings => &[(1, 0, 0), (0, 1, 0)][..],
        Reach::Histories => &[(1, 1, 0)],
        Reach::Whole => &[(1, 1, 1)],
    };
    let mut worlds = Vec::new();
    for (number, history) in histories().into_iter().enumerate() {
        let length = if reach == Reach::Beginnings { 4.min(history.len()) } else { history.len() };
        for (faults, breaks, pings) in bounds.iter().copied() {
            worlds.push((number, history[..length].to_vec(), Bounds { faults, breaks, pings }));
        }
    }
    let (next, states) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some((number, history, bounds)) = worlds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = explore(history, *bounds);
            println!("{found:>9} states of history {number}: {bounds:?}");
            states.fetch_add(found, Ordering::Relaxed);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    let states = states.into_inner();
    println!("{states:>9} states in all");
    let least = match reach {
        Reach::Beginnings => 1_000,
        Reach::Histories => 100_000,
        Reach::Whole => 1_500_000,
    };
    assert!(states > least, "{states}");
}
