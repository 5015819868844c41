//! The lane continuity: which previews there are, and what is known of each.

use super::frame::Active;
use super::output::{LaneChange, LaneId};
use super::rows::reach;
use crate::event::{AttemptId, Coordinate, Delta, RunId};
use crate::preview::{Content, Growth};

/// One preview: an attempt as far as it was seen.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub id: LaneId,
    pub run_id: RunId,
    pub coordinate: Option<Coordinate>,
    /// Only records after this seq can be its settlement.
    pub started_after: Option<u64>,
    pub content: Content,
    pub feed: Feed,
    /// Shown as live (true) or as unconfirmed.
    pub confirmed: bool,
}

/// Where a lane's Deltas come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Feed {
    /// From this attempt of the current opening; the next Delta has this index.
    Attempt { attempt: AttemptId, next: u64 },
    /// From whatever a plain stream of this generation brings.
    Stream { generation: u32 },
    /// From nowhere: it goes when the log reaches this seq, or, while that is not known, stays.
    Ended { until: Option<u64> },
}

/// How many previews one side holds. No host has so many responses under way; one that says so is not to fill the page's
/// memory, nor to make each fragment look through them all.
const MOST_LANES: usize = 64;

/// All previews of one side, in the order in which they were opened.
#[derive(Debug, Clone, Default)]
pub(super) struct Lanes {
    list: Vec<Lane>,
    next_id: u32,
}

impl Lanes {
    /// Ids go on where another side's left off, so that none is used twice.
    pub fn after(other: Option<&Self>) -> Self {
        Self { list: Vec::new(), next_id: other.map_or(0, |lanes| lanes.next_id) }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Lane> {
        self.list.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.list.iter_mut()
    }

    pub fn get(&self, id: LaneId) -> Option<&Lane> {
        self.list.iter().find(|lane| lane.id == id)
    }

    /// The lane that this attempt of the current opening feeds.
    pub fn fed_by(&mut self, attempt: &AttemptId) -> Option<&mut Lane> {
        self.list.iter_mut().find(|lane| matches!(&lane.feed, Feed::Attempt { attempt: fed, .. } if fed == attempt))
    }

    /// The lane whose `end` has not been seen in this opening.
    pub fn open_attempt(&self) -> Option<&Lane> {
        self.list.iter().find(|lane| matches!(lane.feed, Feed::Attempt { .. }))
    }

    /// The lane of this response.
    pub fn at(&mut self, coordinate: &Coordinate) -> Option<&mut Lane> {
        self.list.iter_mut().find(|lane| lane.coordinate.as_ref() == Some(coordinate))
    }

    /// The lane of a plain stream: of the response, or of the run where the stream names none.
    pub fn of_plain(&mut self, run_id: &RunId, coordinate: Option<&Coordinate>) -> Option<&mut Lane> {
        self.list.iter_mut().find(|lane| lane.run_id == *run_id && lane.coordinate.as_ref() == coordinate)
    }

    /// A new, empty lane below all others. Where there are as many as there may be, the oldest makes room.
    pub fn open(
        &mut self,
        run_id: RunId,
        coordinate: Option<Coordinate>,
        started_after: Option<u64>,
        feed: Feed,
        changes: &mut Vec<LaneChange>,
    ) -> LaneId {
        if self.list.len() >= MOST_LANES {
            let oldest = self.list.remove(0);
            changes.push(LaneChange::Dropped { lane: oldest.id });
        }
        let id = LaneId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        changes.push(LaneChange::Open { lane: id, run_id: run_id.clone(), coordinate: coordinate.clone() });
        let content = Content::default();
        self.list.push(Lane { id, run_id, coordinate, started_after, content, feed, confirmed: true });
        id
    }

    /// A lane turns out to be another response: it goes, and one of that name with its content takes its place.
    pub fn rename(&mut self, id: LaneId, response: u32, changes: &mut Vec<LaneChange>) {
        let next_id = LaneId(self.next_id);
        let Some(lane) = self.list.iter_mut().find(|lane| lane.id == id) else { return };
        self.next_id = self.next_id.wrapping_add(1);
        changes.push(LaneChange::Dropped { lane: lane.id });
        lane.id = next_id;
        if let Some(at) = &mut lane.coordinate {
            at.response = response;
        }
        lane.tell(changes);
    }

    /// Takes a lane of another side as it is; who tells the lanes anew tells it too.
    pub fn keep(&mut self, lane: Lane) {
        self.list.push(lane);
    }

    /// Takes lanes away: the record of this seq settles them, or, without one, they are dropped.
    pub fn remove(
        &mut self,
        settled_by: Option<u64>,
        changes: &mut Vec<LaneChange>,
        gone: &mut dyn FnMut(&Lane) -> bool,
    ) {
        self.list.retain(|lane| {
            let is_gone = gone(lane);
            if is_gone {
                changes.push(match settled_by {
                    Some(seq) => LaneChange::Settled { lane: lane.id, seq },
                    None => LaneChange::Dropped { lane: lane.id },
                });
            }
            !is_gone
        });
    }

    /// The attempt that an opening names becomes the lane, by C3.2: what is shown stays where it is a beginning of the
    /// baseline, and only the rest is new.
    pub fn adopt(&mut self, active: &Active, changes: &mut Vec<LaneChange>) {
        let coordinate = active.coordinate();
        let feed = Feed::Attempt { attempt: active.attempt.clone(), next: active.next };
        if self.at(&coordinate).is_none() {
            self.open(active.run_id.clone(), Some(coordinate.clone()), active.started_after, feed.clone(), changes);
        }
        let Some(lane) = self.at(&coordinate) else { return };
        lane.feed = feed;
        lane.started_after = active.started_after;
        lane.confirm(true, changes);
        lane.become_whole(Content::of(&active.deltas), changes);
    }
}

impl Lane {
    /// A Delta that joins on; false when there is no room for it.
    pub fn grow(&mut self, delta: Delta, changes: &mut Vec<LaneChange>) -> bool {
        let has_room = self.has_room(changes);
        if has_room {
            let growth = self.content.push(&delta);
            changes.push(LaneChange::Grew { lane: self.id, delta, growth });
        }
        has_room
    }

