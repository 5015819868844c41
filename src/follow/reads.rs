//! Committed reads: one at a time, and the wish for more.

use super::input::ReadId;
use super::link::backoff;
use crate::event::Epoch;

/// What is wished for: a seq that the log shall reach, or just a look.
#[derive(Debug, Clone, Default)]
pub(super) struct Reads {
    next_id: u32,
    in_flight: Option<InFlight>,
    target: Option<u64>,
    look: bool,
    failures: u32,
    retry_at: Option<u64>,
}

/// A read that was asked for and is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InFlight {
    pub id: ReadId,
    /// The epoch that it was asked for; None where none is known yet.
    pub epoch: Option<Epoch>,
}

impl Reads {
    /// The log shall reach this seq.
    pub fn wish(&mut self, target: Option<u64>) {
        self.target = self.target.max(target);
    }

    /// Whatever is there shall be read once more, by a read that begins from now on.
    pub fn look(&mut self) {
        self.look = true;
    }

    pub fn is_wanted(&self) -> bool {
        self.look || self.target.is_some()
    }

    /// True when the log is still to reach a seq.
    pub fn is_behind(&self) -> bool {
        self.target.is_some()
    }

    pub fn is_busy(&self) -> bool {
        self.in_flight.is_some() || self.is_wanted()
    }

    /// What is wished for is forgotten: another log begins.
    pub fn forget(&mut self) {
        let next_id = self.next_id;
        *self = Self { next_id, ..Self::default() };
    }

    /// The log has reached `last`: a target up to there is met.
    pub fn reached(&mut self, last: Option<u64>) {
        if self.target <= last {
            self.target = None;
        }
    }

    /// Begins a read when one is wanted, none is under way and no pause is due.
    pub fn begin(&mut self, now: u64, epoch: Option<Epoch>) -> Option<ReadId> {
        let paused = self.retry_at.is_some_and(|at| now < at);
        if self.in_flight.is_some() || !self.is_wanted() || paused {
            return None;
        }
        let id = ReadId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        self.in_flight = Some(InFlight { id, epoch });
        self.look = false;
        self.retry_at = None;
        Some(id)
    }

    /// Takes the read that this answer is for; None when it is late.
    pub fn answered(&mut self, id: ReadId) -> Option<InFlight> {
        if self.in_flight.as_ref().is_some_and(|read| read.id == id) { self.in_flight.take() } else { None }
    }

    pub fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// The read failed or fell short: the next waits, longer each time.
    pub fn failed(&mut self, now: u64, random: u64, retry_after: Option<u64>) {
        self.look = true;
        self.failures = self.failures.saturating_add(1);
        let pause = backoff(self.failures, random).max(retry_after.unwrap_or(0)).max(50);
        self.retry_at = Some(now.saturating_add(pause));
    }

    /// A wake ends the pause.
    pub fn hurry(&mut self) {
        self.retry_at = None;
    }

    /// When a read that waits may begin.
    pub fn deadline(&self) -> Option<u64> {
        if self.in_flight.is_none() && self.is_wanted() { self.retry_at } else { None }
    }
}
