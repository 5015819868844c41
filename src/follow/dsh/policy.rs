//! The table of B4, row by row. The first matching row wins.
//!
//! | state | how it is told |
//! |---|---|
//! | Opening, Reopening | the link's phase is not `Open` |
//! | Idle | no lane is fed |
//! | Live | a lane is fed, and nothing is held |
//! | Staged | a lane is fed, and its settlement is held |
//! | Repairing | there is a `repair` |
//! | DurableOnly | [`Link::is_log_only`](crate::follow::link::Link::is_log_only) |
//! | Failed, Closed | the link is stopped |
//!
//! | row | where |
//! |---|---|
//! | a snapshot replaces everything | [`window::snapshot`] |
//! | an event or frame before the snapshot | [`item`] |
//! | Repairing: queue, hold | [`join`], [`frame`] |
//! | Repairing: the page | [`window::answered`] |
//! | a frame that is the last one; a revision that is not next | [`in_order`] |
//! | a seq that was seen, that is next, that lies beyond a gap | [`join`] |
//! | Idle, Live, Staged: an event | [`apply`] |
//! | start | [`start`] |
//! | chunk | [`chunk`] |
//! | end | [`end`] |
//! | the carrier is lost, or given up | [`stream_is_over`], [`let_go`] |
//! | guard: an end that never came | [`proves_missing_end`] |

use super::content::say;
use super::session::{Session, run};
use super::{Body, Chunk, Event, Frame, Item, Outcome, window};
use crate::event::{AttemptId, Coordinate};
use crate::follow::connection::Why;
use crate::follow::follower::Follower;
use crate::follow::lanes::{Feed, Lane};
use crate::follow::link::{Phase, Stop};
use crate::follow::output::LaneChange;
use crate::follow::rows::reach;
use crate::follow::side::Side;
use crate::follow::strict::PREVIEW_FULL;

/// What this policy keeps beside the shared parts.
#[derive(Debug, Clone, Default)]
pub(in crate::follow) struct State {
    pub(super) session: Session,
    /// The last seq that was taken: published, held or queued.
    pub(super) last: Option<u64>,
    /// The turn of the attempt whose lane is fed.
    pub(super) turn: u32,
    /// The settlement of that attempt, and what queued behind it.
    pub(super) held: Vec<Event>,
    last_frame: Option<Frame>,
    pub(super) repair: Option<Repair>,
    /// The last baseline was not as long as it said.
    pub(super) had_bad_baseline: bool,
}

/// The log has a hole, and a page is read that has none.
#[derive(Debug, Clone, Default)]
pub(super) struct Repair {
    /// What came behind the hole.
    pub queue: Vec<Event>,
    /// A frame came, which only a reopened stream can place.
    pub has_frames: bool,
    /// How many pages ended too early.
    pub short: u32,
}

impl State {
    /// The newest row that was taken; None while nothing was.
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    /// The newest row that is seen: what is held, and what queued behind it, is not.
    pub(super) fn published(&self) -> Option<u64> {
        self.held.first().map_or(self.last, |held| held.seq.checked_sub(1))
    }

    /// Begins anew with a window that ends at this seq.
    pub(super) fn begin(&mut self, session: Session, last: Option<u64>) {
        self.session = session;
        self.last = last;
        self.held.clear();
        self.last_frame = None;
        self.repair = None;
    }
}

/// An item of the current generation.
pub(in crate::follow) fn item(f: &mut Follower, item: Item, now: u64) {
    match item {
        Item::Snapshot(snapshot) => window::snapshot(f, *snapshot, now),
        Item::Event(_) | Item::Frame(_) if !matches!(f.link.phase, Phase::Open { .. }) => {
            reach("B4 Opening: an event or frame before the snapshot");
            f.anomaly("first_frame", &["the stream's first item was not a snapshot"]);
            f.stop(Stop::Failed("protocol"));
        }
        Item::Event(event) => self::event(f, event, now),
        Item::Frame(frame) => self::frame(f, frame, now),
    }
}

