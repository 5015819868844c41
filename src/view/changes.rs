//! What the page is told: numbered changes, coalesced since the last time, or the whole.

use super::item::Item;
use super::lane::change;
use super::part::number;
use super::run::{Summary, write_run};
use super::state::View;
use crate::follow::{LaneId, Status};
use crate::json::Writer;
use crate::preview::Content;
use crate::sorted::Sorted;

/// How many new committed items are told at once. Those before them are left out until the page looks at them, so that
/// the beginning of a long thread is not made for a page that shows its end.
pub(super) const WINDOW: usize = 200;

/// How soon the page should take the changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Nothing changed.
    #[default]
    None,
    /// Text grew: with the next animation frame.
    Frame,
    /// The first text of an item, another structure, an end, another status: at once.
    Now,
}

/// What the page has, and what is not told yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Pending {
    urgency: Urgency,
    /// Everything is told anew.
    reset: bool,
    /// The items after those that the page has changed.
    pub tail: bool,
    /// How many committed items the page has.
    shown: usize,
    /// Calls of items that the page has: the item, and the call's number in it.
    calls: Sorted<(usize, usize), ()>,
    /// Items that the page has and that wait no more.
    resolved: Sorted<usize, ()>,
    /// The run that the page has.
    run: Option<Summary>,
    /// The status that the page has; None for that of a new view.
    status: Option<Status>,
    /// How many items were looked at to tell the changes: the tests' measure of work.
    #[cfg(test)]
    pub looked_at: usize,
}

impl Pending {
    /// Everything is to be told anew.
    pub fn reset() -> Self {
        Self { reset: true, tail: true, urgency: Urgency::Now, ..Self::default() }
    }

    /// Items came, went or are others.
    pub fn restructure(&mut self) {
        self.tail = true;
        self.press(Urgency::Now);
    }

    /// It should not take longer than this.
    pub fn press(&mut self, urgency: Urgency) {
        self.urgency = self.urgency.max(urgency);
    }

    /// A committed call changed.
    pub fn call(&mut self, item: usize, call: usize) {
        if item < self.shown {
            self.calls.insert((item, call), ());
            self.press(Urgency::Now);
        }
    }

    /// A committed item waits no more.
    pub fn resolved(&mut self, item: usize) {
        if item < self.shown {
            self.resolved.insert(item, ());
            self.press(Urgency::Now);
        }
    }
}

impl View {
    /// How soon the changes that are not told yet should reach the page.
    pub fn urgency(&self) -> Urgency {
        if self.run_changed() || self.status_changed() { Urgency::Now } else { self.pending.urgency }
    }

