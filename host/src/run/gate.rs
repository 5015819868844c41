//! Holds a thread's agent between two Deltas, so that a test can look at what was sent so far.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// A gate; open unless somebody holds it.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    released: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// How many more may pass; None when open.
    left: Option<u64>,
    /// True while one waits.
    waiting: bool,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets this many more pass, and then none.
    pub fn hold(&self, after: u64) {
        self.lock().left = Some(after);
        self.released.notify_waiters();
    }

    /// Lets all pass.
    pub fn release(&self) {
        self.lock().left = None;
        self.released.notify_waiters();
    }

    /// True while something waits to pass.
    pub fn is_waiting(&self) -> bool {
        self.lock().waiting
    }

    /// Waits for leave to send a Delta. Dropped by a cancelled run.
    pub async fn pass(&self) {
        self.wait(true).await;
    }

    /// Waits for leave to commit: nobody passes a shut gate, but an end is not counted.
    pub async fn end(&self) {
        self.wait(false).await;
    }

    async fn wait(&self, counts: bool) {
        let _leaving = Leaving(self);
        loop {
            let released = self.released.notified();
            tokio::pin!(released);
            // Enrolled before the look, so that a release in between is not missed.
            released.as_mut().enable();
            {
                let mut state = self.lock();
                match &mut state.left {
                    None => return,
                    Some(0) => state.waiting = true,
                    Some(left) => {
                        *left -= u64::from(counts);
                        return;
                    }
                }
            }
            released.await;
        }
    }
}

/// Nobody waits any more, however the wait ended.
struct Leaving<'a>(&'a Gate);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.lock().waiting = false;
    }
}