/// The log goes on, or has a hole.
fn event(f: &mut Follower, event: Event, now: u64) {
    f.stats.commits += 1;
    join(f, event, now);
}

/// Takes an event where it joins on, and begins to repair where it does not.
pub(super) fn join(f: &mut Follower, event: Event, now: u64) {
    if let Some(repair) = &mut f.dsh.repair {
        reach("B4 Repairing: an event queues");
        f.reads.wish(Some(event.seq));
        return repair.queue.push(event);
    }
    let next = f.dsh.last.map_or(0, |last| last.saturating_add(1));
    if event.seq < next {
        reach("B4 an event that was seen");
        f.stats.duplicates += 1;
    } else if event.seq == next {
        apply(f, event, now);
    } else {
        reach("B4 an event beyond a hole");
        f.stats.gaps += 1;
        f.reads.wish(Some(event.seq));
        f.dsh.repair = Some(Repair { queue: vec![event], ..Repair::default() });
    }
}

/// The next event of the log: held where it settles the attempt that streams, queued behind what is held, published
/// otherwise.
fn apply(f: &mut Follower, event: Event, now: u64) {
    f.dsh.last = Some(event.seq);
    let Some(side) = &f.side else { return };
    let (turn, is_staged) = (f.dsh.turn, !f.dsh.held.is_empty());
    let Some(lane) = side.lanes.open_attempt() else {
        reach("B4 Idle: an event is published");
        return publish(f, event);
    };
    let ends = proves_missing_end(&event, lane, turn, is_staged);
    let is_own = is_own(&event, lane);
    reach(match (is_staged, is_own) {
        (false, false) => "B4 Live: an event that is not OWN is published",
        (false, true) => "B4 Live: OWN is held",
        (true, false) => "B4 Staged: an event queues",
        (true, true) => "B4 Staged: a second OWN queues",
    });
    if is_staged || is_own {
        f.dsh.held.push(event);
    } else {
        publish(f, event);
    }
    if ends {
        reach("B4 guard: an end that never came");
        f.stats.gaps += 1;
        f.reopen(Why::Gap, now);
    }
}

/// A frame: in order, and of the attempt that streams.
fn frame(f: &mut Follower, frame: Frame, now: u64) {
    f.stats.frames += 1;
    if f.link.is_log_only() {
        return reach("B4 DurableOnly: a frame is ignored");
    }
    if !in_order(f, &frame, now) {
        return;
    }
    if let Some(repair) = &mut f.dsh.repair {
        reach("B4 Repairing: a frame is held");
        repair.has_frames = true;
    } else {
        match &frame {
            Frame::Start { attemptId, startedAfterSeq, turn, step, .. } => {
                start(f, attemptId, *startedAfterSeq, *turn, *step, now);
            }
            Frame::Chunk { attemptId, index, chunk, .. } => self::chunk(f, attemptId, *index, chunk, now),
            Frame::End { attemptId, index, outcome, .. } => end(f, attemptId, *index, outcome, now),
            Frame::Unknown(_) => {}
        }
    }
    f.dsh.last_frame = Some(frame);
}

/// Only the frame that is next counts; the last one once more is a duplicate, and anything else shows that frames are
/// missing or that another agent sends them.
fn in_order(f: &mut Follower, frame: &Frame, now: u64) -> bool {
    let Phase::Open { revision: last } = f.link.phase else { return false };
    // A frame without a number says that nobody can tell what is missing: the next one will not join on.
    let Some(revision) = frame.revision() else { return false };
    if revision == last && f.dsh.last_frame.as_ref() == Some(frame) {
        reach("B4 the last frame once more");
        f.stats.duplicates += 1;
        return false;
    }
    if Some(revision) != last.checked_add(1) {
        reach("B4 a revision that is not next");
        f.stats.gaps += 1;
        f.reopen(Why::Gap, now);
        return false;
    }
    f.link.phase = Phase::Open { revision };
    true
}

