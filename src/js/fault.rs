//! Errors as JavaScript gets them.

use crate::json;
use wasm_bindgen::prelude::*;

/// A `bad_argument`: an `Error` whose message names what is wrong. The package's scripts make a `ThreadfoldError` of it.
pub fn bad_argument(what: &str, why: impl std::fmt::Display) -> JsValue {
    js_sys::Error::new(&format!("{what}: {why}")).into()
}

/// Reads an argument that crossed as JSON text.
pub fn argument<T: json::Wire>(what: &str, text: &str) -> Result<T, JsValue> {
    json::read(text).map_err(|error| bad_argument(what, error))
}
