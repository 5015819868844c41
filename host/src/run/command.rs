//! What clients may ask of runs: send, resume, cancel (C1). Each may be repeated under its key.

use super::thread::{Active, Thread, Threads};
use crate::store::{Command, Commit, NewMessage, NewState, Queued, StoreError};
use std::sync::Arc;
use threadfold::event::{CallId, MessageId, RunId, ThreadId};
use threadfold::json;
use threadfold::source::threadfold::{Accepted, Answer, OnActive, ResumeRequest, SendInput, SendRequest};
use threadfold::thread::{Block, EndCause, Message, Record, ResumeTicket, Role, RunState, Target, ToolReason};
use tokio_util::sync::CancellationToken;

/// Why a command was not carried out.
#[derive(Debug)]
pub enum Rejected {
    /// The thread or run is unknown.
    NotFound(String),
    /// The command makes no sense: what is wrong with it.
    Bad(&'static str, String),
    /// It conflicts with what is: a code and a sentence.
    Conflict(&'static str, String),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for Rejected {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The answer to a resume.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumed {
    /// The run that goes on.
    pub run_id: RunId,
    /// The first seq of the resume's commit.
    pub seq: Option<u64>,
}

impl Threads {
    /// Begins a run, or queues it.
    ///
    /// # Errors
    /// `run_active` when a run is not over and the request does not say what to do about it.
    pub async fn send(self: &Arc<Self>, id: &ThreadId, request: SendRequest) -> Result<Accepted, Rejected> {
        check(&request)?;
        let thread = self.thread_or_new(id).await?;
        let command = Command { key: request.idempotency_key.clone(), text: format!("send {}", json::write(&request)) };
        let mut active = thread.active.lock().await;
        if let Some(known) = self.known(&thread, &command).await? {
            let message_id = known.message_id.unwrap_or(request.input.message_id);
            return Ok(Accepted { run_id: known.run_id, message_id, seq: known.seq });
        }
        let run = RunId::from(format!("r-{}", &short_id()).as_str());
        let Some(current) = &*active else {
            let message_id = request.input.message_id.clone();
            let seq = self.begin(&thread, &mut active, run.clone(), request.input, Some(command), false).await?;
            return Ok(Accepted { run_id: run, message_id, seq });
        };
        let front = match request.on_active.unwrap_or(OnActive::Reject) {
            OnActive::Reject | OnActive::Steer => {
                let message = format!("run {} is not over; wait, cancel it, or send with on_active", current.run);
                return Err(Rejected::Conflict("run_active", message));
            }
            OnActive::Queue => false,
            OnActive::Cancel => true,
        };
        let message_id = request.input.message_id.clone();
        let queued = Queued { run_id: run.clone(), input: request.input, cancelled: false };
        let queued_in = thread.id.clone();
        self.store(move |store| store.enqueue(&queued_in, queued, command, front)).await?;
        if front {
            self.cancel_active(&thread, &mut active).await?;
        }
        Ok(Accepted { run_id: run, message_id, seq: None })
    }

    /// Answers what a run waits for.
    ///
    /// # Errors
    /// `already_resolved` when an answer came before; `wrong_answer` when the run waits for something else.
    pub async fn resume(
        self: &Arc<Self>,
        id: &ThreadId,
        run: &RunId,
        request: ResumeRequest,
    ) -> Result<Resumed, Rejected> {
        let thread = self.thread(id).await?.ok_or_else(|| Rejected::NotFound(format!("there is no thread {id}")))?;
        let command =
            Command { key: request.idempotency_key.clone(), text: format!("resume {run} {}", json::write(&request)) };
        let mut active = thread.active.lock().await;
        if let Some(known) = self.known(&thread, &command).await? {
            return Ok(Resumed { run_id: known.run_id, seq: known.seq });
        }
        let (in_thread, wanted) = (thread.id.clone(), run.clone());
        let latest = self
            .store(move |store| store.latest(&in_thread, Some(&wanted)))
            .await?
            .ok_or_else(|| Rejected::NotFound(format!("there is no run {run} in {id}")))?;
        let resolved = || Rejected::Conflict("already_resolved", format!("run {run} does not wait for this any more"));
        let (RunState::Awaiting, Some(ticket)) = (&latest.state, &latest.resume_ticket) else { return Err(resolved()) };
        if ticket.target.call_id().is_some_and(|call| call.as_str() != request.correlation_id) {
            return Err(resolved());
        }
        let outcome = outcome(ticket, request)?;
        let commit = Commit {
            messages: outcome.result.into_iter().collect(),
            state: Some(NewState { state: RunState::Running, ticket: None }),
            command: Some(command),
            ..Commit::of(run)
        };
        let rows = self.commit(&thread, commit).await?;
        self.work(&thread, &mut active, run.clone(), outcome.granted);
        Ok(Resumed { run_id: run.clone(), seq: rows.first().map(Record::seq) })
    }

    /// Cancels a run. One that is over stays as it is.
    ///
    /// # Errors
    /// When there is no such run.
    pub async fn cancel(self: &Arc<Self>, id: &ThreadId, run: &RunId) -> Result<(), Rejected> {
        let thread = self.thread(id).await?.ok_or_else(|| Rejected::NotFound(format!("there is no thread {id}")))?;
        let mut active = thread.active.lock().await;
        if active.as_ref().is_some_and(|active| active.run == *run) {
            self.cancel_active(&thread, &mut active).await?;
            return Ok(());
        }
        let (in_thread, wanted) = (thread.id.clone(), run.clone());
        let known = self
            .store(move |store| {
                Ok(store.cancel_queued(&in_thread, &wanted)? || store.latest(&in_thread, Some(&wanted))?.is_some())
            })
            .await?;
        if known { Ok(()) } else { Err(Rejected::NotFound(format!("there is no run {run} in {id}"))) }
    }

    /// A run that works ends itself soon; one that waits is ended here.
    async fn cancel_active(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        active: &mut Option<Active>,
    ) -> Result<(), StoreError> {
        let Some(current) = &*active else { return Ok(()) };
        if let Some(working) = &current.working {
            working.cancel();
            return Ok(());
        }
        let run = current.run.clone();
        self.commit(thread, Commit::state(&run, RunState::Ended(EndCause::Cancelled))).await?;
        eprintln!("run {run} of {}: cancelled while it waited", thread.id);
        self.start_next(thread, active).await
    }

    /// Commits a run's first rows and lets it work. Its seq is that of the person's message.
    async fn begin(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        active: &mut Option<Active>,
        run: RunId,
        input: SendInput,
        command: Option<Command>,
        leaves_queue: bool,
    ) -> Result<Option<u64>, StoreError> {
        let message = Message { id: input.message_id, role: Role::User, content: input.content };
        let commit = Commit {
            messages: vec![NewMessage { place: None, message }],
            state: Some(NewState { state: RunState::Running, ticket: None }),
            command,
            leaves_queue,
            ..Commit::of(&run)
        };
        let rows = self.commit(thread, commit).await?;
        eprintln!("run {run} of {}: started", thread.id);
        self.work(thread, active, run, None);
        Ok(rows.first().map(Record::seq))
    }

    fn work(self: &Arc<Self>, thread: &Arc<Thread>, active: &mut Option<Active>, run: RunId, granted: Option<CallId>) {
        let cancel = CancellationToken::new();
        *active = Some(Active { run: run.clone(), working: Some(cancel.clone()) });
        tokio::spawn(Arc::clone(self).drive(Arc::clone(thread), run, cancel, granted));
    }

    /// After a run's end: begins the first of the queue that was not cancelled.
    pub(super) async fn start_next(
        self: &Arc<Self>,
        thread: &Arc<Thread>,
        active: &mut Option<Active>,
    ) -> Result<(), StoreError> {
        *active = None;
        let id = thread.id.clone();
        for queued in self.store(move |store| store.queue(&id)).await? {
            if !queued.cancelled {
                self.begin(thread, active, queued.run_id, queued.input, None, true).await?;
                return Ok(());
            }
            let message = Message { id: queued.input.message_id, role: Role::User, content: queued.input.content };
            let commit = Commit {
                messages: vec![NewMessage { place: None, message }],
                state: Some(NewState { state: RunState::Running, ticket: None }),
                leaves_queue: true,
                ..Commit::of(&queued.run_id)
            };
            self.commit(thread, commit).await?;
            self.commit(thread, Commit::state(&queued.run_id, RunState::Ended(EndCause::Cancelled))).await?;
        }
        Ok(())
    }

    /// What was answered to this command before.
    async fn known(&self, thread: &Thread, command: &Command) -> Result<Option<crate::store::Remembered>, Rejected> {
        let (id, key) = (thread.id.clone(), command.key.clone());
        match self.store(move |store| store.remembered(&id, &key)).await? {
            Some(known) if known.command != *command => Err(Rejected::Conflict(
                "idempotency_key_reused",
                format!("the key {} was used for another command", command.key),
            )),
            known => Ok(known),
        }
    }
}

/// What a resume does.
struct Outcome {
    /// A result for the call, from the client or because it was denied.
    result: Option<NewMessage>,
    /// The call that was allowed.
    granted: Option<CallId>,
}

fn outcome(ticket: &ResumeTicket, request: ResumeRequest) -> Result<Outcome, Rejected> {
    let wrong = |needs: &str| Err(Rejected::Bad("wrong_answer", format!("the run waits for {needs}")));
    match (&ticket.target, request.answer) {
        (
            Target::ToolCall { reason: ToolReason::ClientExecution, call_id, .. },
            Answer::Result { content, is_error },
        )
        | (Target::RemoteInput { call_id, .. }, Answer::Result { content, is_error }) => {
            Ok(Outcome { result: Some(result(call_id, content, is_error)), granted: None })
        }
        (Target::ToolCall { reason: ToolReason::ClientExecution, .. } | Target::RemoteInput { .. }, _) => {
            wrong("a result: {content, is_error}")
        }
        (Target::ToolCall { call_id, .. }, Answer::Approve { approve: true, .. }) => {
            Ok(Outcome { result: None, granted: Some(call_id.clone()) })
        }
        (Target::ToolCall { call_id, .. }, Answer::Approve { approve: false, reason }) => {
            let text = match reason {
                Some(reason) => format!("denied: {reason}"),
                None => "denied".to_owned(),
            };
            Ok(Outcome { result: Some(result(call_id, vec![Block::Text { text }], true)), granted: None })
        }
        (Target::ToolCall { .. }, _) => wrong("a permission: {approve}"),
        (Target::Pause(_) | Target::Unknown { .. }, _) => Ok(Outcome { result: None, granted: None }),
    }
}

/// The message with a tool's answer.
pub(super) fn result(call: &CallId, content: Vec<Block>, is_error: bool) -> NewMessage {
    let block = Block::ToolResult { tool_use_id: call.clone(), content, is_error };
    let message =
        Message { id: MessageId::from(format!("tool-{call}").as_str()), role: Role::Tool, content: vec![block] };
    NewMessage { place: None, message }
}

fn check(request: &SendRequest) -> Result<(), Rejected> {
    let bad = |what: &str| Err(Rejected::Bad("bad_input", what.to_owned()));
    if !(1..=200).contains(&request.input.message_id.as_str().len()) {
        return bad("message_id must have 1 to 200 bytes");
    }
    if !(1..=200).contains(&request.idempotency_key.len()) {
        return bad("idempotency_key must have 1 to 200 bytes");
    }
    if request.input.content.is_empty() {
        return bad("content must have a block");
    }
    if request
        .input
        .content
        .iter()
        .any(|block| matches!(block, Block::ToolUse { .. } | Block::ToolResult { .. } | Block::Thinking { .. }))
    {
        return bad("a person's message can't hold tool calls, tool results or reasoning");
    }
    Ok(())
}

/// Twelve random hexadecimal digits.
pub(super) fn short_id() -> String {
    uuid::Uuid::new_v4().simple().to_string().chars().take(12).collect()
}
