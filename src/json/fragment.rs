//! A piece of text that may begin or end with half a character.

use super::{Error, Reader, Wire, Writer};

/// A Delta's text. A sender that counts UTF-16 units may cut inside a surrogate pair; the halves are kept apart here,
/// so that the preview can join them (A1). Halves in the middle have become U+FFFD already.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fragment {
    /// A low surrogate that came first: the second half of a character that an earlier Fragment began.
    pub lead: Option<u16>,
    /// The whole characters between the halves.
    pub text: String,
    /// A high surrogate that came last: a later Fragment brings its second half.
    pub tail: Option<u16>,
}

impl Fragment {
    /// True when nothing at all was sent.
    pub fn is_empty(&self) -> bool {
        self.lead.is_none() && self.text.is_empty() && self.tail.is_none()
    }
}

impl From<&str> for Fragment {
    fn from(text: &str) -> Self {
        Self { lead: None, text: text.to_owned(), tail: None }
    }
}

impl Wire for Fragment {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.fragment()
    }

    fn write(&self, w: &mut Writer) {
        w.fragment(self);
    }
}
