//! Why a text was refused.

use crate::text::{decimal, join};
use std::fmt;
use std::ops::Deref;

/// What was wrong, without the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text ended inside a value.
    Incomplete,
    /// Something else stood where this was due.
    Expected(&'static str),
    /// A key that the type needs is missing.
    Missing(&'static str),
    /// A `type`, `tier` or other tag that this type does not know.
    UnknownTag(String),
    /// A number that this field can't hold exactly: negative, fractional, or above 2⁵³ − 1.
    NumberRange(String),
    /// A value that this field does not allow.
    Invalid(String),
    /// Arrays and objects nested deeper than the limit.
    TooDeep(u16),
    /// More bytes than the limit.
    TooLarge {
        /// Bytes that came.
        bytes: usize,
        /// Bytes that are allowed.
        limit: usize,
    },
}

/// A refusal and its place. It is a pointer, since most results that could hold one don't.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Refusal>);

/// What an [`Error`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What was wrong.
    pub kind: ErrorKind,
    /// Byte offset in the text that was read.
    pub at: usize,
}

impl Deref for Error {
    type Target = Refusal;

    fn deref(&self) -> &Refusal {
        &self.0
    }
}

impl Error {
    #[cold]
    #[inline(never)]
    pub(super) fn new(kind: ErrorKind, at: usize) -> Self {
        Self(Box::new(Refusal { kind, at }))
    }

    /// The sentence for people.
    pub fn message(&self) -> String {
        let what: &[&str] = match &self.kind {
            ErrorKind::Incomplete => &["the JSON ends inside a value"],
            ErrorKind::Expected(what) => &["expected ", what],
            ErrorKind::Missing(key) => &["the key \"", key, "\" is missing"],
            ErrorKind::UnknownTag(tag) => &["\"", tag, "\" is not a known kind here"],
            ErrorKind::NumberRange(digits) => &[digits, " is not a whole number from 0 to 2^53 - 1"],
            ErrorKind::Invalid(what) => &[what],
            ErrorKind::TooDeep(limit) => &["nested deeper than ", &decimal(u64::from(*limit)), " levels"],
            ErrorKind::TooLarge { bytes, limit } => {
                &[&decimal(*bytes as u64), " bytes are more than the limit of ", &decimal(*limit as u64)]
            }
        };
        join(&[&join(what), " (at byte ", &decimal(self.at as u64), ")"])
    }

    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self.kind {
            ErrorKind::Incomplete => "json_incomplete",
            ErrorKind::Expected(_) => "json_syntax",
            ErrorKind::Missing(_) => "json_missing_key",
            ErrorKind::UnknownTag(_) => "json_unknown_tag",
            ErrorKind::NumberRange(_) => "json_number_range",
            ErrorKind::Invalid(_) => "json_invalid",
            ErrorKind::TooDeep(_) => "json_too_deep",
            ErrorKind::TooLarge { .. } => "json_too_large",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for Error {}
