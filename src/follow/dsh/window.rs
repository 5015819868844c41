//! A window of the log takes the place of the one that is shown, in one change: at an opening, and where the log had a
//! hole. Nothing is merged by seq, for what was announced need not have reached the host's disk (B3).

use super::content::content_of;
use super::policy::{join, number_lanes, open_lane};
use super::session::{Session, run};
use super::{Active, Event, Queued, Snapshot, Window};
use crate::event::{Coordinate, Epoch};
use crate::follow::connection::Why;
use crate::follow::follower::Follower;
use crate::follow::input::ReadError;
use crate::follow::lanes::{Feed, Lanes};
use crate::follow::link::{Phase, Stop};
use crate::follow::pages;
use crate::follow::reads::InFlight;
use crate::follow::rows::reach;
use crate::follow::side::Side;
use crate::json::Notes;
use crate::text::decimal;
use crate::thread::Record;

/// The versions of the log that are read.
const VERSIONS: std::ops::RangeInclusive<u64> = 2..=4;

/// An opening: the window is replaced whole, and the attempt that streams is the lane.
pub(super) fn snapshot(f: &mut Follower, snapshot: Snapshot, now: u64) {
    let Snapshot { session, version, cursor, events, inbox, baseline, .. } = snapshot;
    if f.thread_id.as_ref().is_some_and(|thread| thread.as_str() != session) {
        f.anomaly("wrong_session", &["the snapshot is of the session \"", &session, "\""]);
        return f.stop(Stop::Failed("wrong_session"));
    }
    if !VERSIONS.contains(&version) {
        f.anomaly("log_version", &["the log is of version ", &decimal(version), ", which is not known here"]);
        return f.stop(Stop::Failed("log_version"));
    }
    if !is_dense(&events) || events.last().map(|event| event.seq) != cursor {
        f.anomaly("bad_snapshot", &["a snapshot's events do not reach its cursor without a hole"]);
        return f.reopen(Why::Fault, now);
    }
    let (revision, active) = match baseline {
        Some(baseline) => (baseline.revision, baseline.active),
        None => {
            f.anomaly("missing_baseline", &["the host sends no live text, though it was asked to"]);
            f.link.only_log(now);
            (0, None)
        }
    };
    let is_short = active.as_ref().is_some_and(|active| active.chunks.len() as u64 != active.next);
    if is_short {
        reach("B4 guard: a baseline that is not as long as it says");
        f.anomaly("bad_baseline", &["what an attempt had said is not as long as the host says"]);
        if !std::mem::replace(&mut f.dsh.had_bad_baseline, true) {
            return f.reopen(Why::Gap, now);
        }
    } else {
        f.dsh.had_bad_baseline = false;
    }
    if f.dsh.last > cursor {
        reach("B4 guard: a log that regressed");
        f.anomaly("log_regressed", &["the host's log ends before what it had announced"]);
    }
    let is_news = f.side.is_none() || f.dsh.last != cursor || f.seen.as_ref().map(|seen| seen.1) != Some(revision);
    f.seen = Some((Epoch::from(""), revision));
    if is_news {
        f.link.worked();
    }
    f.link.phase = Phase::Open { revision };
    f.reads.forget();
    let mut session = Session::beginning_with(&events);
    if let Some(inbox) = &inbox {
        session.expect_inbox(&events, inbox);
    }
    let mut side = begin(f, session, events, inbox);
    if let Some(active) = active.filter(|_| !is_short) {
        adopt(f, &mut side, &active);
    } else {
        reach("B4 a snapshot without an attempt");
    }
    if f.side.as_ref().is_some_and(|before| is_rewritten(before, &side)) {
        reach("B4 guard: a log that was rewritten");
        f.anomaly("log_rewritten", &["the host's log holds other events than it had announced"]);
    }
    f.show(side);
}

