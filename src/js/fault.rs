//! Errors as JavaScript gets them.

use crate::json;
use crate::text::lossy;
use std::borrow::Cow;
use wasm_bindgen::prelude::*;

/// A `bad_argument`: a text that names what is wrong. The package's scripts make a `ThreadfoldError` of it.
pub fn bad_argument(what: &str, why: &str) -> JsValue {
    JsValue::from_str(&[what, ": ", why].concat())
}

/// Text that crossed as its UTF-8 bytes: what may be long comes so, for JavaScript's own encoder is ten times as fast as
/// the glue's loop over characters, and a host's answer need not become a string of JavaScript's first. What is no UTF-8 is
/// replaced and a byte order mark left out, as JavaScript decodes.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

/// Reads an argument that crossed as JSON text.
pub fn argument<T: json::Wire>(what: &str, text: &str) -> Result<T, JsValue> {
    json::read(text).map_err(|error| refused(what, &error))
}

fn refused(what: &str, error: &json::Error) -> JsValue {
    bad_argument(what, &error.message())
}
