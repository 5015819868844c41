//! The policy of `threadfold/1`: semantics C3, rule by rule.
//!
//! | rule | where |
//! |---|---|
//! | C3.1 another epoch is staged | [`opened`], [`Follower::stage`], [`Follower::swap`] |
//! | C3.2 the same epoch goes on | [`opened`], [`go_on`] |
//! | C3.3 revision, start, index | [`in_order`], [`start`], [`delta`] |
//! | C3.4 commits join on or are read | [`committed`] |
//! | C3.5 a record settles its lane | [`Side::apply`](super::side::Side::apply) |
//! | C3.6 ends | [`end`] |
//! | C3.7 pings | [`ping`] |
//! | C3.8 losses | [`Follower::lost`] |
//! | C3.9 bounds | [`Follower::reopen`], [`Link`](super::link::Link), [`Reads`](super::reads::Reads) |

use super::connection::Why;
use super::follower::Follower;
use super::frame::{Active, Committed, DeltaFrame, End, Frame, Opened, Outcome, Ping, Start};
use super::lanes::{Feed, Lane};
use super::link::{Phase, Stop};
use super::options::Protocol;
use super::rows::reach;
use super::side::Side;
use crate::text::decimal;

/// What is said of a preview that takes no more.
pub(super) const PREVIEW_FULL: &str =
    "an answer is too long for a preview; the rest of it is seen when it is committed";

/// A frame of the current generation.
pub(super) fn frame(f: &mut Follower, frame: Frame, now: u64) {
    f.stats.frames += 1;
    match frame {
        Frame::Opened(opened) => self::opened(f, &opened),
        Frame::Bye(_) => f.link.bye = true,
        _ if !matches!(f.link.phase, Phase::Open { .. }) => {
            reach("C3.8 the first frame is not opened");
            f.anomaly("first_frame", &["the stream's first frame was not `opened`"]);
            f.reopen(Why::Fault, now);
        }
        Frame::Committed(committed) => self::committed(f, committed),
        Frame::Ping(ping) => self::ping(f, &ping, now),
        Frame::Start(_) | Frame::Delta(_) | Frame::End(_) if f.link.is_log_only() => {}
        Frame::Start(start) => self::start(f, start, now),
        Frame::Delta(delta) => self::delta(f, delta, now),
        Frame::End(end) => self::end(f, end, now),
    }
}

/// Rules 1 and 2 (a frontier below our last is only an older cut, and wishes for nothing): which log the stream is of, and what streams.
fn opened(f: &mut Follower, opened: &Opened) {
    if opened.contract != crate::follow::frame::CONTRACT {
        f.anomaly("foreign_contract", &["the host speaks \"", &opened.contract, "\", not threadfold/1"]);
        return f.stop(Stop::Failed("foreign_contract"));
    }
    f.opened(&opened.epoch, opened.revision);
    if f.side.as_ref().is_some_and(|side| *side.log.epoch() == opened.epoch) {
        f.unstage();
    } else if f.staged.as_ref().is_none_or(|staged| *staged.side.log.epoch() != opened.epoch) {
        reach("C3.1 another epoch is staged");
        f.stage(opened.epoch.clone());
    } else {
        reach("C3.1 a further opening of the staged epoch goes on");
    }
    if let Some(staged) = &mut f.staged {
        staged.until = opened.frontier;
    }
    let log_only = f.link.is_log_only();
    if let Some(side) = f.current() {
        go_on(side, opened.active.as_ref(), opened.frontier, log_only);
    }
    if let Some(last) = f.current().map(|side| side.log.last()) {
        reach(if opened.frontier > last {
            "C3.2 the frontier is above: read"
        } else {
            "C3.2 the frontier is an older cut"
        });
    }
    f.reads.host_is_there();
    f.reads.wish(opened.frontier);
}

