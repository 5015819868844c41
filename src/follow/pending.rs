//! Commands under way: repeated until the host has answered, each under its own key.

use super::command::{Accepted, Command, CommandError, CommandId, OnActive, Outcome};
use super::follower::Follower;
use super::link::{Phase, Stop, backoff};
use super::options::Protocol;
use super::output::Output;
use crate::event::RunId;
use crate::text::{decimal, join};

/// So many tries, and the host counts as unreachable.
const MOST_TRIES: u32 = 8;
/// How long an answer may take, in ms; a command is safe to repeat.
const ANSWERING: u64 = 30_000;

/// A command that was not answered for good yet.
#[derive(Debug, Clone)]
struct Pending {
    id: CommandId,
    command: Command,
    tries: u32,
    next: Next,
}

#[derive(Debug, Clone, Copy)]
enum Next {
    /// It is sent at this time.
    Send(u64),
    /// Its request is under way; it counts as lost at this time.
    Answer(u64),
}

/// What became of a command.
pub(super) type Verdict = (CommandId, Result<Accepted, CommandError>);

#[derive(Debug, Clone, Default)]
pub(super) struct Commands {
    list: Vec<Pending>,
}

impl Commands {
    /// Takes a command; its first request is due at once. A command under way is not taken twice.
    pub fn add(&mut self, id: CommandId, command: Command, now: u64) {
        if self.list.iter().any(|pending| pending.id == id) {
            return;
        }
        self.list.push(Pending { id, command, tries: 0, next: Next::Send(now) });
    }

    /// The requests that are due.
    pub fn due(&mut self, now: u64) -> Vec<(CommandId, Command)> {
        let mut requests = Vec::new();
        for pending in &mut self.list {
            if matches!(pending.next, Next::Send(at) if at <= now) {
                pending.next = Next::Answer(now.saturating_add(ANSWERING));
                pending.tries = pending.tries.saturating_add(1);
                requests.push((pending.id, pending.command.clone()));
            }
        }
        requests
    }

    /// Takes an answer. None while the command goes on, or when nobody waits for the answer. A send whose outcome is not
    /// known is not repeated where the host may then say it twice (`doubles_sends`).
    pub fn answered(
        &mut self,
        id: CommandId,
        outcome: Outcome,
        now: u64,
        random: u64,
        renewable: bool,
        doubles_sends: bool,
    ) -> Option<Verdict> {
        let at = self.list.iter().position(|pending| pending.id == id)?;
        let pending = self.list.get_mut(at)?;
        let is_safe = !(doubles_sends && matches!(pending.command, Command::Send { .. }));
        let again = match &outcome {
            Outcome::Accepted(_) => None,
            Outcome::Network(_) => is_safe.then_some(0),
            Outcome::Refused { status: 429 | 503, retry_after, .. } => Some(retry_after.unwrap_or(0)),
            Outcome::Refused { status: 408 | 500..=599, .. } if !is_safe => None,
            Outcome::Refused { status: 408 | 500..=599, retry_after, .. } => Some(retry_after.unwrap_or(0)),
            Outcome::Refused { status: 401 | 403, .. } if renewable && pending.tries < 2 => Some(0),
            Outcome::Refused { .. } => None,
        };
        if let Some(floor) = again.filter(|_| pending.tries < MOST_TRIES) {
            pending.next = Next::Send(now.saturating_add(backoff(pending.tries, random).max(floor)));
            return None;
        }
        self.list.remove(at);
        Some((id, verdict(outcome)))
    }

    /// The commands whose answer is overdue.
    pub fn overdue(&self, now: u64) -> Vec<CommandId> {
        let late = |pending: &&Pending| matches!(pending.next, Next::Answer(at) if at <= now);
        self.list.iter().filter(late).map(|pending| pending.id).collect()
    }

    /// Sends what waits at once.
    pub fn hurry(&mut self, now: u64) {
        for pending in &mut self.list {
            if let Next::Send(at) = &mut pending.next {
                *at = now;
            }
        }
    }

    /// Gives up all commands.
    pub fn close(&mut self) -> Vec<Verdict> {
        let error = CommandError {
            code: "closed".to_owned(),
            message: "the client was closed before the host had answered".to_owned(),
        };
        std::mem::take(&mut self.list).into_iter().map(|pending| (pending.id, Err(error.clone()))).collect()
    }

