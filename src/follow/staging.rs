//! Another epoch is read unseen, and takes the place of the one that is shown in one change (C3.1).

use super::follower::Follower;
use super::lanes::Lanes;
use super::output::{Output, Step};
use super::rows::reach;
use super::side::Side;
use crate::event::Epoch;

/// A log of another epoch while it is read, unseen.
#[derive(Debug, Clone)]
pub(super) struct Staged {
    pub side: Side,
    /// It is swapped in when it reaches this seq; None for an empty log.
    pub until: Option<u64>,
    /// False while its epoch is not known: a page will tell.
    pub known: bool,
}

impl Follower {
    /// What frames and pages work on: the staged side while there is one.
    pub(super) fn current(&mut self) -> Option<&mut Side> {
        match &mut self.staged {
            Some(staged) => Some(&mut staged.side),
            None => self.side.as_mut(),
        }
    }

    /// Another epoch begins, unseen.
    pub(super) fn stage(&mut self, epoch: Epoch) {
        let lanes = Lanes::after(self.side.as_ref().map(|side| &side.lanes));
        self.reads.forget();
        self.staged = Some(Staged { side: Side::new(epoch, lanes), until: None, known: true });
    }

    /// Nothing is known yet of the log that the stream is of: an opening or a page will tell its epoch.
    pub(super) fn stage_unknown(&mut self) {
        self.stage(Epoch::from(""));
        if let Some(staged) = &mut self.staged {
            staged.known = false;
        }
    }

    /// The epoch that the app sees goes on after all.
    pub(super) fn unstage(&mut self) {
        if self.staged.take().is_some() {
            self.reads.forget();
        }
    }

    /// Puts the staged side in the place of the other once it has reached what its opening announced: one change.
    pub(super) fn swap(&mut self) {
        let ready = |staged: &mut Staged| staged.known && staged.side.log.covers(staged.until);
        if let Some(staged) = self.staged.take_if(ready) {
            reach("C3.1 the staged side is swapped in");
            self.show(staged.side);
        }
    }

    /// The side that the app sees from now on.
    pub(super) fn show(&mut self, mut side: Side) {
        let Step { covered, queue, .. } = side.take_step();
        let replacement = Step { covered, queue, ..side.as_replacement() };
        self.stats.records += replacement.records.len() as u64;
        self.outputs.push_back(Output::Step(replacement));
        self.side = Some(side);
    }
}
