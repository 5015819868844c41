//! The rows of the policies' tables, counted as they are reached: the simulator fails when it leaves one out. It is
//! compiled with the feature `coverage` alone; otherwise [`reach`] is nothing.

/// Every row of `threadfold/1` (C3), of best effort (C4) and of dsh (B4).
#[cfg(feature = "coverage")]
pub const ROWS: &[&str] = &[
    "C3.1 another epoch is staged",
    "C3.1 a further opening of the staged epoch goes on",
    "C3.1 the staged side is swapped in",
    "C3.1 a page of another epoch, or a 409",
    "C3.2 the frontier is an older cut",
    "C3.2 the frontier is above: read",
    "C3.2 the active attempt becomes the lane",
    "C3.2 what is shown is a beginning: only the rest is new",
    "C3.2 what is shown is no beginning: reset",
    "C3.2 the active attempt is history",
    "C3.2 no attempt: the lane goes with the frontier",
    "C3.3 the same revision",
    "C3.3 a hole in the revisions",
    "C3.3 a start while an attempt is open",
    "C3.3 a start of what is history",
    "C3.3 a start takes the lane of its coordinate",
    "C3.3 the next fragment",
    "C3.3 a fragment of no lane",
    "C3.4 rows join on",
    "C3.4 known rows are skipped",
    "C3.4 a commit beyond a hole is read",
    "C3.5 a record settles its lane",
    "C3.5 Awaiting or Ended drops the lane",
    "C3.6 an end whose record is applied",
    "C3.6 an end that awaits its record",
    "C3.6 an attempt is abandoned",
    "C3.7 a ping: revision ahead",
    "C3.7 a ping: frontier ahead",
    "C3.7 a ping: another epoch",
    "C3.8 the stream is lost",
    "C3.8 after a bye",
    "C3.8 the first frame is not opened",
    "C3.8 a stale read",
    "C3.8 a read is refused or lost",
    "C3.8 a read without an answer",
    "C3.8 silence",
    "C3.8 refused for good",
    "C3.9 only the log is followed",
    "C3.9 the log is read while only it is followed",
    "C3.9 the quiet minute is over",
    "C4 a Delta opens a lane by coordinate",
    "C4 a Delta opens a lane by run",
    "C4 a new connection starts the preview anew",
    "C4 the log is read on open",
    "C4 a live Fact is a hint",
    "C4 the log is read while a run works",
    "C4 a Delta of what is committed or over is ignored",
    "C4 a Delta of what does not work is a hint",
    "C4 a late lane is taken out",
    "C4 a page of another epoch",
    "B4 Opening: an event or frame before the snapshot",
    "B4 Repairing: an event queues",
    "B4 an event that was seen",
    "B4 an event beyond a hole",
    "B4 Idle: an event is published",
    "B4 Live: an event that is not OWN is published",
    "B4 Live: OWN is held",
    "B4 Staged: an event queues",
    "B4 Staged: a second OWN queues",
    "B4 guard: an end that never came",
    "B4 DurableOnly: a frame is ignored",
    "B4 Repairing: a frame is held",
    "B4 the last frame once more",
    "B4 a revision that is not next",
    "B4 Live, Staged: a start",
    "B4 Idle: a start of what is history",
    "B4 Idle: a start",
    "B4 Live, Staged: a chunk that is not next",
    "B4 Live, Staged: the next chunk",
    "B4 Live, Staged: an end whose index is not next",
    "B4 Live: an end abandons",
    "B4 Staged: an end abandons what is held",
    "B4 Live: an end commits what is published",
    "B4 Staged: an end commits what is held",
    "B4 Live, Staged: an end of what is not held",
    "B4 Staged: an end of two settlements",
    "B4 Live, Staged: a chunk or end of another attempt",
    "B4 Idle: a chunk or end",
    "B4 silence is asked for a sign of life",
    "B4 the carrier is lost",
    "B4 the carrier is lost: what is held is published",
    "B4 guard: a baseline that is not as long as it says",
    "B4 guard: a log that regressed",
    "B4 a snapshot without an attempt",
    "B4 guard: a log that was rewritten",
    "B4 Repairing: the page fails",
    "B4 Repairing: the page is short",
    "B4 Repairing: the page is there",
    "B4 Repairing: the page is there, and the stream is opened once",
    "B4 a snapshot that holds what its attempt left",
    "B4 a snapshot whose attempt becomes the lane",
];

#[cfg(feature = "coverage")]
thread_local! {
    static REACHED: std::cell::RefCell<std::collections::BTreeMap<&'static str, u64>> = const {
        std::cell::RefCell::new(std::collections::BTreeMap::new())
    };
}

/// This row was reached.
#[cfg(feature = "coverage")]
pub(super) fn reach(name: &'static str) {
    REACHED.with_borrow_mut(|reached| *reached.entry(name).or_default() += 1);
}

/// This row was reached; nobody counts.
#[cfg(not(feature = "coverage"))]
#[inline(always)]
pub(super) fn reach(_name: &'static str) {}

/// How often each row was reached on this thread; the count begins anew.
#[cfg(feature = "coverage")]
pub fn take_reached() -> std::collections::BTreeMap<&'static str, u64> {
    REACHED.with_borrow_mut(std::mem::take)
}
