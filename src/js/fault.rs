//! Errors as JavaScript gets them.

use crate::json;
use wasm_bindgen::prelude::*;

/// A `bad_argument`: a text that names what is wrong. The package's scripts make a `ThreadfoldError` of it.
pub fn bad_argument(what: &str, why: &str) -> JsValue {
    JsValue::from_str(&[what, ": ", why].concat())
}

/// Reads an argument that crossed as JSON text.
pub fn argument<T: json::Wire>(what: &str, text: &str) -> Result<T, JsValue> {
    json::read(text).map_err(|error| refused(what, &error))
}

fn refused(what: &str, error: &json::Error) -> JsValue {
    bad_argument(what, &error.message())
}
