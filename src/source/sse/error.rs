//! Why a stream of events could not be decoded any further.

use std::fmt;

/// Why a [`Decoder`](super::Decoder) stopped. Bytes can't be malformed for it (the standard gives every stream a
/// meaning), only too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SseError {
    /// A line, or the fields of one event together, exceed the limit.
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
}

impl SseError {
    /// The name of this error for programs. It never changes.
    pub fn code(&self) -> &'static str {
        match self {
            SseError::TooLong { .. } => "sse_event_too_long",
        }
    }
}

impl fmt::Display for SseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SseError::TooLong { limit } => {
                write!(f, "A line or an event of the stream is longer than the limit of {limit} bytes.")
            }
        }
    }
}

impl std::error::Error for SseError {}
