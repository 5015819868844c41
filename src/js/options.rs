//! What a client is made with. The package's scripts have filled in the defaults and refused what does not go together.

use super::fault::{argument, bad_argument};
use crate::engine::Engine;
use crate::follow::{Options, Protocol};
use crate::source::threadfold;
use crate::web::{Http, Source, Transport};
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use web_sys::RequestCredentials;

/// The plain object that crosses.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    plain: bool,
    thread_id: Option<String>,
    renewable: bool,
    /// A committed page as JSON text.
    initial: Option<String>,
    /// None for a custom source.
    http: Option<GivenHttp>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenHttp {
    base: String,
    fetch: bool,
    with_headers: bool,
    credentials: String,
    query: Vec<(String, String)>,
    timeout: f64,
}

/// The engine and the source that these options describe.
///
/// # Errors
/// `bad_argument`, naming what is wrong.
pub fn read(options: JsValue) -> Result<(Engine, Source), JsValue> {
    let given: Given = serde_wasm_bindgen::from_value(options).map_err(|error| bad_argument("options", error))?;
    let initial = given.initial.map(|page| argument("initial", &page)).transpose()?;
    let over_event_source = given.http.as_ref().is_some_and(|http| !http.fetch);
    let engine = Engine::new(Options {
        protocol: if given.plain { Protocol::Plain } else { Protocol::Strict },
        thread_id: given.thread_id.as_deref().map(Into::into),
        renewable: given.renewable,
        // An EventSource hides comments, so the silence of a plain stream says nothing.
        watchdog: !(given.plain && over_event_source),
        initial,
    });
    let source = match given.http {
        None => Source::Custom,
        Some(http) => Source::Http(Http {
            address: threadfold::thread_address(&http.base, &given.thread_id.unwrap_or_default()),
            query: http.query,
            credentials: match http.credentials.as_str() {
                "include" => RequestCredentials::Include,
                "omit" => RequestCredentials::Omit,
                _ => RequestCredentials::SameOrigin,
            },
            with_headers: http.with_headers,
            timeout: http.timeout as u64,
            transport: if http.fetch { Transport::Fetch } else { Transport::EventSource },
            plain: given.plain,
        }),
    };
    Ok((engine, source))
}
