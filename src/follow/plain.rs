//! The policy for plain envelopes: semantics C4, best effort.
//!
//! | rule | where |
//! |---|---|
//! | Deltas by coordinate, or by run where there is none | [`delta`] |
//! | a new connection starts the preview anew | [`delta`]: the first Delta of a generation resets what it goes on with |
//! | committed reads on open, on close, on any live Fact, and every 3 s while a run works | [`accepted`], [`Follower::lost`], [`event`], [`Follower::poll_interval`] |
//! | a record settles its lane, Awaiting and Ended drop all lanes of the run | [`Side::apply`](super::side::Side::apply) |
//! | a Delta of what is committed or over is ignored, of what does not work a hint | [`delta`] |

use super::follower::Follower;
use super::lanes::Feed;
use super::link::Phase;
use super::rows::reach;
use super::strict::PREVIEW_FULL;
use crate::event::{AgentEvent, Coordinate, Delta, Envelope, RunId};

/// The stream is open.
pub(super) fn accepted(f: &mut Follower) {
    f.link.phase = Phase::Plain;
    if f.current().is_none() {
        f.stage_unknown();
    }
    reach("C4 the log is read on open");
    f.reads.look();
}

/// A live Fact has no authority: it is a hint to look. A Delta is shown.
pub(super) fn event(f: &mut Follower, envelope: Envelope) {
    if f.link.phase == Phase::Opening {
        accepted(f);
    }
    f.stats.frames += 1;
    f.link.progressed();
    match envelope.kind {
        AgentEvent::Fact(_) => {
            reach("C4 a live Fact is a hint");
            f.reads.look();
        }
        AgentEvent::Delta(delta) => self::delta(f, envelope.run_id, envelope.coordinate, delta),
    }
}

fn delta(f: &mut Follower, run_id: RunId, coordinate: Option<Coordinate>, delta: Delta) {
    let (generation, is_read) = (f.link.generation, f.staged.is_none());
    let Some(side) = f.current() else { return };
    // Where the log does not say that the run works, the Delta is late or the log is behind. A read tells, and takes the
    // preview out if it was late.
    let doubtful = is_read && !side.runs.is_working(&run_id);
    if side.lanes.of_plain(&run_id, coordinate.as_ref()).is_none() {
        if side.runs.is_over(&run_id) || coordinate.as_ref().is_some_and(|response| side.runs.has_response(response)) {
            f.stats.duplicates += 1;
            return reach("C4 a Delta of what is committed or over is ignored");
        }
        reach(match &coordinate {
            Some(_) => "C4 a Delta opens a lane by coordinate",
            None => "C4 a Delta opens a lane by run",
        });
        let (started_after, feed) = (side.log.last(), Feed::Stream { generation });
        side.lanes.open(run_id.clone(), coordinate.clone(), started_after, feed, &mut side.step.lanes);
    }
    let Some(lane) = side.lanes.of_plain(&run_id, coordinate.as_ref()) else { return };
    if lane.feed == (Feed::Ended { until: None }) {
        return;
    }
    if lane.feed != (Feed::Stream { generation }) {
        reach("C4 a new connection starts the preview anew");
        lane.reset(&mut side.step.lanes);
        lane.feed = Feed::Stream { generation };
    }
    lane.confirm(true, &mut side.step.lanes);
    let grew = lane.grow(delta, &mut side.step.lanes);
    f.stats.deltas += 1;
    if !grew {
        f.anomaly("preview_full", &[PREVIEW_FULL]);
    }
    if doubtful {
        reach("C4 a Delta of what does not work is a hint");
        f.reads.look();
    }
}
