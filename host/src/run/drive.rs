//! A run at work: respond, run tools, wait, end.

use super::command::result;
use super::next::{Call, Next, next};
use super::thread::{Thread, Threads};
use crate::agent::{self, Kind};
use crate::store::{Commit, NewMessage, NewState, StoreError};
use std::pin::Pin;
use std::sync::Arc;
use threadfold::event::{CallId, RunId};
use threadfold::json;
use threadfold::thread::{EndCause, Failure, Inference, Record, ResumeTicket, RunState, Target, Tool, ToolReason};
use tokio_util::sync::CancellationToken;

/// What a run does after a commit.
pub(super) enum Then {
    /// It works on.
    Go,
    /// It is over, or waits for somebody.
    Rest,
}

impl Threads {
    /// Works until the run is over or waits. It owes nothing to any client.
    ///
    /// Boxed, because the end of one run may begin another.
    pub(super) fn drive(
        self: Arc<Self>,
        thread: Arc<Thread>,
        run: RunId,
        cancel: CancellationToken,
        granted: Option<CallId>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            if let Err(error) = self.work_on(&thread, &run, &cancel, granted).await {
                self.broken(&thread, &run, &cancel, &error).await;
            }
        })
    }

    /// The store failed under a run.
    async fn broken(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        run: &RunId,
        cancel: &CancellationToken,
        error: &StoreError,
    ) {
        eprintln!("run {run} of {}: the store failed: {error}", thread.id);
        thread.hub.abandon();
        let failure =
            Failure::Inference(Inference { code: "store_unavailable".to_owned(), message: error.to_string() });
        let ended = Commit::state(run, RunState::Ended(EndCause::Error(failure)));
        if let Err(error) = self.rest(thread, cancel, ended).await {
            // The run stays Running in the log; the next start settles it.
            eprintln!("run {run} of {}: its end could not be committed: {error}", thread.id);
            *thread.active.lock().await = None;
        }
    }

    async fn work_on(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        run: &RunId,
        cancel: &CancellationToken,
        mut granted: Option<CallId>,
    ) -> Result<(), StoreError> {
        let (id, wanted) = (thread.id.clone(), run.clone());
        let mut rows = self.store(move |store| store.records(&id, Some(&wanted))).await?;
        loop {
            let then = if cancel.is_cancelled() {
                self.rest(thread, cancel, Commit::state(run, RunState::Ended(EndCause::Cancelled))).await?;
                Then::Rest
            } else {
                match next(run, &rows) {
                    Next::Tools(calls) => {
                        // Allowed once: a later step may use the same id for another call.
                        let granted = granted.take();
                        self.run_tools(thread, run, cancel, calls, granted.as_ref(), &mut rows).await?
                    }
                    Next::Respond { step, .. } if step >= self.limits.max_steps => {
                        self.rest(thread, cancel, Commit::state(run, RunState::Ended(EndCause::MaxSteps))).await?;
                        Then::Rest
                    }
                    Next::Respond { step, response } => {
                        self.respond(thread, run, cancel, (step, response), &mut rows).await?
                    }
                }
            };
            if let Then::Rest = then {
                return Ok(());
            }
        }
    }

    /// Runs what the host may run at once; the first of the others is waited for.
    async fn run_tools(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        run: &RunId,
        cancel: &CancellationToken,
        calls: Vec<Call>,
        granted: Option<&CallId>,
        rows: &mut Vec<Record>,
    ) -> Result<Then, StoreError> {
        let mut results: Vec<NewMessage> = Vec::new();
        let mut ticket = None;
        for call in calls {
            let reason = match agent::kind(&call.name) {
                Kind::Host => None,
                Kind::Permission if granted == Some(&call.id) => None,
                Kind::Permission => Some(ToolReason::Permission),
                Kind::Client => Some(ToolReason::ClientExecution),
            };
            match reason {
                None => {
                    let (content, is_error) = agent::run(&call.name, &call.input);
                    results.push(result(&call.id, content, is_error));
                }
                Some(reason) if ticket.is_none() => {
                    let tool = Some(Tool { tool_id: call.name, arguments: call.input });
                    ticket = Some(ResumeTicket {
                        target: Target::ToolCall { reason, call_id: call.id, tool },
                        detail: None,
                    });
                }
                Some(_) => {}
            }
        }
        let mut commit = Commit { messages: results, ..Commit::of(run) };
        if ticket.is_some() {
            commit.state = Some(NewState { state: RunState::Awaiting, ticket });
            self.rest(thread, cancel, commit).await?;
            return Ok(Then::Rest);
        }
        rows.extend(self.commit(thread, commit).await?);
        Ok(Then::Go)
    }

    /// Commits what ends the run or lets it wait. Under the lock of commands, so that no command falls between: a run
    /// that was cancelled meanwhile does not begin to wait.
    pub(super) async fn rest(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        cancel: &CancellationToken,
        mut commit: Commit,
    ) -> Result<Vec<Record>, StoreError> {
        let mut active = thread.active.lock().await;
        if let Some(new) = &mut commit.state
            && new.state == RunState::Awaiting
            && cancel.is_cancelled()
        {
            *new = NewState { state: RunState::Ended(EndCause::Cancelled), ticket: None };
        }
        let run = commit.run_id.clone();
        let state = commit.state.as_ref().map(|new| new.state.clone());
        let rows = self.commit(thread, commit).await?;
        if let Some(state) = &state {
            eprintln!("run {run} of {}: {}", thread.id, json::write(state));
        }
        if state == Some(RunState::Awaiting) {
            if let Some(active) = &mut *active {
                active.working = None;
            }
        } else if let Err(error) = self.start_next(thread, &mut active).await {
            eprintln!("the queue of {} stands still: {error}", thread.id);
        }
        Ok(rows)
    }
}
