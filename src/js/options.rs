//! What a client is made with. The package's scripts have filled in the defaults and refused what does not go together.

use super::fault::argument;
use crate::engine::Engine;
use crate::follow::{Options, Protocol};
use crate::json::wire_object;
use crate::source::dsh::{self, Carrier};
use crate::source::threadfold;
use crate::web::{Http, Source, Transport};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use web_sys::RequestCredentials;

wire_object! {
    struct Given {
        plain: bool,
        thread_id: Option<String> => optional,
        renewable: bool,
        /// None for another source.
        http: Option<GivenHttp> => optional,
        /// The session's messages that an opening brings, of a dsh host.
        dsh_messages: Option<u32> => optional,
    }
}

wire_object! {
    struct GivenHttp {
        base: String,
        fetch: bool,
        with_headers: bool,
        credentials: String,
        query: Vec<Pair>,
        timeout: u64,
    }
}

wire_object! {
    struct Pair {
        name: String,
        value: String,
    }
}

/// The engine and the source that these options, as JSON, describe; `initial` is a committed page as JSON.
///
/// # Errors
/// `bad_argument`, naming what is wrong.
pub fn read(options: &str, initial: Option<&str>) -> Result<(Engine, Source), JsValue> {
    let given: Given = argument("options", options)?;
    let initial = initial.map(|page| argument("initial", page)).transpose()?;
    let over_event_source = given.http.as_ref().is_some_and(|http| !http.fetch);
    let engine = Engine::new(Options {
        protocol: match given.dsh_messages {
            Some(_) => Protocol::Dsh,
            None if given.plain => Protocol::Plain,
            None => Protocol::Strict,
        },
        thread_id: given.thread_id.as_deref().map(Into::into),
        renewable: given.renewable,
        // An EventSource hides comments, so the silence of a plain stream says nothing.
        watchdog: !(given.plain && over_event_source),
        initial,
    });
    let source = match (given.http, given.dsh_messages) {
        (None, None) => Source::Custom,
        (None, Some(max_messages)) => {
            let session = given.thread_id.unwrap_or_default();
            Source::Dsh(RefCell::new(Carrier::new(dsh::Options { session, max_messages })))
        }
        (Some(http), _) => Source::Http(Http {
            address: threadfold::thread_address(&http.base, &given.thread_id.unwrap_or_default()),
            query: http.query.into_iter().map(|pair| (pair.name, pair.value)).collect(),
            credentials: match http.credentials.as_str() {
                "include" => RequestCredentials::Include,
                "omit" => RequestCredentials::Omit,
                _ => RequestCredentials::SameOrigin,
            },
            with_headers: http.with_headers,
            timeout: http.timeout,
            transport: if http.fetch { Transport::Fetch } else { Transport::EventSource },
            plain: given.plain,
        }),
    };
    Ok((engine, source))
}
