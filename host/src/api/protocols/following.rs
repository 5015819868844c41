//! A thread followed from within this process, by the same engine that a browser runs: so what a protocol's client sees
//! is what the page would.

use crate::hub::{Encoded, Follower};
use crate::run::{Thread, Threads};
use crate::store::{Direction, PageRequest, now};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use threadfold::engine::{Effect, Engine, Event};
use threadfold::follow::{Closed, Fetch, Generation, Input, Live, Options, Protocol, ReadError, Status};
use threadfold::json::Notes;
use threadfold::source::threadfold::live_event;

/// One thread's follower.
pub(super) struct Following {
    threads: Arc<Threads>,
    thread: Arc<Thread>,
    engine: Engine,
    effects: VecDeque<Effect>,
    live: Option<(Generation, Follower)>,
}

impl Following {
    /// Follows the thread from its first record on.
    pub(super) fn new(threads: Arc<Threads>, thread: Arc<Thread>) -> Self {
        let mut engine = Engine::new(Options {
            protocol: Protocol::Strict,
            thread_id: Some(thread.id.clone()),
            renewable: false,
            // The hub is in this process: it is never silent for being out of reach.
            watchdog: false,
            initial: None,
        });
        engine.listen(true);
        let mut following = Self { threads, thread, engine, effects: VecDeque::new(), live: None };
        following.feed(Input::Connect);
        following
    }

    /// The next events of the thread, and whether what was committed has been read by now. Cancel safe: what was
    /// received is in the engine.
    pub(super) async fn next(&mut self) -> (Vec<Event>, bool) {
        loop {
            while let Some(effect) = self.effects.front().cloned() {
                self.perform(effect).await;
                self.effects.pop_front();
            }
            let events = self.engine.next_events();
            let caught_up = matches!(self.engine.status(), Status::Live);
            if !events.is_empty() || caught_up {
                return (events, caught_up);
            }
            self.wait().await;
        }
    }

    /// Waits for something to happen.
    pub(super) async fn wait(&mut self) {
        let deadline = self.engine.deadline().map(|at| Duration::from_millis(at.saturating_sub(now())));
        let due = async {
            match deadline {
                Some(due) => tokio::time::sleep(due).await,
                None => std::future::pending().await,
            }
        };
        let input = match &mut self.live {
            Some((generation, follower)) => {
                let generation = *generation;
                tokio::select! {
                    frame = follower.frames.recv() => match frame {
                        Some(frame) => Input::Live(generation, decoded(&frame)),
                        // The hub let go of a queue that was full: what is missing is in the log.
                        None => Input::Live(generation, Live::Closed(Closed::Lost)),
                    },
                    () = due => Input::Tick,
                }
            }
            None => {
                due.await;
                Input::Tick
            }
        };
        if matches!(input, Input::Live(_, Live::Closed(_))) {
            self.live = None;
        }
        self.feed(input);
    }

    fn feed(&mut self, input: Input) {
        self.engine.handle(input, now(), fastrand::u64(..));
        self.effects.extend(std::iter::from_fn(|| self.engine.poll()));
    }

    async fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::OpenLive(generation) => {
                let follower = self.thread.hub.follow();
                let opened = decoded(&follower.opened);
                self.live = Some((generation, follower));
                self.feed(Input::Live(generation, opened));
            }
            Effect::CloseLive(generation) => {
                if self.live.as_ref().is_some_and(|(open, _)| *open == generation) {
                    self.live = None;
                }
            }
            Effect::Fetch(fetch) => {
                let id = fetch.id;
                let page = self.page(fetch).await;
                self.feed(Input::Page(id, page));
            }
            // Nobody gives this engine commands, and what is odd in the log is for its readers to tell.
            Effect::Knock(_) | Effect::Request(..) | Effect::Done(..) | Effect::Anomaly(_) => {}
        }
    }

    async fn page(&self, fetch: Fetch) -> Result<(threadfold::thread::Page, Notes), ReadError> {
        let id = self.thread.id.clone();
        let request =
            PageRequest { direction: Direction::After(fetch.after), limit: u64::from(fetch.limit), as_of: None };
        let answer = self.threads.store(move |store| store.page(&id, request)).await;
        let answer = answer.map_err(|error| ReadError::Network(error.to_string()))?;
        let refused =
            |status, code: &str| Err(ReadError::Refused { status, retry_after: None, code: Some(code.to_owned()) });
        match answer {
            None => refused(404, "not_found"),
            Some(answer) if fetch.epoch.is_some_and(|epoch| epoch != answer.page.epoch) => refused(409, "epoch_over"),
            Some(answer) => Ok((answer.page, Notes::default())),
        }
    }
}

/// A frame as a reader of the wire would have it.
fn decoded(frame: &Encoded) -> Live {
    let text = String::from_utf8_lossy(&frame.bytes);
    let data = text.split_once("\ndata: ").map_or("", |(_, data)| data.trim_end());
    live_event(frame.name, data)
}
