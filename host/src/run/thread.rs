//! The threads that this process has looked at, each with its hub and the run that is active in it.

use super::Gate;
use crate::agent::Model;
use crate::hub::Hub;
use crate::store::{Change, Commit, Head, NewState, Store, StoreError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use threadfold::event::{RunId, ThreadId};
use threadfold::thread::{EndCause, Record, RunState};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// How runs behave.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Model steps per run.
    pub max_steps: u32,
    /// Continuations after a token limit, per step.
    pub max_continuations: u32,
    /// Attempts per response.
    pub attempts: u32,
    /// The wait before a second attempt; it doubles with each further one.
    pub retry: Duration,
    /// Frames that a follower may lag.
    pub queue: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_steps: 8, max_continuations: 3, attempts: 3, retry: Duration::from_millis(300), queue: 1024 }
    }
}

/// All threads.
pub struct Threads {
    pub(super) store: Arc<dyn Store>,
    pub(super) model: Arc<dyn Model>,
    pub(super) limits: Limits,
    open: Arc<Mutex<HashMap<ThreadId, Arc<Thread>>>>,
    gates: Mutex<HashMap<ThreadId, Arc<Gate>>>,
}

/// One thread.
pub struct Thread {
    /// Its id.
    pub id: ThreadId,
    /// Its live stream.
    pub hub: Hub,
    /// Holds its agent.
    pub gate: Arc<Gate>,
    /// The run that is not over. Commands and the ends of runs take this lock, so that they happen one by one.
    pub(super) active: tokio::sync::Mutex<Option<Active>>,
}

/// The run that is not over.
pub(super) struct Active {
    pub run: RunId,
    /// How to cancel it while it works; None while it waits for somebody.
    pub working: Option<CancellationToken>,
}

impl Threads {
    /// The threads of this store.
    pub fn new(store: Arc<dyn Store>, model: Arc<dyn Model>, limits: Limits) -> Arc<Self> {
        let open: Arc<Mutex<HashMap<ThreadId, Arc<Thread>>>> = Arc::default();
        let announced = Arc::clone(&open);
        store.watch(Box::new(move |id, change| {
            let thread = announced.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
            match (thread, change) {
                (Some(thread), Change::Committed(records)) => thread.hub.announce(records),
                (Some(thread), Change::Replaced(head)) => thread.hub.replace(head.clone()),
                (None, _) => {}
            }
        }));
        Arc::new(Self { store, model, limits, open, gates: Mutex::default() })
    }

    /// The thread; None when there is none of this id.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn thread(&self, id: &ThreadId) -> Result<Option<Arc<Thread>>, StoreError> {
        if let Some(thread) = self.opened(id) {
            return Ok(Some(thread));
        }
        let wanted = id.clone();
        let Some((head, latest)) = self
            .store(move |store| match store.head(&wanted)? {
                Some(head) => Ok(Some((head, store.latest(&wanted, None)?))),
                None => Ok(None),
            })
            .await?
        else {
            return Ok(None);
        };
        let active = latest.filter(|row| !row.state.is_ended()).map(|row| Active { run: row.run_id, working: None });
        let thread = Thread {
            id: id.clone(),
            hub: Hub::new(head, self.limits.queue),
            gate: self.gate(id),
            active: tokio::sync::Mutex::new(active),
        };
        // Whoever came first wins: nothing is committed before its thread is open here.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(Arc::clone(open.entry(id.clone()).or_insert_with(|| Arc::new(thread)))))
    }

    /// The thread, made when it is new.
    ///
    /// # Errors
    /// When the store can't be written.
    pub async fn thread_or_new(&self, id: &ThreadId) -> Result<Arc<Thread>, StoreError> {
        let wanted = id.clone();
        if self.opened(id).is_none() {
            self.store(move |store| store.create(&wanted)).await?;
        }
        self.thread(id).await?.ok_or_else(|| StoreError(format!("the thread {id} can't be opened")))
    }

    fn opened(&self, id: &ThreadId) -> Option<Arc<Thread>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// All open threads.
    pub fn all(&self) -> Vec<Arc<Thread>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// The thread's gate; there is one before there is a thread.
    pub fn gate(&self, id: &ThreadId) -> Arc<Gate> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(gates.entry(id.clone()).or_default())
    }

    /// Calls the store on a thread that may block.
    ///
    /// # Errors
    /// As the call; also when the process is shutting down.
    pub async fn store<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = Arc::clone(&self.store);
        spawn_blocking(move || call(&*store)).await.unwrap_or_else(|error| Err(StoreError(error.to_string())))
    }

    pub(super) async fn commit(&self, thread: &Thread, commit: Commit) -> Result<Vec<Record>, StoreError> {
        let id = thread.id.clone();
        self.store(move |store| store.append(&id, commit)).await
    }

    /// Gives the thread's log a new epoch, after losing its last `commits` commits. Refused while a run is at work and
    /// commits would be lost under it: None.
    ///
    /// # Errors
    /// When the store can't be written.
    pub async fn new_epoch(&self, thread: &Thread, commits: u64) -> Result<Option<Head>, StoreError> {
        let active = thread.active.lock().await;
        if commits > 0 && active.is_some() {
            return Ok(None);
        }
        let id = thread.id.clone();
        self.store(move |store| store.new_epoch(&id, commits)).await
    }

    /// Settles what the last host left behind: a run that was Running can't be known to have ended in any way; a run
    /// that waits goes on waiting; a queue goes on.
    ///
    /// # Errors
    /// When the store can't be read or written.
    pub async fn recover(self: &Arc<Self>) -> Result<usize, StoreError> {
        let running = self.store(|store| store.running()).await?;
        for (id, run) in &running {
            let thread = self.thread_or_new(id).await?;
            let mut active = thread.active.lock().await;
            self.commit(&thread, Commit::state(run, RunState::Ended(EndCause::Indeterminate))).await?;
            *active = None;
            eprintln!("run {run} of {id}: was running when the host ended; its outcome is indeterminate");
        }
        for id in self.store(|store| store.queued_threads()).await? {
            let thread = self.thread_or_new(&id).await?;
            let mut active = thread.active.lock().await;
            if active.is_none() {
                self.start_next(&thread, &mut active).await?;
            }
        }
        Ok(running.len())
    }
}

impl Commit {
    /// A change of state alone.
    pub(super) fn state(run: &RunId, state: RunState) -> Self {
        Self { state: Some(NewState { state, ticket: None }), ..Self::of(run) }
    }

    /// Nothing yet.
    pub(super) fn of(run: &RunId) -> Self {
        Self { run_id: run.clone(), messages: Vec::new(), state: None, command: None, leaves_queue: false }
    }
}
