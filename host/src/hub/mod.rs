//! The live side of a thread: one FIFO to all who follow it (C2).
//!
//! Everything that is announced goes through one lock: so frontier and revision in any frame are as of its place, and
//! `opened` shows frontier and active attempt of one moment. Nothing here waits: a follower whose queue is full is let
//! go, and told to come back.

mod attempt;
mod joined;

pub use attempt::Sent;
pub use joined::Joined;

use attempt::Active;
use bytes::Bytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use threadfold::event::{AttemptId, Coordinate, Delta, Epoch};
use threadfold::source::threadfold::{Bye, CONTRACT, Committed, DeltaFrame, End, Frame, Opened, Outcome, Ping, Start};
use threadfold::thread::{Record, RunState};
use tokio::sync::mpsc;

use crate::store::Head;

/// A frame as it goes out to everybody, encoded once.
#[derive(Debug)]
pub struct Encoded {
    /// The event's name.
    pub name: &'static str,
    /// The whole event of the stream: name, data, blank line.
    pub bytes: Bytes,
    /// True for the `committed` that ends a run or lets it wait.
    pub is_terminal: bool,
}

impl Encoded {
    /// Encodes a frame.
    pub fn new(frame: &Frame) -> Self {
        let (name, data) = frame.write();
        let is_terminal = matches!(frame, Frame::Committed(Committed { records: Some(records), .. })
            if records.iter().any(ends_a_run));
        Self { name, bytes: Bytes::from(format!("event: {name}\ndata: {data}\n\n")), is_terminal }
    }
}

fn ends_a_run(record: &Record) -> bool {
    matches!(record, Record::Run(row) if matches!(row.state, RunState::Ended(_) | RunState::Awaiting))
}

/// One thread's hub.
pub struct Hub {
    state: Mutex<State>,
    queue: usize,
}

struct State {
    epoch: Epoch,
    frontier: Option<u64>,
    /// The number of the last start, delta or end; it begins anew with the process.
    revision: u64,
    active: Option<Active>,
    followers: Vec<mpsc::Sender<Arc<Encoded>>>,
}

/// A follower's place: the first frame, and the queue of what comes after it.
pub struct Follower {
    /// `opened`, as of the moment from which on the queue holds everything.
    pub opened: Encoded,
    /// What follows. It ends when the hub let the follower go: after a `bye`, or without one because it lags.
    pub frames: mpsc::Receiver<Arc<Encoded>>,
}

impl Hub {
    /// A hub of a thread whose log stands at `head`; each follower may lag by `queue` frames.
    pub fn new(head: Head, queue: usize) -> Self {
        let state =
            State { epoch: head.epoch, frontier: head.frontier, revision: 0, active: None, followers: Vec::new() };
        Self { state: Mutex::new(state), queue }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the stream.
    pub fn follow(&self) -> Follower {
        let (sender, frames) = mpsc::channel(self.queue);
        let mut state = self.lock();
        state.followers.push(sender);
        let opened = Encoded::new(&Frame::Opened(Opened {
            contract: CONTRACT.to_owned(),
            epoch: state.epoch.clone(),
            frontier: state.frontier,
            revision: state.revision,
            active: state.active.as_ref().map(Active::live),
        }));
        Follower { opened, frames }
    }

    /// How many follow.
    pub fn followers(&self) -> usize {
        let mut state = self.lock();
        state.followers.retain(|follower| !follower.is_closed());
        state.followers.len()
    }

    /// The log's epoch and the last announced seq.
    pub fn head(&self) -> Head {
        let state = self.lock();
        Head { epoch: state.epoch.clone(), frontier: state.frontier }
    }

    /// Announces durable rows. If the active attempt's record is among them, its end follows in the same breath, so
    /// that no `opened` can fall between.
    pub fn announce(&self, records: &[Record]) {
        let Some(last) = records.last().map(Record::seq) else { return };
        let mut state = self.lock();
        state.frontier = Some(last);
        state.publish(&Frame::Committed(Committed { frontier: Some(last), records: Some(records.to_vec()) }));
        let settled = state.active.as_ref().and_then(|active| active.settled_by(records));
        if let Some(seq) = settled {
            state.end(Outcome::Committed { seq });
        }
    }

    /// Begins an attempt. One that is still active is abandoned first.
    pub fn start(&self, attempt: AttemptId, coordinate: Coordinate) {
        let mut state = self.lock();
        state.end(Outcome::Abandoned {});
        state.revision += 1;
        let active = Active::new(attempt, state.frontier, coordinate);
        let frame = Frame::Start(Start {
            attempt: active.attempt.clone(),
            revision: state.revision,
            started_after: active.started_after,
            run_id: active.coordinate.run_id.clone(),
            step: active.coordinate.step,
            response: active.coordinate.response,
        });
        state.active = Some(active);
        state.publish(&frame);
    }

    /// Sends a Delta of the active attempt.
    pub fn delta(&self, delta: Delta) {
        let mut state = self.lock();
        let revision = state.revision + 1;
        let Some(active) = &mut state.active else { return };
        let frame = Frame::Delta(DeltaFrame {
            attempt: active.attempt.clone(),
            revision,
            index: active.next,
            delta: delta.clone(),
        });
        active.push(delta);
        state.revision = revision;
        state.publish(&frame);
    }

    /// Ends the active attempt with nothing committed.
    pub fn abandon(&self) {
        self.lock().end(Outcome::Abandoned {});
    }

    /// What the active attempt has sent; None when none is active.
    pub fn sent(&self) -> Option<Sent> {
        self.lock().active.as_ref().map(Active::sent)
    }

    /// A sign of life in everybody's FIFO.
    pub fn ping(&self) {
        let mut state = self.lock();
        let frame =
            Frame::Ping(Ping { epoch: state.epoch.clone(), frontier: state.frontier, revision: state.revision });
        state.publish(&frame);
    }

    /// Closes every stream on purpose.
    pub fn bye(&self, reason: &str) {
        let mut state = self.lock();
        state.publish(&Frame::Bye(Bye { reason: reason.to_owned() }));
        state.followers.clear();
    }

    /// The log was replaced: every stream ends, and the next `opened` names the new epoch.
    pub fn replace(&self, head: Head) {
        let mut state = self.lock();
        state.publish(&Frame::Bye(Bye { reason: "epoch".to_owned() }));
        state.followers.clear();
        state.epoch = head.epoch;
        state.frontier = head.frontier;
        if let Some(active) = &mut state.active {
            active.started_after = active.started_after.min(head.frontier);
        }
    }
}

impl State {
    /// To everybody who can keep up. A full queue means that its owner reads too slowly: it is let go, and learns it
    /// after what its queue still holds.
    fn publish(&mut self, frame: &Frame) {
        if self.followers.is_empty() {
            return;
        }
        let encoded = Arc::new(Encoded::new(frame));
        self.followers.retain(|follower| follower.try_send(Arc::clone(&encoded)).is_ok());
    }

    fn end(&mut self, outcome: Outcome) {
        let Some(active) = self.active.take() else { return };
        self.revision += 1;
        let frame = Frame::End(End { attempt: active.attempt, revision: self.revision, index: active.next, outcome });
        self.publish(&frame);
    }
}

#[cfg(test)]
mod tests;
