//! What a script may ask of its world.

use super::world::World;
use crate::follow::Status;

impl World {
    /// The page shows this, and nothing was wrong on the way.
    #[track_caller]
    pub fn expect(&mut self, visible: &str) -> &mut Self {
        self.check();
        assert_eq!(self.page.visible(), visible);
        self
    }

    /// Nothing was wrong on the way.
    #[track_caller]
    pub fn check(&mut self) -> &mut Self {
        assert_eq!(self.page.wrong, Vec::<String>::new());
        self
    }

    #[track_caller]
    pub fn expect_status(&mut self, status: &Status) -> &mut Self {
        assert_eq!(self.follower.status(), status);
        self
    }

    /// So many reopens, losses and reads until now.
    #[track_caller]
    pub fn expect_counts(&mut self, reopens: u64, losses: u64, reads: u64) -> &mut Self {
        let stats = self.follower.stats();
        assert_eq!((stats.reopens, stats.losses, stats.reads), (reopens, losses, reads), "reopens, losses, reads");
        self
    }

    /// What the page ends with after a quiet time: the host's log and what streams, by few requests. Err says what is
    /// wrong.
    pub fn settled(&self) -> Result<(), String> {
        if let Some(wrong) = self.page.wrong.first() {
            return Err(wrong.clone());
        }
        let shown: Vec<_> = self.page.records.iter().map(|record| (**record).clone()).collect();
        if shown != self.host.log {
            return Err(format!(
                "I5: the page ends with {} records, the log with {}",
                shown.len(),
                self.host.log.len()
            ));
        }
        let streams: Vec<_> = self.host.active.iter().filter(|attempt| attempt.seq.is_none()).collect();
        if self.page.lanes.len() > streams.len() {
            return Err(format!("lanes are left: {}", self.page.visible()));
        }
        if *self.follower.status() != Status::Live {
            return Err(format!("the status is {:?}", self.follower.status()));
        }
        if self.opened_at.windows(2).any(|pair| pair[1] < pair[0] + 200) {
            return Err("two openings had less than the spacing between them".to_owned());
        }
        Ok(())
    }

    /// The law of C3.9.
    pub fn reads_are_bounded(&self) -> Result<(), String> {
        let stats = self.follower.stats();
        let most = stats.commits + stats.reopens + stats.losses + 2;
        if stats.reads > most { Err(format!("{} reads, and {most} are allowed", stats.reads)) } else { Ok(()) }
    }
}
