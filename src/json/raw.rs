//! A JSON value kept as the text that was sent.

use super::{Error, Limits, Reader, Wire, Writer};
use crate::text::Shared;

/// Valid JSON, kept as text: digits, key order and escapes are exactly the sender's, and a clone costs nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Raw(Shared);

impl Raw {
    /// Checks that `text` is one JSON value and keeps it without surrounding space.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut r = Reader::new(text, Limits::default())?;
        let raw = Self::read(&mut r)?;
        r.end()?;
        Ok(raw)
    }

    /// The JSON that `text` is; a text that is none is kept as a JSON string.
    pub fn of_text(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(|_| Self::from_writer(|w| w.string(text)))
    }

    /// The value `null`.
    pub fn null() -> Self {
        Self(Shared::from("null"))
    }

    /// What `write` puts down is valid JSON by construction of the [`Writer`].
    pub fn from_writer(write: impl FnOnce(&mut Writer)) -> Self {
        let mut w = Writer::new();
        write(&mut w);
        Self(Shared::from(w.finish().as_str()))
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Wire for Raw {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.raw().map(|text| Self(Shared::from(text)))
    }

    fn write(&self, w: &mut Writer) {
        w.raw(self.as_str());
    }
}
