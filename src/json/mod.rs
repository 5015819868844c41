//! The one JSON reader and writer of every wire, and the macros that state a type's wire once.
//!
//! Why not serde_json: a lone surrogate must cost a character and not the page, numbers keep their digits, tool inputs
//! stay the text that was sent, unknown things are reported and kept, and the whole must be small in wasm. The reader
//! borrows from its text, bounds depth and size, and never panics.

mod error;
mod fragment;
mod object;
mod raw;
mod reader;
mod scan;
mod slot;
mod tagged;
mod wire;
mod writer;

pub use error::{Error, ErrorKind};
pub use fragment::Fragment;
pub use raw::Raw;
pub use reader::{Kind, Limits, Notes, Reader};
pub use wire::{Wire, read, read_noting, write};
pub use writer::Writer;

pub(crate) use object::{wire_field, wire_object};
pub(crate) use reader::place_among;
pub(crate) use scan::plain_run;
pub(crate) use slot::{Defaulted, IfSome, Lenient, OrNull, Put, Slot};
pub(crate) use tagged::{wire_id, wire_tagged, wire_tokens};

#[cfg(test)]
mod tests;
