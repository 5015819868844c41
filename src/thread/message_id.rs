//! What a message id says, relative to the run that its record belongs to (A2.2).

use crate::event::{MessageId, RunId};

/// What the id of a message names. Ids that carry a run count only with exactly the record's own run: the id of another
/// run's message says nothing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageName<'a> {
    /// `{run}-assistant-{step}`: the last answer of a step.
    Assistant {
        /// The model step.
        step: u32,
    },
    /// `{run}-assistant-{step}-truncated-{n}`: an answer that the token limit cut.
    Truncated {
        /// The model step.
        step: u32,
        /// Which answer of that step.
        response: u32,
    },
    /// `{run}-continuation-{step}-{n}`: the injected "go on" after a cut answer.
    Continuation {
        /// The model step.
        step: u32,
        /// Which of that step.
        number: u32,
    },
    /// `{run}-steer-{n}`: a turn injected by a guard.
    Steer {
        /// Which of that run.
        number: u32,
    },
    /// `tool-{call}`: a tool's answer. Such ids repeat.
    Tool {
        /// The call.
        call: &'a str,
    },
    /// `resume-input-{call}`: what a waiting run was given to go on.
    ResumeInput {
        /// The call.
        call: &'a str,
    },
    /// `agent-thread-report-…`: another agent's report.
    Report,
    /// Anything else: the id is opaque.
    Opaque,
}

impl<'a> MessageName<'a> {
    /// Decodes the id of a message of this run; None for a message that belongs to no run.
    pub fn of(id: &'a MessageId, run: Option<&RunId>) -> Self {
        let text = id.as_str();
        let own = run.and_then(|run| text.strip_prefix(run.as_str())).and_then(|rest| rest.strip_prefix("-"));
        if let Some(name) = own.and_then(within_run) {
            return name;
        }
        if let Some(call) = text.strip_prefix("tool-") {
            return Self::Tool { call };
        }
        if let Some(call) = text.strip_prefix("resume-input-") {
            return Self::ResumeInput { call };
        }
        if text.starts_with("agent-thread-report-") {
            return Self::Report;
        }
        Self::Opaque
    }

    /// True for a user turn that the host made: it is not shown as something the person said.
    pub fn is_injected(self) -> bool {
        match self {
            Self::Continuation { .. } | Self::Steer { .. } | Self::ResumeInput { .. } | Self::Report => true,
            Self::Assistant { .. } | Self::Truncated { .. } | Self::Tool { .. } | Self::Opaque => false,
        }
    }
}

/// Decodes what follows `{run}-`.
fn within_run(rest: &str) -> Option<MessageName<'static>> {
    if let Some(number) = rest.strip_prefix("steer-") {
        return Some(MessageName::Steer { number: decimal(number)? });
    }
    if let Some(numbers) = rest.strip_prefix("continuation-") {
        let (step, number) = cut(numbers)?;
        return Some(MessageName::Continuation { step: decimal(step)?, number: decimal(number)? });
    }
    let numbers = rest.strip_prefix("assistant-")?;
    match cut(numbers) {
        None => Some(MessageName::Assistant { step: decimal(numbers)? }),
        Some((step, rest)) => {
            let response = decimal(rest.strip_prefix("truncated-")?)?;
            Some(MessageName::Truncated { step: decimal(step)?, response })
        }
    }
}

/// What stands before and after the first hyphen. The standard library's search for a character is 400 bytes of the wire.
fn cut(text: &str) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == b'-')?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// A number as hosts write it: digits alone, without leading zeros, so that each number has one id.
fn decimal(digits: &str) -> Option<u32> {
    let plain = digits == "0" || !digits.starts_with("0");
    (plain && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