    /// The changes since the last time as JSON text (`Changes` of the package's `types/view.d.ts`), each part's growth
    /// joined to one; None when nothing changed. `content` finds a lane's content.
    ///
    /// The cost is that of what changed.
    pub fn take_changes<'a>(&mut self, content: &dyn Fn(LaneId) -> Option<&'a Content>) -> Option<String> {
        if self.urgency() == Urgency::None {
            return None;
        }
        self.pending.urgency = Urgency::None;
        let next = self.number.saturating_add(1);
        let mut changes = 0;
        let mut w = Writer::new();
        w.object(|w| {
            number(w, "number", Some(next));
            w.key("changes");
            w.array(|w| {
                // First, while what it speaks of stands where it stood.
                if !self.older.is_empty() {
                    w.raw(&std::mem::take(&mut self.older));
                    changes += 1;
                }
                changes +=
                    if self.pending.reset { self.write_reset(w, content) } else { self.write_changes(w, content) };
            });
        });
        if changes == 0 {
            return None;
        }
        self.number = next;
        Some(w.finish())
    }

    /// The whole view as JSON text (`WholeView`), with the number that the next changes follow. What was not told yet is
    /// in it, so it is told with this, and nothing is left out.
    pub fn whole<'a>(&mut self, content: &dyn Fn(LaneId) -> Option<&'a Content>) -> String {
        self.older();
        let mut w = Writer::new();
        w.object(|w| {
            number(w, "number", Some(self.number));
            w.key("view");
            self.write_view(w, content, usize::MAX);
        });
        w.finish()
    }

    /// What was left out of all that was told, as JSON text (the change `older`). It is told with this.
    pub fn older(&mut self) -> String {
        if !self.older.is_empty() {
            return std::mem::take(&mut self.older);
        }
        self.left_out = 0;
        let mut place = 0;
        let mut items = self.committed.iter_mut().filter(|item| !item.covered).peekable();
        let mut w = Writer::new();
        w.object(|w| {
            w.field("op", "older");
            w.key("spans");
            w.array(|w| {
                while let Some(item) = items.next() {
                    if std::mem::take(&mut item.left_out) {
                        w.object(|w| {
                            number(w, "from", Some(place));
                            w.key("items");
                            w.array(|w| {
                                item.write(w);
                                while let Some(item) = items.next_if(|item| item.left_out) {
                                    item.left_out = false;
                                    item.write(w);
                                    place += 1;
                                }
                            });
                        });
                    }
                    place += 1;
                }
            });
        });
        w.finish()
    }

    /// An item is about to change: if the page has not looked at it yet, it is told first what the item was. So a view of
    /// before shows what it showed, whenever the page looks at it.
    pub(super) fn recall_for(&mut self, item: usize) {
        if self.committed.get(item).is_some_and(|item| item.left_out) {
            self.recall();
        }
    }

    /// All that was left out is told with the next changes, as it is now.
    pub(super) fn recall(&mut self) {
        if self.left_out > 0 {
            self.older = self.older();
        }
    }

    /// Leaves out what is too much to be told at once of the committed items from this one on. Returns the first that is
    /// told.
    fn leave_out(&mut self, w: &mut Writer, from: usize, window: usize) -> usize {
        let first = self.committed.len().saturating_sub(window).max(from);
        let mut count = 0;
        for item in self.committed.iter_mut().take(first).skip(from).filter(|item| !item.covered) {
            item.left_out = true;
            count += 1;
        }
        if count > 0 {
            number(w, "older", u64::try_from(count).ok());
            self.left_out += count;
        }
        first
    }

    fn write_reset<'a>(&mut self, w: &mut Writer, content: &dyn Fn(LaneId) -> Option<&'a Content>) -> usize {
        w.object(|w| {
            w.field("op", "reset");
            w.key("view");
            self.write_view(w, content, self.window);
        });
        1
    }

    fn write_view<'a>(&mut self, w: &mut Writer, content: &dyn Fn(LaneId) -> Option<&'a Content>, window: usize) {
        self.pending = Pending {
            shown: self.committed.len(),
            run: self.runs.current().cloned(),
            status: Some(self.status.clone()),
            #[cfg(test)]
            looked_at: self.pending.looked_at + self.committed.len(),
            ..Pending::default()
        };
        w.object(|w| {
            let first = self.leave_out(w, 0, window);
            w.key("items");
            w.array(|w| {
                self.committed.iter().skip(first).filter(|item| !item.covered).for_each(|item| item.write(w));
                for lane in &mut self.lanes {
                    lane.write(w, content(lane.id));
                }
                self.sends.iter_mut().for_each(|send| send.write(w));
            });
            w.key("run");
            write_run(w, self.runs.current());
            w.key("status");
            write_status(w, &self.status);
        });
    }

    /// The items first, so that the changes of an item find it.
    fn write_changes<'a>(&mut self, w: &mut Writer, content: &dyn Fn(LaneId) -> Option<&'a Content>) -> usize {
        let mut changes = 0;
        let shown: Vec<bool> = self.lanes.iter().map(|lane| lane.shown).collect();
        if std::mem::take(&mut self.pending.tail) {
            changes += 1;
            self.write_tail(w, content);
        }
        for (lane, shown) in self.lanes.iter_mut().zip(shown) {
            if shown {
                changes += lane.write_changes(w, content(lane.id));
            }
        }
        for send in self.sends.iter_mut().filter(|send| send.changed) {
            send.changed = false;
            changes += 1;
            change(w, "item", &send.key, |w| {
                w.key("set");
                w.object(|w| send.write_state(w));
            });
        }
        // What became of a covered item is nothing to a page that does not have it.
        let shown = |item: usize| self.committed.get(item).filter(|item| !item.covered);
        for (item, call) in std::mem::take(&mut self.pending.calls).into_keys() {
            changes += shown(item).map_or(0, |item| write_call(w, item, call));
        }
        for item in std::mem::take(&mut self.pending.resolved).into_keys() {
            changes += shown(item).map_or(0, |item| write_resolved(w, item));
        }
        changes + self.write_fields(w)
    }

    fn write_tail<'a>(&mut self, w: &mut Writer, content: &dyn Fn(LaneId) -> Option<&'a Content>) {
        let from = std::mem::replace(&mut self.pending.shown, self.committed.len());
        #[cfg(test)]
        {
            self.pending.looked_at += self.committed.len().saturating_sub(from) + self.lanes.len() + self.sends.len();
        }
        w.object(|w| {
            w.field("op", "tail");
            number(w, "from", u64::try_from(from.saturating_sub(self.covered)).ok());
            let first = self.leave_out(w, from, self.window);
            w.key("items");
            w.array(|w| {
                self.committed.get(first..).unwrap_or_default().iter().for_each(|item| item.write(w));
                for lane in &mut self.lanes {
                    if lane.shown {
                        w.string(&lane.key);
                    } else {
                        lane.write(w, content(lane.id));
                    }
                }
                for send in &mut self.sends {
                    if send.shown {
                        w.string(&send.key);
                    } else {
                        send.write(w);
                    }
                }
            });
        });
    }

    fn write_fields(&mut self, w: &mut Writer) -> usize {
        let (run, status) = (self.run_changed(), self.status_changed());
        if !run && !status {
            return 0;
        }
        self.pending.run = self.runs.current().cloned();
        self.pending.status = Some(self.status.clone());
        w.object(|w| {
            w.field("op", "view");
            w.key("set");
            w.object(|w| {
                if run {
                    w.key("run");
                    write_run(w, self.runs.current());
                }
                if status {
                    w.key("status");
                    write_status(w, &self.status);
                }
            });
        });
        1
    }

    fn run_changed(&self) -> bool {
        self.pending.run.as_ref() != self.runs.current()
    }

    fn status_changed(&self) -> bool {
        self.pending.status.as_ref().unwrap_or(&Status::Idle) != &self.status
    }
}

