//! How all protocols write: events as objects with a type, and ids that are put together. Formatting would be kilobytes
//! in wasm.

use super::Chunk;
use super::protocol::Out;
use crate::event::{Position, RunId};
use crate::json::Writer;
use crate::text::{decimal, join};

/// An event of this type with these texts.
#[inline(never)]
pub(super) fn event(out: &mut Out, kind: &str, fields: &[(&'static str, &str)]) {
    event_with(out, kind, fields, &|_| {});
}

/// The same with what is not text.
#[inline(never)]
pub(super) fn event_with(out: &mut Out, kind: &str, fields: &[(&'static str, &str)], rest: &dyn Fn(&mut Writer)) {
    raw_event(out, &[("type", kind)], &|w| {
        fields.iter().for_each(|(key, value)| w.field(key, value));
        rest(w);
    });
}

/// An event without a type.
#[inline(never)]
pub(super) fn raw_event(out: &mut Out, fields: &[(&'static str, &str)], rest: &dyn Fn(&mut Writer)) {
    let mut w = Writer::new();
    object(&mut w, fields, rest);
    out.push(Chunk::Event(w.finish()));
}

/// An object with these texts, and with what is not text.
#[inline(never)]
pub(super) fn object(w: &mut Writer, fields: &[(&'static str, &str)], rest: &dyn Fn(&mut Writer)) {
    w.object(|w| {
        fields.iter().for_each(|(key, value)| w.field(key, value));
        rest(w);
    });
}

/// The id of what stands at this position.
pub(super) fn at(run_id: &RunId, what: &str, position: Position) -> String {
    join(&[run_id.as_str(), what, &decimal(position.seq), "-", &decimal(u64::from(position.index))])
}

/// The id of a response's reasoning.
pub(super) fn reasoning(response: &str) -> String {
    join(&[response, "-reasoning"])
}
