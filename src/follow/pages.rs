//! What a committed read's answer does, the same for every policy.

use super::connection::{MOST_REFUSALS, Why};
use super::follower::Follower;
use super::frame::CONTRACT;
use super::input::ReadError;
use super::link::{Phase, Stop};
use super::options::Protocol;
use super::reads::InFlight;
use super::rows::reach;
use crate::event::Epoch;
use crate::json::Notes;
use crate::text::decimal;
use crate::thread::{Log, Page, Record};
use std::sync::Arc;

/// A read that this follower waits for was answered.
pub(super) fn answered(
    f: &mut Follower,
    read: InFlight,
    result: Result<(Page, Notes), ReadError>,
    now: u64,
    random: u64,
) {
    match result {
        Ok((page, notes)) => {
            f.note(&notes);
            page_read(f, read, page, now, random);
        }
        Err(error) => failed(f, &read, error, now, random),
    }
}

/// A read failed: it is repeated, unless another try can't mend it.
pub(super) fn failed(f: &mut Follower, read: &InFlight, error: ReadError, now: u64, random: u64) {
    match error {
        ReadError::Refused { status: 401 | 403, .. } => {
            if f.reads.refused() < MOST_REFUSALS && f.renewable {
                f.reads.failed(now, random, None);
            } else {
                f.stop(Stop::Unauthorized);
            }
        }
        ReadError::Refused { status: 404, .. } => f.stop(Stop::Failed("not_found")),
        ReadError::Refused { status: 409, .. } if read.epoch.is_some() => {
            f.anomaly("epoch_over", &["the log that was read is over; another has begun"]);
            epoch_over(f, now, random);
        }
        ReadError::Refused { status, retry_after, .. } => {
            reach("C3.8 a read is refused or lost");
            f.anomaly("read_refused", &["a committed read was refused with status ", &decimal(u64::from(status))]);
            f.reads.failed(now, random, retry_after);
        }
        ReadError::Network(why) => {
            f.anomaly("read_failed", &["a committed read got no answer: ", &why]);
            f.reads.failed(now, random, None);
        }
        ReadError::Malformed(why) => {
            f.anomaly("bad_page", &["a committed read's answer is no page: ", &why]);
            f.reads.failed(now, random, None);
        }
    }
}

fn page_read(f: &mut Follower, read: InFlight, page: Page, now: u64, random: u64) {
    if page.contract != CONTRACT {
        f.anomaly("foreign_contract", &["the host speaks \"", &page.contract, "\", not threadfold/1"]);
        return f.stop(Stop::Failed("foreign_contract"));
    }
    if f.thread_id.as_ref().is_some_and(|thread| *thread != page.thread_id) {
        f.anomaly("wrong_thread", &["the page is of the thread \"", page.thread_id.as_str(), "\""]);
        return f.stop(Stop::Failed("wrong_thread"));
    }
    match &read.epoch {
        Some(epoch) if *epoch != page.epoch => {
            f.anomaly(
                "epoch_over",
                &["the page is of the epoch \"", page.epoch.as_str(), "\", not \"", epoch.as_str(), "\""],
            );
            return match f.protocol {
                Protocol::Strict => epoch_over(f, now, random),
                Protocol::Plain | Protocol::Dsh => begin(f, &page.epoch, page.frontier, now, random),
            };
        }
        Some(_) => {}
        None => begin_with(f, &page),
    }
    // A read that began before a Delta can't tell that it was late; while a log is read unseen, nobody knows which did.
    let (is_plain, tells) = (f.protocol == Protocol::Plain, f.staged.is_none() && !f.reads.looks_again());
    let Some(side) = f.current().filter(|side| *side.log.epoch() == page.epoch) else { return };
    let (has_more, frontier) = (page.has_more, page.frontier);
    let records: Vec<Arc<Record>> = page.into_records();
    let goes_on = records.last().is_some_and(|record| Some(record.seq()) > read.after);
    let joined = side.apply(records);
    if is_plain && tells && !has_more {
        side.drop_late_lanes();
    }
    let (last, is_in_doubt) = (side.log.last(), is_plain && side.has_late_lanes());
    if is_in_doubt && !has_more {
        // Another read, which begins now, tells.
        f.reads.look();
    }
    f.reads.wish(frontier);
    f.reads.reached(last);
    if joined.beyond > 0 || (has_more && !goes_on) {
        f.anomaly("short_read", &["a page did not go on where the log ends"]);
        f.reads.failed(now, random, None);
    } else if has_more {
        f.reads.succeeded();
        f.reads.look();
    } else if last < read.target.max(frontier) {
        reach("C3.8 a stale read");
        f.anomaly("stale_read", &["a page ends before what was announced"]);
        f.reads.fell_short(now, random, None);
    } else {
        f.reads.succeeded();
    }
}

/// The epoch that was read is over (C3.1): the read ends, and the stream is opened again to learn the new one. Where it
/// is about to be opened anyway, the opening tells. While only the log is followed, or the stream names no epoch, the
/// next page tells it instead.
fn epoch_over(f: &mut Follower, now: u64, random: u64) {
    reach("C3.1 a page of another epoch, or a 409");
    f.unstage();
    f.reads.forget();
    let waits_for_opening = f.protocol == Protocol::Strict && !f.link.is_log_only();
    if waits_for_opening && matches!(f.link.phase, Phase::Open { .. }) {
        f.reopen(Why::Gap, now);
    } else {
        f.stage_unknown();
        if !waits_for_opening {
            f.reads.failed(now, random, None);
        }
    }
}

/// A plain stream names no epoch: the page does, and the log is read anew from its start.
fn begin(f: &mut Follower, epoch: &Epoch, until: Option<u64>, now: u64, random: u64) {
    reach("C4 a page of another epoch");
    f.stage(epoch.clone());
    if let Some(staged) = &mut f.staged {
        staged.until = until;
    }
    f.reads.failed(now, random, None);
}

/// The first page ever, before any opening named an epoch: one that does so meanwhile takes the place of its read.
fn begin_with(f: &mut Follower, page: &Page) {
    if f.staged.is_none() {
        f.stage_unknown();
    }
    if let Some(staged) = &mut f.staged {
        staged.side.log = Log::new(page.epoch.clone());
        staged.until = page.frontier;
        staged.known = true;
    }
}
