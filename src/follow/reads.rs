//! Committed reads: one at a time, and the wish for more.

use super::input::ReadId;
use super::link::backoff;
use crate::event::Epoch;

/// How long an answer may take, in ms.
const ANSWERING: u64 = 30_000;
/// No read that failed is repeated sooner, in ms.
const SHORTEST_PAUSE: u64 = 50;

/// What is wished for: a seq that the log shall reach, or just a look.
#[derive(Debug, Clone, Default)]
pub(super) struct Reads {
    next_id: u32,
    in_flight: Option<InFlight>,
    target: Option<u64>,
    look: bool,
    failures: u32,
    /// 401s and 403s in a row.
    refusals: u32,
    retry_at: Option<u64>,
    /// The pause is one that the host asked for.
    was_told: bool,
}

/// A read that was asked for and is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InFlight {
    pub id: ReadId,
    /// The epoch that it was asked for; None where none is known yet.
    pub epoch: Option<Epoch>,
    /// The rows after this seq were asked for.
    pub after: Option<u64>,
    /// What was wished for when it began: an answer that ends before it is stale. A later wish is another read's.
    pub target: Option<u64>,
    until: u64,
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

    /// The seq that the log shall reach.
    pub fn target(&self) -> Option<u64> {
        self.target
    }

    /// True when something came since the last read began that another shall look at.
    pub fn looks_again(&self) -> bool {
        self.look
    }

    /// True while something is wished for.
    pub fn are_wanted(&self) -> bool {
        self.look || self.target.is_some()
    }

    /// True when the log is known to be behind, or nobody can say because the read that would tell has failed.
    pub fn is_behind(&self) -> bool {
        self.target.is_some() || self.failures > 0 && (self.look || self.in_flight.is_some())
    }

    /// What is wished for is forgotten, and an answer that is under way counts as late: another log begins.
    pub fn forget(&mut self) {
        self.in_flight = None;
        self.target = None;
        self.look = false;
    }

    /// The log has reached `last`: a target up to there is met.
    pub fn reached(&mut self, last: Option<u64>) {
        if self.target <= last {
            self.target = None;
        }
    }

    /// Begins a read when one is wanted, none is under way and no pause is due.
    pub fn begin(&mut self, now: u64, after: Option<u64>, epoch: Option<Epoch>) -> Option<ReadId> {
        let paused = self.retry_at.is_some_and(|at| now < at);
        if self.in_flight.is_some() || !self.are_wanted() || paused {
            return None;
        }
        let id = ReadId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        let until = now.saturating_add(ANSWERING);
        self.in_flight = Some(InFlight { id, epoch, after, target: self.target, until });
        self.look = false;
        self.retry_at = None;
        Some(id)
    }

    /// Takes the read that this answer is for; None when it is late.
    pub fn answered(&mut self, id: ReadId) -> Option<InFlight> {
        self.in_flight.take_if(|read| read.id == id)
    }

    /// Takes the read that has had no answer for too long.
    pub fn overdue(&mut self, now: u64) -> Option<InFlight> {
        self.in_flight.take_if(|read| read.until <= now)
    }

    pub fn succeeded(&mut self) {
        self.failures = 0;
        self.refusals = 0;
    }

    /// The read failed: it is repeated, after a pause that is longer each time.
    pub fn failed(&mut self, now: u64, random: u64, retry_after: Option<u64>) {
        self.look = true;
        self.fell_short(now, random, retry_after);
    }

    /// The read did not reach what was announced: the next waits, longer each time, unless the live stream brings the
    /// rest before.
    pub fn fell_short(&mut self, now: u64, random: u64, retry_after: Option<u64>) {
        self.failures = self.failures.saturating_add(1);
        let pause = backoff(self.failures, random).max(retry_after.unwrap_or(0)).max(SHORTEST_PAUSE);
        self.retry_at = Some(now.saturating_add(pause));
        self.was_told = retry_after.is_some();
    }

    /// The host accepted a stream, so it may be there again: a read that waits of its own accord waits no longer. Should
    /// it fail all the same, its pauses go on growing.
    pub fn host_is_there(&mut self) {
        if !self.was_told {
            self.retry_at = None;
        }
    }

    /// The host refused for want of authority: how often in a row.
    pub fn refused(&mut self) -> u32 {
        self.refusals = self.refusals.saturating_add(1);
        self.refusals
    }

    /// A wake ends the pause.
    pub fn hurry(&mut self) {
        self.retry_at = None;
        self.refusals = 0;
    }

    /// All but ids and absolute times.
    #[cfg(all(test, not(target_arch = "wasm32")))]
    pub fn summary(&self, now: u64) -> impl std::fmt::Debug {
        let in_flight = self.in_flight.as_ref().map(|read| (read.epoch.clone(), read.after, read.target));
        let pause = self.retry_at.map(|at| at.saturating_sub(now));
        (in_flight, self.target, self.look, self.failures, pause, self.was_told)
    }

    /// When a read counts as lost, or one that waits may begin.
    pub fn deadline(&self, may_begin: bool) -> Option<u64> {
        match &self.in_flight {
            Some(read) => Some(read.until),
            None if self.are_wanted() && may_begin => self.retry_at,
            None => None,
        }
    }
}