/// The answer to a read: where it reaches what came behind the hole, the window is replaced. What it says of attempts is
/// nothing, so an attempt that streams needs the stream reopened, once.
pub(in crate::follow) fn answered(
    f: &mut Follower,
    read: &InFlight,
    result: Result<(Window, Notes), ReadError>,
    now: u64,
    random: u64,
) {
    let window = match result {
        Ok((window, notes)) => {
            f.note(&notes);
            window
        }
        Err(error) => {
            reach("B4 Repairing: the page fails");
            return pages::failed(f, read, error, now, random);
        }
    };
    let Some(repair) = &mut f.dsh.repair else {
        // There is no hole any more that it could mend: what was wished for comes with the stream's next snapshot.
        return f.reads.forget();
    };
    let last = window.events.last().map(|event| event.seq);
    // What is wished for while a hole is there lies beyond it, and so beyond all that was taken.
    if !is_dense(&window.events) || last < read.target {
        reach("B4 Repairing: the page is short");
        repair.short = repair.short.saturating_add(1);
        if repair.short == 1 {
            f.reads.look();
        } else {
            f.anomaly("short_read", &["a page does not reach what was announced"]);
            f.reads.fell_short(now, random, None);
        }
        return;
    }
    let Some(repair) = f.dsh.repair.take() else { return };
    let other = |event: &Event| window.events.iter().any(|row| row.seq == event.seq && row != event);
    if repair.queue.iter().any(other) {
        // Another process answered, and its log is another: what comes on this stream does not go with it.
        reach("B4 guard: a log that was rewritten");
        f.reads.succeeded();
        f.reads.forget();
        f.anomaly("log_rewritten", &["the host's log holds other events than it had announced"]);
        return f.reopen(Why::Gap, now);
    }
    let mut session = Session::beginning_with(&window.events);
    session.inherit_inbox(&f.dsh.session, f.dsh.published());
    let mut side = begin(f, session, window.events, None);
    let had_attempt = keep_lanes(f, &mut side);
    reach("B4 Repairing: the page is there");
    f.reads.succeeded();
    f.reads.reached(last);
    f.show(side);
    // Behind what the page holds there may be another hole.
    for event in repair.queue.into_iter().filter(|event| Some(event.seq) > last) {
        join(f, event, now);
    }
    if repair.has_frames || had_attempt {
        reach("B4 Repairing: the page is there, and the stream is opened once");
        f.reopen(Why::Gap, now);
    }
}

/// A side of these events, and the state of the log that they make. An inbox that the host does not tell is what the
/// events make of it.
fn begin(f: &mut Follower, mut session: Session, events: Vec<Event>, inbox: Option<Vec<Queued>>) -> Side {
    let mut side = Side::new(Epoch::from(""), Lanes::after(f.side.as_ref().map(|side| &side.lanes)));
    let last = events.last().map(|event| event.seq);
    for event in events {
        if let Some(record) = session.take(event) {
            side.publish(record);
        }
    }
    if let Some(inbox) = inbox {
        session.set_inbox(inbox);
    }
    side.take_step();
    side.step.covered = session.covered();
    side.step.queue = session.queue();
    f.dsh.begin(session, last);
    side
}

/// The attempt that streams becomes the lane, unless the window holds what it left. While only the log is followed it is
/// shown as it is, and does not grow.
fn adopt(f: &mut Follower, side: &mut Side, active: &Active) {
    let coordinate = Coordinate {
        run_id: run(active.turn),
        step: active.step,
        response: f.dsh.session.attempts(active.turn, active.step),
    };
    if side.is_step_settled(&coordinate.run_id, active.step, active.started_after) {
        return reach("B4 a snapshot that holds what its attempt left");
    }
    reach("B4 a snapshot whose attempt becomes the lane");
    f.dsh.turn = active.turn;
    open_lane(side, coordinate, &active.attempt, active.started_after, active.next);
    let is_log_only = f.link.is_log_only();
    if let Some(lane) = side.lanes.fed_by(&active.attempt) {
        lane.content = content_of(&active.chunks);
        if is_log_only {
            lane.feed = Feed::Ended { until: None };
            lane.confirmed = false;
        }
    }
}

/// Previews whose settlement the window does not hold stay, as unconfirmed. True when one of them was fed. What is told of
/// them is told with the window.
fn keep_lanes(f: &mut Follower, side: &mut Side) -> bool {
    let Some(before) = &f.side else { return false };
    let had_attempt = before.lanes.open_attempt().is_some();
    for lane in before.lanes.iter() {
        let step = lane.coordinate.as_ref().map_or(0, |at| at.step);
        if !side.is_step_settled(&lane.run_id, step, lane.started_after) {
            let mut lane = lane.clone();
            lane.feed = Feed::Ended { until: None };
            lane.confirmed = false;
            side.lanes.keep(lane);
        }
    }
    number_lanes(&f.dsh.session, side);
    had_attempt
}

/// True when the two hold different records under one seq.
fn is_rewritten(before: &Side, after: &Side) -> bool {
    let mut new = after.log.records().iter().peekable();
    before.log.records().iter().any(|old| {
        while new.next_if(|new| new.seq() < old.seq()).is_some() {}
        new.peek().is_some_and(|new| new.seq() == old.seq() && !says_the_same(old, new))
    })
}

/// What a record says beside its place: of what came before a window, and so of numbers and arguments that are counted or
/// taken from there, the other window may have held more.
fn says_the_same(old: &Record, new: &Record) -> bool {
    match (old, new) {
        (Record::Message(old), Record::Message(new)) => old.message == new.message,
        (Record::Run(old), Record::Run(new)) => old.state == new.state && old.run_id == new.run_id,
        (Record::Aside(old), Record::Aside(new)) => old.aside == new.aside,
        _ => false,
    }
}

fn is_dense(events: &[Event]) -> bool {
    events.windows(2).all(|pair| match pair {
        [one, next] => one.seq.checked_add(1) == Some(next.seq),
        _ => true,
    })
}
