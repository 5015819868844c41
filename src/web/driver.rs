//! One thread's driver: feeds the engine, and keeps what is open.

use super::clock::{Due, now, random};
use super::event_source::EventSourceStream;
use super::fetch_stream::FetchStream;
use super::host::Host;
use super::http::InFlight;
use super::lifecycle::{self, Lifecycle};
use super::{Source, dsh, perform};
use crate::engine::{Effect, Engine};
use crate::follow::{Closed, CommandId, Generation, Input, Live, ReadId, Status, Wake};
use crate::json;
use crate::sorted::Sorted;
use crate::source::dsh::Carrier;
use crate::view::Urgency;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

/// A handle on one thread's driver; clones are the same driver.
#[derive(Debug, Clone)]
pub struct Driver(Rc<Inner>);

/// A handle that does not keep the driver alive, for callbacks that the driver itself holds.
#[derive(Debug, Clone)]
pub struct WeakDriver(Weak<Inner>);

/// Each cell is borrowed for a few lines that call nothing outside of this crate, so no borrow meets another.
pub(super) struct Inner {
    pub(super) host: Host,
    pub(super) source: Source,
    engine: RefCell<Engine>,
    /// Effects that were asked for and not yet performed, oldest first.
    effects: RefCell<VecDeque<Effect>>,
    /// True while somebody up the stack performs effects.
    performing: Cell<bool>,
    live: RefCell<Option<(Generation, Stream)>>,
    in_flight: RefCell<Sorted<Asked, InFlight>>,
    lifecycle: RefCell<Option<Lifecycle>>,
    deadline: RefCell<Option<(u64, Due)>>,
    frame: RefCell<Option<Due>>,
    told: RefCell<Option<Status>>,
    bytes: Cell<u64>,
    phase: Cell<Phase>,
}

/// What a request under way is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    Page(ReadId),
    Command(CommandId),
}

/// The live stream; dropping it closes it. A custom source's is closed by [`Host::close_live`], a dsh host's by its carrier.
#[derive(Debug)]
#[expect(dead_code, reason = "the streams are held for their drop")]
pub(super) enum Stream {
    EventSource(EventSourceStream),
    Fetch(FetchStream),
    Custom,
    Dsh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Connected,
    Closed,
}

impl Driver {
    /// A driver that does nothing yet.
    pub fn new(engine: Engine, source: Source, host: Host) -> Self {
        Self(Rc::new(Inner {
            host,
            source,
            engine: RefCell::new(engine),
            effects: RefCell::default(),
            performing: Cell::new(false),
            live: RefCell::default(),
            in_flight: RefCell::default(),
            lifecycle: RefCell::default(),
            deadline: RefCell::default(),
            frame: RefCell::default(),
            told: RefCell::default(),
            bytes: Cell::new(0),
            phase: Cell::new(Phase::New),
        }))
    }

    /// Follows the thread; when it does already, looks again.
    pub fn connect(&self) {
        match self.0.phase.get() {
            Phase::New => {
                self.0.phase.set(Phase::Connected);
                let lifecycle = Lifecycle::new(self);
                self.0.lifecycle.replace(Some(lifecycle));
                let mut inputs = lifecycle::at_start();
                inputs.push(Input::Connect);
                self.feed(inputs);
            }
            Phase::Connected => self.feed([Input::Wake(Wake::User)]),
            Phase::Closed => {}
        }
    }

    /// Ends all: afterwards there is no stream, request, timer or listener, and nothing more is told.
    pub fn close(&self) {
        if self.0.phase.get() == Phase::Closed {
            return;
        }
        self.feed([Input::Close]);
        self.flush();
        self.0.phase.set(Phase::Closed);
        self.close_live(None);
        dsh::with(self, Carrier::shut_down);
        self.0.effects.take();
        self.0.in_flight.take();
        self.0.lifecycle.take();
        self.0.deadline.take();
        self.0.frame.take();
    }

    /// Tells the engine what happened, and does what it then asks for.
    pub fn feed(&self, inputs: impl IntoIterator<Item = Input>) {
        if self.0.phase.get() == Phase::Closed {
            return;
        }
        {
            let mut engine = self.0.engine.borrow_mut();
            let mut effects = self.0.effects.borrow_mut();
            // Asked for once: a piece of the stream brings many inputs at one moment.
            let (now, random) = (now(), random());
            for input in inputs {
                engine.handle(input, now, random);
                effects.extend(std::iter::from_fn(|| engine.poll()));
            }
        }
        // An effect may bring the next input while it is performed; its effects wait their turn, in order.
        if self.0.performing.replace(true) {
            return;
        }
        while let Some(effect) = self.next_effect() {
            perform::perform(self, effect);
        }
        self.0.performing.set(false);
        self.settle();
    }

    /// Hands the changes that have gathered to the page.
    pub fn flush(&self) {
        self.0.frame.take();
        let (changes, events) = {
            let mut engine = self.0.engine.borrow_mut();
            (engine.take_changes(), engine.take_events())
        };
        if changes.is_some() || events.is_some() {
            self.0.host.flush(changes, events);
        }
    }

    /// The whole view, as JSON.
    pub fn whole(&self) -> String {
        self.0.engine.borrow_mut().whole()
    }

