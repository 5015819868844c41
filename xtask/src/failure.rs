//! How a command fails: what is printed, and the exit code.

use std::fmt;
use std::process::ExitCode;

/// What a command returns.
pub type Outcome<T = ()> = Result<T, Failure>;

/// Why a command ended without doing what it was asked for.
#[derive(Debug)]
pub enum Failure {
    /// The command line makes no sense: exit code 2.
    Usage(String),
    /// A step failed: exit code 1.
    Failed(String),
    /// A process whose exit code is this command's own, and which has said why by itself.
    Code(u8),
}

impl Failure {
    /// A failed step, from anything that can be printed.
    pub fn of(reason: impl fmt::Display) -> Self {
        Failure::Failed(reason.to_string())
    }

    /// Prints the reason and gives the exit code.
    pub fn report(&self) -> ExitCode {
        match self {
            Failure::Usage(reason) => {
                eprintln!("xtask: {reason}");
                ExitCode::from(2)
            }
            Failure::Failed(reason) => {
                eprintln!("xtask: {reason}");
                ExitCode::from(1)
            }
            Failure::Code(code) => ExitCode::from(*code),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(reason) | Failure::Failed(reason) => out.write_str(reason),
            Failure::Code(code) => write!(out, "exit code {code}"),
        }
    }
}

/// Says what was being done when the system refused.
pub trait Context<T> {
    /// `doing` is a phrase like "reading Cargo.lock".
    fn context(self, doing: impl fmt::Display) -> Outcome<T>;
}

impl<T, E: fmt::Display> Context<T> for Result<T, E> {
    fn context(self, doing: impl fmt::Display) -> Outcome<T> {
        self.map_err(|error| Failure::Failed(format!("{doing}: {error}")))
    }
}