/// Rule 2: the active attempt becomes the lane unless it is history; every other lane goes once the log has reached the
/// opening's frontier. While only the log is followed the active attempt feeds no lane; what is shown of it stays, for it
/// is neither over nor committed.
fn go_on(side: &mut Side, active: Option<&Active>, frontier: Option<u64>, log_only: bool) {
    let active = match active {
        Some(active) if side.is_settled(&active.run_id, Some(&active.coordinate()), active.started_after) => {
            reach("C3.2 the active attempt is history");
            None
        }
        active => active,
    };
    let streams = active.map(Active::coordinate);
    let is_active = |lane: &Lane| streams.is_some() && lane.coordinate == streams;
    for lane in side.lanes.iter_mut().filter(|lane| !matches!(lane.feed, Feed::Ended { until: Some(_) })) {
        if !is_active(lane) {
            reach("C3.2 no attempt: the lane goes with the frontier");
            lane.confirm(false, &mut side.step.lanes);
            lane.feed = Feed::Ended { until: frontier };
        } else if log_only {
            lane.confirm(false, &mut side.step.lanes);
            lane.feed = Feed::Ended { until: None };
        }
    }
    if frontier.is_none() {
        side.drop_lanes(&mut |lane| lane.feed == Feed::Ended { until: None } && !is_active(lane));
    }
    side.expire();
    if let Some(active) = active.filter(|_| !log_only) {
        reach("C3.2 the active attempt becomes the lane");
        side.lanes.adopt(active, &mut side.step.lanes);
    }
}

/// Rule 3: true when this frame is the next one. A frame seen before is ignored, a hole reopens.
fn in_order(f: &mut Follower, revision: u64, now: u64) -> bool {
    let Phase::Open { revision: last } = f.link.phase else { return false };
    if revision == last {
        reach("C3.3 the same revision");
        f.stats.duplicates += 1;
        return false;
    }
    if Some(revision) != last.checked_add(1) {
        reach("C3.3 a hole in the revisions");
        f.stats.gaps += 1;
        f.reopen(Why::Gap, now);
        return false;
    }
    f.link.phase = Phase::Open { revision };
    true
}

/// Rules 2 and 3: a new attempt. It names the frontier of its place in the stream, so it also shows commits that were
/// lost (rule 4).
fn start(f: &mut Follower, start: Start, now: u64) {
    if !in_order(f, start.revision, now) {
        return;
    }
    let Some(side) = f.current() else { return };
    if side.lanes.open_attempt().is_some() {
        reach("C3.3 a start while an attempt is open");
        f.stats.gaps += 1;
        return f.reopen(Why::Gap, now);
    }
    f.reads.wish(start.started_after);
    let Some(side) = f.current() else { return };
    let coordinate = start.coordinate();
    if side.is_settled(&start.run_id, Some(&coordinate), start.started_after) {
        reach("C3.3 a start of what is history");
    } else {
        let feed = Feed::Attempt { attempt: start.attempt, next: 0 };
        match side.lanes.at(&coordinate) {
            Some(lane) => {
                reach("C3.3 a start takes the lane of its coordinate");
                lane.reset(&mut side.step.lanes);
                lane.confirm(true, &mut side.step.lanes);
                lane.feed = feed;
                lane.started_after = start.started_after;
            }
            None => {
                side.lanes.open(start.run_id, Some(coordinate), start.started_after, feed, &mut side.step.lanes);
            }
        }
    }
    f.link.progressed();
}

/// Rule 3: the next fragment of the lane's attempt.
fn delta(f: &mut Follower, frame: DeltaFrame, now: u64) {
    if !in_order(f, frame.revision, now) {
        return;
    }
    let Some(side) = f.current() else { return };
    let Some(lane) = side.lanes.fed_by(&frame.attempt) else { return reach("C3.3 a fragment of no lane") };
    let Feed::Attempt { next, .. } = &mut lane.feed else { return };
    if frame.index < *next {
        f.stats.duplicates += 1;
    } else if frame.index > *next {
        f.stats.gaps += 1;
        f.reopen(Why::Gap, now);
    } else {
        reach("C3.3 the next fragment");
        *next = next.saturating_add(1);
        let grew = lane.grow(frame.delta, &mut side.step.lanes);
        f.stats.deltas += 1;
        f.link.progressed();
        if !grew {
            f.anomaly("preview_full", &[PREVIEW_FULL]);
        }
    }
}