    /// Collects events from now on, the Facts so far first; or no longer.
    pub fn listen(&self, on: bool) {
        self.0.engine.borrow_mut().listen(on);
    }

    /// What a new reader of events has to know first, as JSON. Flush before.
    pub fn history(&self) -> String {
        self.0.engine.borrow().history()
    }

    /// What was counted, as JSON.
    pub fn stats(&self) -> String {
        let mut stats = self.0.engine.borrow().stats();
        stats.bytes = self.0.bytes.get();
        json::write(&stats)
    }

    /// A handle for callbacks that this driver holds.
    pub fn weak(&self) -> WeakDriver {
        WeakDriver(Rc::downgrade(&self.0))
    }

    /// Gives the stream up, as if the network had.
    pub fn lose_live(&self) {
        let generation = self.0.live.borrow().as_ref().map(|(generation, _)| *generation);
        if let Some(generation) = generation {
            self.close_live(Some(generation));
            self.feed([Input::Live(generation, Live::Closed(Closed::Lost))]);
        }
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.0
    }

    /// Something came of a dsh host.
    pub fn came(&self, came: dsh::Came) {
        dsh::tell(self, came, now());
    }

    /// Counts bytes that came in.
    pub fn count_bytes(&self, bytes: usize) {
        self.0.bytes.set(self.0.bytes.get().saturating_add(bytes as u64));
    }

    pub(super) fn keep_live(&self, generation: Generation, stream: Stream) {
        let before = self.0.live.replace(Some((generation, stream)));
        drop(before);
    }

    /// Closes the stream of this generation, or whichever there is.
    pub(super) fn close_live(&self, generation: Option<Generation>) {
        let found = self.0.live.borrow_mut().take_if(|(open, _)| generation.is_none_or(|wanted| wanted == *open));
        match found {
            Some((generation, Stream::Custom)) => self.0.host.close_live(generation.0),
            Some((generation, Stream::Dsh)) => dsh::with(self, |carrier| carrier.close(generation, now())),
            Some((_, Stream::EventSource(_) | Stream::Fetch(_))) | None => {}
        }
    }

    pub(super) fn keep_request(&self, asked: Asked, request: InFlight) {
        let before = self.0.in_flight.borrow_mut().insert(asked, request);
        drop(before);
    }

    /// Ends the request if it is still under way; false when it is not, and its answer is not wanted any more.
    pub(super) fn finish_request(&self, asked: Asked) -> bool {
        let found = self.0.in_flight.borrow_mut().remove(&asked);
        found.is_some()
    }

    fn next_effect(&self) -> Option<Effect> {
        self.0.effects.borrow_mut().pop_front()
    }

    /// After an input: the next deadline, the changes when they are due, and the connection's state.
    fn settle(&self) {
        let (deadline, urgency, status) = {
            let engine = self.0.engine.borrow();
            (engine.deadline(), engine.urgency(), engine.status().clone())
        };
        self.arm(deadline);
        match urgency {
            Urgency::None => {}
            Urgency::Frame => self.flush_with_frame(),
            Urgency::Now => self.flush(),
        }
        let changed = self.0.told.borrow().as_ref() != Some(&status);
        if changed {
            let (state, code) = words(&status);
            self.0.told.replace(Some(status));
            self.0.host.status(state, code);
        }
    }

    /// A timer that is due before the deadline stays: it ticks, finds nothing due, and arms the next. Otherwise each
    /// piece of the stream, which puts off the watchdog, would make a timer of its own.
    fn arm(&self, deadline: Option<u64>) {
        let armed = self.0.deadline.borrow().as_ref().map(|(at, _)| *at);
        if armed == deadline || armed.is_some_and(|armed| deadline.is_some_and(|deadline| armed <= deadline)) {
            return;
        }
        let due = deadline.map(|at| {
            let weak = self.weak();
            let due = Due::after(at.saturating_sub(now()), move || {
                if let Some(driver) = weak.upgrade() {
                    driver.0.deadline.take();
                    driver.feed([Input::Tick]);
                }
            });
            (at, due)
        });
        let before = self.0.deadline.replace(due);
        drop(before);
    }

    fn flush_with_frame(&self) {
        if self.0.frame.borrow().is_some() {
            return;
        }
        let weak = self.weak();
        let due = Due::next_frame(move || {
            if let Some(driver) = weak.upgrade() {
                driver.flush();
            }
        });
        self.0.frame.replace(Some(due));
    }
}

impl WeakDriver {
    /// The driver, if it is still there.
    pub fn upgrade(&self) -> Option<Driver> {
        self.0.upgrade().map(Driver)
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("source", &self.source).field("phase", &self.phase).finish_non_exhaustive()
    }
}

fn words(status: &Status) -> (&'static str, &'static str) {
    match status {
        Status::Idle => ("idle", ""),
        Status::Connecting => ("connecting", ""),
        Status::Live => ("live", ""),
        Status::CatchingUp => ("catching_up", ""),
        Status::Offline => ("offline", ""),
        Status::Waiting { .. } => ("waiting", ""),
        Status::Unauthorized => ("unauthorized", ""),
        Status::Failed { code } => ("failed", code),
        Status::Closed => ("closed", ""),
    }
}