/// A new attempt becomes the lane, unless it is history already.
fn start(f: &mut Follower, attempt: &AttemptId, started_after: Option<u64>, turn: u32, step: u32, now: u64) {
    let Some(side) = &mut f.side else { return };
    if side.lanes.open_attempt().is_some() {
        reach("B4 Live, Staged: a start");
        f.stats.gaps += 1;
        return f.reopen(Why::Gap, now);
    }
    f.link.progressed();
    let response = f.dsh.session.attempts(turn, step);
    let coordinate = Coordinate { run_id: run(turn), step, response };
    if side.is_step_settled(&coordinate.run_id, step, started_after) {
        return reach("B4 Idle: a start of what is history");
    }
    reach("B4 Idle: a start");
    f.dsh.turn = turn;
    open_lane(side, coordinate, attempt, started_after, 0);
}

/// A lane that this attempt feeds from here on.
pub(super) fn open_lane(
    side: &mut Side,
    coordinate: Coordinate,
    attempt: &AttemptId,
    started_after: Option<u64>,
    next: u64,
) {
    // What is left of an earlier attempt of this name had no settlement: it makes room.
    side.drop_lanes(&mut |lane| lane.coordinate.as_ref() == Some(&coordinate));
    let feed = Feed::Attempt { attempt: attempt.clone(), next };
    side.lanes.open(coordinate.run_id.clone(), Some(coordinate), started_after, feed, &mut side.step.lanes);
}

/// The next piece of the attempt; of another attempt it is ignored, for its settlement will come.
fn chunk(f: &mut Follower, attempt: &AttemptId, index: u64, chunk: &Chunk, now: u64) {
    let Some(side) = &mut f.side else { return };
    let Some(lane) = side.lanes.fed_by(attempt) else { return reach(of_no_lane(side)) };
    let Feed::Attempt { next, .. } = &mut lane.feed else { return };
    if index != *next {
        reach("B4 Live, Staged: a chunk that is not next");
        f.stats.gaps += 1;
        return f.reopen(Why::Gap, now);
    }
    reach("B4 Live, Staged: the next chunk");
    *next = next.saturating_add(1);
    f.stats.deltas += 1;
    f.link.progressed();
    if !lane.has_room(&mut side.step.lanes) {
        return f.anomaly("preview_full", &[PREVIEW_FULL]);
    }
    say(lane, chunk, &mut side.step.lanes);
}

/// The attempt is over: what is held takes the place of its lane.
fn end(f: &mut Follower, attempt: &AttemptId, index: u64, outcome: &Outcome, now: u64) {
    let Some(side) = &mut f.side else { return };
    let Some(lane) = side.lanes.fed_by(attempt) else { return reach(of_no_lane(side)) };
    let is_whole = matches!(lane.feed, Feed::Attempt { next, .. } if next == index);
    let id = lane.id;
    let held = f.dsh.held.first();
    let fits = is_whole
        && match outcome {
            Outcome::Abandoned {} => held.is_none(),
            Outcome::Committed { eventType, seq } => match held {
                Some(held) if held.seq == *seq => {
                    held.settlement().is_some_and(|settlement| settlement.event_type() == eventType)
                }
                Some(_) | None => side.has_settlement(*seq),
            },
            Outcome::Unknown(_) => false,
        };
    reach(match (outcome, held, is_whole) {
        (_, _, false) => "B4 Live, Staged: an end whose index is not next",
        (Outcome::Abandoned {}, None, true) => "B4 Live: an end abandons",
        (Outcome::Abandoned {}, Some(_), true) => "B4 Staged: an end abandons what is held",
        (Outcome::Committed { .. }, None, true) if fits => "B4 Live: an end commits what is published",
        (Outcome::Committed { .. }, Some(_), true) if fits => "B4 Staged: an end commits what is held",
        (Outcome::Committed { .. } | Outcome::Unknown(_), ..) => "B4 Live, Staged: an end of what is not held",
    });
    if !fits {
        f.stats.gaps += 1;
        return f.reopen(Why::Gap, now);
    }
    f.link.progressed();
    let own = side.lanes.get(id).map_or(0, |lane| f.dsh.held.iter().filter(|event| is_own(event, lane)).count());
    let_go(f);
    if let Some(side) = &mut f.side
        && side.lanes.get(id).is_some()
    {
        side.step.lanes.push(LaneChange::Reset { lane: id });
        side.drop_lanes(&mut |lane| lane.id == id);
    }
    if own > 1 {
        reach("B4 Staged: an end of two settlements");
        f.anomaly("second_settlement", &["an attempt was settled more than once"]);
        f.reopen(Why::Gap, now);
    }
}

