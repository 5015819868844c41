//! One response of the model: its attempts, and the commit that it becomes.

use super::command::short_id;
use super::drive::Then;
use super::thread::{Thread, Threads};
use crate::agent::{Ask, Finish, Piece};
use crate::hub::Joined;
use crate::provider::GO_ON;
use crate::store::{Commit, NewMessage, NewState, StoreError};
use std::sync::Arc;
use threadfold::event::{AttemptId, Coordinate, MessageId, RunId};
use threadfold::json::Raw;
use threadfold::thread::{Block, EndCause, Failure, Inference, Message, Record, ResumeTicket, Role, RunState, Target};
use tokio_util::sync::CancellationToken;

/// How an attempt ended.
enum Outcome {
    Complete(Finish),
    Failed(Inference),
    Cancelled,
}

impl Threads {
    /// Lets the model respond, attempt by attempt, and commits what comes of it.
    pub(super) async fn respond(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        run: &RunId,
        cancel: &CancellationToken,
        (step, response): (u32, u32),
        rows: &mut Vec<Record>,
    ) -> Result<Then, StoreError> {
        let coordinate = Coordinate { run_id: run.clone(), step, response };
        let mut failure = Inference { code: "no_attempt".to_owned(), message: "no attempt was allowed".to_owned() };
        for attempt in 0..self.limits.attempts {
            if attempt > 0 {
                let pause = self.limits.retry.saturating_mul(1 << (attempt - 1).min(6));
                tokio::select! {
                    () = cancel.cancelled() => {}
                    () = tokio::time::sleep(pause) => {}
                }
            }
            let ask = Ask {
                thread: thread.id.clone(),
                coordinate: coordinate.clone(),
                attempt,
                run: messages(rows),
                history: self.history(thread).await?,
            };
            match self.attempt(thread, cancel, ask).await {
                Outcome::Complete(finish) => {
                    return self.complete(thread, cancel, &coordinate, finish, rows).await;
                }
                Outcome::Failed(why) => {
                    eprintln!("run {run} of {}: attempt {attempt} failed: {}", thread.id, why.message);
                    thread.hub.abandon();
                    failure = why;
                }
                Outcome::Cancelled => return self.cancelled(thread, cancel, &coordinate).await,
            }
        }
        let ended = RunState::Ended(EndCause::Error(Failure::Inference(failure)));
        self.rest(thread, cancel, Commit::state(run, ended)).await?;
        Ok(Then::Rest)
    }

    async fn history(&self, thread: &Thread) -> Result<Vec<Message>, StoreError> {
        if !self.model.wants_history() {
            return Ok(Vec::new());
        }
        let id = thread.id.clone();
        Ok(messages(&self.store(move |store| store.records(&id, None)).await?))
    }

    /// Streams one attempt.
    async fn attempt(&self, thread: &Thread, cancel: &CancellationToken, ask: Ask) -> Outcome {
        let attempt = AttemptId::from(format!("a-{}", short_id()).as_str());
        thread.hub.start(attempt, ask.coordinate.clone());
        let mut pieces = self.model.answer(ask);
        let streamed = async {
            loop {
                match pieces.recv().await {
                    Some(Piece::Delta(delta)) => {
                        thread.gate.pass().await;
                        thread.hub.delta(delta);
                    }
                    Some(Piece::Finish(finish)) => {
                        // Held before the commit too: "after n Deltas" may be the last one.
                        thread.gate.end().await;
                        return Outcome::Complete(finish);
                    }
                    Some(Piece::Failed(failure)) => return Outcome::Failed(failure),
                    None => {
                        let message = "the model's stream ended without a finish".to_owned();
                        return Outcome::Failed(Inference { code: "stream_broken".to_owned(), message });
                    }
                }
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Outcome::Cancelled,
            outcome = streamed => outcome,
        }
    }

    /// A complete response becomes a record; its finish says what else is in the commit.
    async fn complete(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        cancel: &CancellationToken,
        coordinate: &Coordinate,
        finish: Finish,
        rows: &mut Vec<Record>,
    ) -> Result<Then, StoreError> {
        let Coordinate { run_id: run, step, response } = coordinate;
        let said = thread.hub.sent().map(|sent| sent.said).unwrap_or_default();
        let content = said.blocks(true);
        let has_calls = content.iter().any(|block| matches!(block, Block::ToolUse { .. }));
        let cut = finish == Finish::Length && !has_calls;
        let mut commit = Commit { messages: vec![assistant(coordinate, content, cut)], ..Commit::of(run) };
        let state = match finish {
            _ if has_calls => None,
            Finish::Done => Some((RunState::Ended(EndCause::NaturalEnd), None)),
            Finish::Length if *response >= self.limits.max_continuations => {
                Some((RunState::Ended(EndCause::MaxSteps), None))
            }
            Finish::Length => {
                let id = format!("{run}-continuation-{step}-{response}");
                commit.messages.push(injected(&id, GO_ON));
                None
            }
            Finish::Steer(text) => {
                let number = rows.iter().filter(|record| is_steer(run, record)).count();
                commit.messages.push(injected(&format!("{run}-steer-{number}"), &text));
                None
            }
            Finish::Pause(pause) => {
                Some((RunState::Awaiting, Some(ResumeTicket { target: Target::Pause(pause), detail: None })))
            }
            Finish::Stop(reason) => {
                let reason = Raw::from_writer(|w| w.string(&reason));
                Some((RunState::Ended(EndCause::Stopped(reason)), None))
            }
        };
        match state {
            None => {
                rows.extend(self.commit(thread, commit).await?);
                Ok(Then::Go)
            }
            Some((state, ticket)) => {
                commit.state = Some(NewState { state, ticket });
                self.rest(thread, cancel, commit).await?;
                Ok(Then::Rest)
            }
        }
    }

    /// What people saw stays: a cancelled response is committed as far as it came, without calls that were never made.
    async fn cancelled(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        cancel: &CancellationToken,
        coordinate: &Coordinate,
    ) -> Result<Then, StoreError> {
        let said: Joined = thread.hub.sent().map(|sent| sent.said).unwrap_or_default();
        let content = said.blocks(false);
        let mut commit = Commit::state(&coordinate.run_id, RunState::Ended(EndCause::Cancelled));
        if content.is_empty() {
            thread.hub.abandon();
        } else {
            commit.messages.push(assistant(coordinate, content, false));
        }
        self.rest(thread, cancel, commit).await?;
        Ok(Then::Rest)
    }
}

fn assistant(coordinate: &Coordinate, content: Vec<Block>, cut: bool) -> NewMessage {
    let Coordinate { run_id: run, step, response } = coordinate;
    let id =
        if cut { format!("{run}-assistant-{step}-truncated-{response}") } else { format!("{run}-assistant-{step}") };
    let message = Message { id: MessageId::from(id.as_str()), role: Role::Assistant, content };
    NewMessage { place: Some((*step, *response)), message }
}

/// A user turn that no person said.
fn injected(id: &str, text: &str) -> NewMessage {
    let content = vec![Block::Text { text: text.to_owned() }];
    NewMessage { place: None, message: Message { id: MessageId::from(id), role: Role::User, content } }
}

fn is_steer(run: &RunId, record: &Record) -> bool {
    let Record::Message(row) = record else { return false };
    row.message.id.as_str().strip_prefix(run.as_str()).is_some_and(|rest| rest.starts_with("-steer-"))
}

fn messages(rows: &[Record]) -> Vec<Message> {
    rows.iter()
        .filter_map(|record| match record {
            Record::Message(row) => Some(row.message.clone()),
            Record::Run(_) | Record::Aside(_) => None,
        })
        .collect()
}
