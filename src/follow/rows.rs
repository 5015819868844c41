//! The rows of the policies' tables, counted as they are reached: the simulator fails when it leaves one out. It is
//! compiled with the feature `coverage` alone; otherwise [`reach`] is nothing.

/// Every row of `threadfold/1` (C3) and of best effort (C4).
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