/// Rule 4: the log grew. Rows that join on are applied at once, otherwise they are read.
fn committed(f: &mut Follower, committed: Committed) {
    f.stats.commits += 1;
    let log_only = f.link.is_log_only();
    let Some(side) = f.current() else { return };
    if !log_only {
        let joined = side.apply(committed.records.unwrap_or_default());
        if joined.known > 0 {
            reach("C3.4 known rows are skipped");
        }
        if !joined.applied.is_empty() {
            reach("C3.4 rows join on");
            f.link.progressed();
        }
    }
    if f.current().is_some_and(|side| !side.log.covers(committed.frontier)) {
        reach("C3.4 a commit beyond a hole is read");
        f.reads.wish(committed.frontier);
    }
}

/// Rule 6: the attempt is over.
fn end(f: &mut Follower, end: End, now: u64) {
    if !in_order(f, end.revision, now) {
        return;
    }
    f.link.progressed();
    if let Outcome::Committed { seq } = end.outcome {
        f.reads.wish(Some(seq));
    }
    let Some(side) = f.current() else { return };
    let Some(lane) = side.lanes.fed_by(&end.attempt) else { return reach("C3.6 an end whose record is applied") };
    let whole = matches!(lane.feed, Feed::Attempt { next, .. } if next == end.index);
    match end.outcome {
        Outcome::Abandoned {} => {
            reach("C3.6 an attempt is abandoned");
            lane.reset(&mut side.step.lanes);
            side.drop_lanes(&mut |lane| matches!(&lane.feed, Feed::Attempt { attempt, .. } if *attempt == end.attempt));
        }
        Outcome::Committed { seq } => {
            reach("C3.6 an end that awaits its record");
            lane.feed = Feed::Ended { until: Some(seq) };
            side.expire();
        }
    }
    if !whole {
        f.anomaly("end_index", &["an attempt ended at index ", &decimal(end.index), ", which is not the next one"]);
    }
}

/// Rule 7: how far the host is.
fn ping(f: &mut Follower, ping: &Ping, now: u64) {
    f.link.pinged(now);
    if f.link.is_log_only() {
        return f.reads.look();
    }
    let Some(side) = f.current() else { return };
    if *side.log.epoch() != ping.epoch {
        reach("C3.7 a ping: another epoch");
        return f.reopen(Why::Gap, now);
    }
    if !side.log.covers(ping.frontier) {
        reach("C3.7 a ping: frontier ahead");
    }
    let Phase::Open { revision } = f.link.phase else { return };
    if ping.revision > revision {
        reach("C3.7 a ping: revision ahead");
        f.stats.gaps += 1;
        return f.reopen(Why::Gap, now);
    }
    f.link.progressed();
    f.reads.wish(ping.frontier);
}

/// A frame that can't be read is as good as lost, and the next one tells (rule 3). A commit has no revision, so it is
/// read at once; so is the log of a plain stream, for which it may have been a hint. As the first frame it is a fault.
pub(super) fn malformed(f: &mut Follower, name: &str, now: u64) {
    f.stats.malformed += 1;
    let is_first = f.protocol == Protocol::Strict && f.link.phase == Phase::Opening;
    // Where a dsh log or lane is torn, another opening tells all. A text that is no envelope may have been of either.
    let is_torn = f.protocol == Protocol::Dsh;
    if is_first || is_torn {
        f.reopen(Why::Fault, now);
    } else if name == "committed" || f.protocol == Protocol::Plain {
        f.reads.look();
    }
}