/// The row of a chunk or end that no lane takes.
fn of_no_lane(side: &Side) -> &'static str {
    match side.lanes.open_attempt() {
        Some(_) => "B4 Live, Staged: a chunk or end of another attempt",
        None => "B4 Idle: a chunk or end",
    }
}

/// The stream is lost, closed or given up: nothing stays held, and a hole is filled by the next opening.
pub(in crate::follow) fn stream_is_over(f: &mut Follower) {
    reach(if f.dsh.held.is_empty() {
        "B4 the carrier is lost"
    } else {
        "B4 the carrier is lost: what is held is published"
    });
    let_go(f);
    if f.dsh.repair.take().is_some() {
        f.reads.forget();
    }
}

/// Publishes what is held, and the lane of its attempt goes in the same change (I1, I2).
fn let_go(f: &mut Follower) {
    for event in std::mem::take(&mut f.dsh.held) {
        publish(f, event);
    }
}

/// The event is seen from here on, in log order (I7).
pub(super) fn publish(f: &mut Follower, event: Event) {
    let record = f.dsh.session.take(event);
    let Some(side) = &mut f.side else { return };
    if let Some(record) = record {
        side.publish(record);
    }
    number_lanes(&f.dsh.session, side);
    side.step.covered.append(&mut f.dsh.session.covered());
    if let Some(queue) = f.dsh.session.queue() {
        side.step.queue = Some(queue);
    }
}

/// A baseline may name an attempt whose elders in its step the window does not hold yet: they come next, and what they
/// left has its number (B3, the cut). So has what is left of an attempt; an earlier one that is of that name makes room.
pub(super) fn number_lanes(session: &Session, side: &mut Side) {
    loop {
        let number = |lane: &Lane| {
            let at = lane.coordinate.as_ref()?;
            let response = session.attempts_of(&at.run_id, at.step);
            (response > at.response).then(|| (lane.id, Coordinate { response, ..at.clone() }))
        };
        let Some((id, coordinate)) = side.lanes.iter().find_map(number) else { return };
        side.drop_lanes(&mut |lane| lane.coordinate.as_ref() == Some(&coordinate));
        side.lanes.rename(id, coordinate.response, &mut side.step.lanes);
    }
}

/// OWN: what the attempt of this lane left, and not what an earlier attempt of its step did.
pub(super) fn is_own(event: &Event, lane: &Lane) -> bool {
    Some(event.seq) > lane.started_after
        && event.settlement().is_some_and(|settlement| lane.is_of(&run(settlement.turn), settlement.step))
}

/// A turn, or while nothing is held a step, that ends shows that the attempt ended before and its `end` was lost.
fn proves_missing_end(event: &Event, lane: &Lane, turn: u32, is_staged: bool) -> bool {
    let ended = match &event.body {
        Body::TurnEnd { turn, .. } => *turn,
        Body::StepEnd { turn, .. } if !is_staged => *turn,
        _ => return false,
    };
    ended >= turn && Some(event.seq) > lane.started_after
}
