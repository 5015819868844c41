//! What happens to the connection and what follows from it: rules 8 and 9 of semantics C3.

use super::command::Outcome;
use super::dsh;
use super::follower::Follower;
use super::input::{Closed, Generation, Wake};
use super::lanes::Feed;
use super::link::{Due, Phase, Stop};
use super::options::Protocol;
use super::output::Output;
use super::rows::reach;
use crate::event::Epoch;
use crate::text::decimal;

/// So many refusals in a row for want of authority, and asking for headers anew is no use.
pub(super) const MOST_REFUSALS: u32 = 3;

/// Why a stream is closed and opened again by this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Something was lost on the way, or the epoch is over: at once.
    Gap,
    /// The host is at fault: after a pause.
    Fault,
    /// It was silent for too long, or somebody asked: at once, and nobody's fault.
    Stale,
}

impl Follower {
    /// An opening named its epoch and revision. It is progress when the host has moved since the last one: then frames
    /// did flow, though none may have been applied.
    pub(super) fn opened(&mut self, epoch: &Epoch, revision: u64) {
        self.link.phase = Phase::Open { revision };
        let opened = Some((epoch.clone(), revision));
        if self.seen != opened {
            self.link.progressed();
            self.seen = opened;
        }
    }

    /// The stream has a hole or its host is at fault: close it and open it again (C3.3, C3.9). What is shown stays.
    pub(super) fn reopen(&mut self, why: Why, now: u64) {
        self.stats.reopens += 1;
        self.close_live();
        self.unbind(None);
        match why {
            Why::Gap => {
                self.link.fault(now);
                self.link.reopen_soon(now);
            }
            Why::Fault => {
                self.link.reopen_later(now, self.random);
                self.stop_if_given_up();
            }
            Why::Stale => self.link.reopen_soon(now),
        }
    }

    /// Nothing more is to be had of this source until somebody asks.
    pub(super) fn stop(&mut self, stop: Stop) {
        if stop != Stop::Closed {
            reach("C3.8 refused for good");
        }
        self.close_live();
        self.unbind(Some(false));
        self.reads.forget();
        self.link.phase = Phase::Stopped(stop);
    }

    /// The stream is gone, clean or not (C3.8): that says nothing of the run, so the log is read, and the stream opened
    /// again later. Only what another try can't mend stops.
    pub(super) fn lost(&mut self, closed: &Closed, now: u64, random: u64) {
        let mut pause = None;
        match closed {
            Closed::Refused { status: 401 | 403, .. } => {
                self.link.refusals = self.link.refusals.saturating_add(1);
                if !self.renewable || self.link.refusals >= MOST_REFUSALS {
                    return self.stop(Stop::Unauthorized);
                }
            }
            Closed::Refused { status: 404, .. } => return self.stop(Stop::Failed("not_found")),
            Closed::Refused { status: 204, .. } => return self.stop(Stop::Failed("no_content")),
            Closed::Refused { status, retry_after } => {
                pause = *retry_after;
                self.anomaly("refused", &["the live stream was refused with status ", &decimal(u64::from(*status))]);
            }
            Closed::NotAStream(found) => self.anomaly(
                "not_a_stream",
                &["the live stream's address answered with \"", found, "\", not an event stream"],
            ),
            Closed::TooLarge(bytes) => {
                self.anomaly(
                    "event_too_large",
                    &["an event of the live stream was over ", &decimal(*bytes as u64), " bytes"],
                );
            }
            Closed::Failed { code, message } => {
                self.anomaly("stream_error", &["the host ended the live stream: ", message, " (", code, ")"]);
            }
            Closed::Lost => {}
        }
        self.stats.losses += 1;
        reach(if self.link.bye { "C3.8 after a bye" } else { "C3.8 the stream is lost" });
        // Of a dsh log the next opening brings a window by itself.
        if self.protocol != Protocol::Dsh {
            self.reads.look();
        }
        self.unbind(Some(false));
        self.link.lost(now, random, pause);
        self.stop_if_given_up();
    }

    pub(super) fn open_live(&mut self, now: u64) {
        self.link.opening(now);
        self.stats.openings += 1;
        self.outputs.push_back(Output::OpenLive(Generation(self.link.generation)));
    }

    pub(super) fn wake(&mut self, wake: Wake, now: u64) {
        match wake {
            Wake::Visible | Wake::Pageshow => self.link.show(),
            Wake::Online => self.link.offline = false,
            Wake::User => {
                self.link.show();
                self.link.offline = false;
            }
        }
        self.reads.hurry();
        self.commands.hurry(now);
        if self.link.wake(now, wake == Wake::User) {
            self.reopen(Why::Stale, now);
        }
    }

    pub(super) fn tick(&mut self, now: u64, random: u64) {
        match self.link.due(now) {
            Due::Nothing => {}
            Due::Reopen => {
                reach("C3.9 the quiet minute is over");
                self.reopen(Why::Stale, now);
            }
            Due::OutOfSight => {
                // When the page is seen it is opened again, and the opening says what to read.
                self.close_live();
                self.unbind(Some(false));
                self.link.reopen_soon(now);
            }
            Due::Knock => {
                reach("B4 silence is asked for a sign of life");
                self.outputs.push_back(Output::Knock(Generation(self.link.generation)));
            }
            Due::Lost => {
                reach("C3.8 silence");
                self.anomaly("half_open", &["the live stream was silent for too long"]);
                self.close_live();
                self.lost(&Closed::Lost, now, random);
            }
        }
        if self.reads.overdue(now).is_some() {
            reach("C3.8 a read without an answer");
            self.anomaly("read_timeout", &["a committed read had no answer in time"]);
            self.reads.failed(now, random, None);
        }
        for id in self.commands.overdue(now) {
            self.response(id, Outcome::Network("no answer came in time".to_owned()), now, random);
        }
        if self.poll_at.is_some_and(|at| at <= now) {
            reach(match self.protocol {
                Protocol::Plain => "C4 the log is read while a run works",
                Protocol::Strict | Protocol::Dsh => "C3.9 the log is read while only it is followed",
            });
            self.poll_at = None;
            self.reads.look();
        }
    }

    /// The link may have found that it was once too often.
    fn stop_if_given_up(&mut self) {
        if let Phase::Stopped(stop) = self.link.phase {
            self.stop(stop);
        }
    }

    /// No lane is fed any more; `confirmed` says how they are shown from now on.
    fn unbind(&mut self, confirmed: Option<bool>) {
        if self.protocol == Protocol::Dsh {
            dsh::stream_is_over(self);
        }
        let sides = [self.side.as_mut(), self.staged.as_mut().map(|staged| &mut staged.side)];
        for side in sides.into_iter().flatten() {
            for lane in side.lanes.iter_mut() {
                let was_fed = !matches!(lane.feed, Feed::Ended { until: Some(_) });
                if let (true, Some(confirmed)) = (was_fed, confirmed) {
                    lane.confirm(confirmed, &mut side.step.lanes);
                }
                if matches!(lane.feed, Feed::Attempt { .. }) {
                    lane.feed = Feed::Ended { until: None };
                }
            }
        }
    }

    fn close_live(&mut self) {
        if self.link.is_up() {
            self.outputs.push_back(Output::CloseLive(Generation(self.link.generation)));
        }
    }
}