    /// True while more may be shown. A lane that is full stays as it is, fed by nothing, until the log has the response.
    pub fn has_room(&mut self, changes: &mut Vec<LaneChange>) -> bool {
        if self.content.is_full() {
            self.feed = Feed::Ended { until: None };
            self.confirm(false, changes);
        }
        !self.content.is_full()
    }

    /// True for a lane of this step.
    pub fn is_of(&self, run_id: &RunId, step: u32) -> bool {
        self.run_id == *run_id && self.coordinate.as_ref().is_some_and(|at| at.step == step)
    }

    /// What was shown is void.
    pub fn reset(&mut self, changes: &mut Vec<LaneChange>) {
        if !self.content.is_empty() {
            self.content = Content::default();
            changes.push(LaneChange::Reset { lane: self.id });
        }
    }

    /// Shown as live or as unconfirmed.
    pub fn confirm(&mut self, confirmed: bool, changes: &mut Vec<LaneChange>) {
        if self.confirmed != confirmed {
            self.confirmed = confirmed;
            changes.push(LaneChange::Confirmed { lane: self.id, confirmed });
        }
    }

    /// Shows `whole`, as a continuation where it is one.
    pub fn become_whole(&mut self, mut whole: Content, changes: &mut Vec<LaneChange>) {
        let missing = match self.content.missing_from(&whole) {
            Some(missing) => {
                reach("C3.2 what is shown is a beginning: only the rest is new");
                missing
            }
            None => {
                reach("C3.2 what is shown is no beginning: reset");
                self.reset(changes);
                self.content.missing_from(&whole).unwrap_or_default()
            }
        };
        self.grew(missing, changes);
        whole.keep_names(&self.content);
        self.content = whole;
    }

    /// Says the content anew, from nothing.
    pub fn tell_content(&self, changes: &mut Vec<LaneChange>) {
        let all = Content::default().missing_from(&self.content).unwrap_or_default();
        self.grew(all, changes);
    }

    fn grew(&self, by: Vec<(Delta, Growth)>, changes: &mut Vec<LaneChange>) {
        for (delta, growth) in by {
            changes.push(LaneChange::Grew { lane: self.id, delta, growth });
        }
    }

    /// Says the lane anew, from nothing: what a replace does with the lanes that it keeps.
    pub fn tell(&self, changes: &mut Vec<LaneChange>) {
        let (run_id, coordinate) = (self.run_id.clone(), self.coordinate.clone());
        changes.push(LaneChange::Open { lane: self.id, run_id, coordinate });
        self.tell_content(changes);
        if !self.confirmed {
            changes.push(LaneChange::Confirmed { lane: self.id, confirmed: false });
        }
    }
}
