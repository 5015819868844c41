//! Commands under way: repeated until the host has answered, each under its own key.

use super::command::{Accepted, Command, CommandError, CommandId, Outcome};
use super::link::backoff;

/// So many tries, and the host counts as unreachable.
const MOST_TRIES: u32 = 8;

/// A command that was not answered for good yet.
#[derive(Debug, Clone)]
struct Pending {
    id: CommandId,
    command: Command,
    tries: u32,
    /// When it is sent again; None while its request is under way.
    at: Option<u64>,
}

/// What became of a command.
pub(super) type Verdict = (CommandId, Result<Accepted, CommandError>);

#[derive(Debug, Clone, Default)]
pub(super) struct Commands {
    list: Vec<Pending>,
}

impl Commands {
    /// Takes a command; its first request is due at once.
    pub fn add(&mut self, id: CommandId, command: Command, now: u64) {
        self.list.push(Pending { id, command, tries: 0, at: Some(now) });
    }

    /// The requests that are due.
    pub fn due(&mut self, now: u64) -> Vec<(CommandId, Command)> {
        let mut requests = Vec::new();
        for pending in &mut self.list {
            if pending.at.is_some_and(|at| at <= now) {
                pending.at = None;
                pending.tries = pending.tries.saturating_add(1);
                requests.push((pending.id, pending.command.clone()));
            }
        }
        requests
    }

    /// Takes an answer. None while the command goes on, or when nobody waits for the answer.
    pub fn answered(
        &mut self,
        id: CommandId,
        outcome: Outcome,
        now: u64,
        random: u64,
        renewable: bool,
    ) -> Option<Verdict> {
        let at = self.list.iter().position(|pending| pending.id == id)?;
        let pending = self.list.get_mut(at)?;
        let again = match &outcome {
            Outcome::Accepted(_) => None,
            Outcome::Network(_) => Some(0),
            Outcome::Refused { status: 408 | 429 | 500..=599, retry_after, .. } => Some(retry_after.unwrap_or(0)),
            Outcome::Refused { status: 401 | 403, .. } if renewable && pending.tries < 2 => Some(0),
            Outcome::Refused { .. } => None,
        };
        if let Some(floor) = again.filter(|_| pending.tries < MOST_TRIES) {
            pending.at = Some(now.saturating_add(backoff(pending.tries, random).max(floor)));
            return None;
        }
        self.list.remove(at);
        Some((id, verdict(outcome)))
    }

    /// Sends what waits at once.
    pub fn hurry(&mut self, now: u64) {
        for pending in &mut self.list {
            pending.at = pending.at.map(|_| now);
        }
    }

    /// Gives up all commands.
    pub fn close(&mut self) -> Vec<Verdict> {
        let error = CommandError {
            code: "closed".to_owned(),
            message: "the client was closed before the host had answered".to_owned(),
        };
        self.list.drain(..).map(|pending| (pending.id, Err(error.clone()))).collect()
    }

    pub fn deadline(&self) -> Option<u64> {
        self.list.iter().filter_map(|pending| pending.at).min()
    }
}

fn verdict(outcome: Outcome) -> Result<Accepted, CommandError> {
    match outcome {
        Outcome::Accepted(accepted) => Ok(accepted),
        Outcome::Network(why) => Err(CommandError {
            code: "unreachable".to_owned(),
            message: format!("the host did not answer ({why}); the command may have been carried out"),
        }),
        Outcome::Refused { status, code, message, .. } => Err(CommandError {
            code: match status {
                401 | 403 if code.is_empty() => "unauthorized".to_owned(),
                _ if code.is_empty() => format!("http_{status}"),
                _ => code,
            },
            message: if message.is_empty() { format!("the host refused with status {status}") } else { message },
        }),
    }
}