fn write_call(w: &mut Writer, item: &Item, call: usize) -> usize {
    let Some(call) = item.call(call) else { return 0 };
    change(w, "call", &item.key, |w| {
        number(w, "part", u64::try_from(call.part).ok());
        call.write_state(w);
    });
    1
}

fn write_resolved(w: &mut Writer, item: &Item) -> usize {
    change(w, "item", &item.key, |w| {
        w.key("set");
        w.object(|w| {
            w.flag("resolved", true);
        });
    });
    1
}

/// The connection's state, as it stands in the view.
pub fn write_status(w: &mut Writer, status: &Status) {
    w.object(|w| {
        let state = match status {
            Status::Idle => "idle",
            Status::Connecting => "connecting",
            Status::Live => "live",
            Status::CatchingUp => "catching_up",
            Status::Offline => "offline",
            Status::Waiting { .. } => "waiting",
            Status::Unauthorized => "unauthorized",
            Status::Failed { .. } => "failed",
            Status::Closed => "closed",
        };
        w.field("state", state);
        match status {
            Status::Waiting { retry_at } => number(w, "retry_at", Some(*retry_at)),
            Status::Failed { code } => w.field("code", code),
            Status::Idle
            | Status::Connecting
            | Status::Live
            | Status::CatchingUp
            | Status::Offline
            | Status::Unauthorized
            | Status::Closed => {}
        }
    });
}