    pub fn deadline(&self) -> Option<u64> {
        let due = |pending: &Pending| match pending.next {
            Next::Send(at) | Next::Answer(at) => at,
        };
        self.list.iter().map(due).min()
    }
}

fn verdict(outcome: Outcome) -> Result<Accepted, CommandError> {
    match outcome {
        Outcome::Accepted(accepted) => Ok(accepted),
        Outcome::Network(why) => Err(CommandError {
            code: "unreachable".to_owned(),
            message: join(&["the host did not answer (", &why, "); the command may have been carried out"]),
        }),
        Outcome::Refused { status, code, message, .. } => Err(CommandError {
            code: match status {
                401 | 403 if code.is_empty() => "unauthorized".to_owned(),
                _ if code.is_empty() => join(&["http_", &decimal(u64::from(status))]),
                _ => code,
            },
            message: if message.is_empty() {
                join(&["the host refused with status ", &decimal(u64::from(status))])
            } else {
                message
            },
        }),
    }
}

impl Follower {
    pub(super) fn command(&mut self, id: CommandId, command: Command, now: u64) {
        match self.addressed(command) {
            Ok(command) => self.commands.add(id, command, now),
            Err(error) => self.outputs.push_back(Output::Done(id, Err(error))),
        }
    }

    /// Fills in the run that a command is for.
    fn addressed(&self, command: Command) -> Result<Command, CommandError> {
        let refused = |code: &str, message: String| Err(CommandError { code: code.to_owned(), message });
        if self.link.phase == Phase::Stopped(Stop::Closed) {
            return refused("closed", "this client is closed; make a new one".to_owned());
        }
        let runs = self.side.as_ref().map(|side| &side.runs);
        match command {
            // A dsh host takes whatever comes, and one of the contract knows nothing of steps.
            Command::Send { on_active: OnActive::Reject, .. }
                if self.protocol == Protocol::Dsh && runs.is_some_and(|runs| runs.any()) =>
            {
                refused("run_active", "a turn is not over; wait, cancel it, or let this one wait".to_owned())
            }
            Command::Send { on_active: OnActive::Steer, .. } if self.protocol != Protocol::Dsh => {
                refused("unsupported", "only a run of a dsh host can be steered".to_owned())
            }
            Command::Resume { run_id: None, call_id, answer, idempotency_key } => {
                match runs.and_then(|runs| runs.waiting_for(call_id.as_ref())) {
                    Some(run) => Ok(Command::Resume { run_id: Some(run.clone()), call_id, answer, idempotency_key }),
                    None => match call_id {
                        Some(call) => {
                            refused("nothing_pending", join(&["no run waits for the call \"", call.as_str(), "\""]))
                        }
                        None => refused("nothing_pending", "no run rests in a pause".to_owned()),
                    },
                }
            }
            Command::Cancel { run_id: None } => match runs.and_then(|runs| runs.newest()).or(self.unseen_run()) {
                Some(run) => Ok(Command::Cancel { run_id: Some(run.clone()) }),
                None => refused("no_active_run", "no run is active that could be cancelled".to_owned()),
            },
            other => Ok(other),
        }
    }

    /// The run that the host accepted last, while the log may not have it yet: a stop right after a send is meant for it.
    fn unseen_run(&self) -> Option<&RunId> {
        let is_over = |run: &RunId| self.side.as_ref().is_some_and(|side| side.runs.is_over(run));
        self.accepted_run.as_ref().filter(|run| !is_over(run))
    }

    pub(super) fn response(&mut self, id: CommandId, outcome: Outcome, now: u64, random: u64) {
        // A dsh host says the same thing twice when it is asked twice and the first is in its log already.
        let doubles_sends = self.protocol == Protocol::Dsh;
        let answered = self.commands.answered(id, outcome, now, random, self.renewable, doubles_sends);
        let Some((id, result)) = answered else { return };
        if let Ok(accepted) = &result {
            self.accepted_run = accepted.run_id.clone().or(self.accepted_run.take());
            if matches!(self.link.phase, Phase::Stopped(Stop::Failed("not_found" | "no_content" | "unreachable"))) {
                // The first message makes the thread (C1), and the host is there. A page out of sight opens when it is seen.
                self.link.answered(now);
                self.reads.hurry();
            } else if !matches!(self.link.phase, Phase::Open { .. }) && self.side.is_some() {
                // The answer names no epoch, so its seq may be of a log that is over: no target, just a look.
                self.reads.look();
            }
        }
        self.outputs.push_back(Output::Done(id, result));
    }
}
