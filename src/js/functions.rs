//! `fold`, `terminal` and `classify`: the semantics without a client.

use super::fault::argument;
use super::given::text;
use crate::classify;
use crate::event::AgentEvent;
use crate::fold::{self, Fold};
use crate::json::{self, Kind, Limits, Reader, Wire, Writer};
use crate::thread::{Page, Record, ResumeTicket, RunState, in_log_order};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The Facts of committed rows (a JSON array of rows, or a page, as bytes), as a JSON array in order of position (A3).
///
/// # Errors
/// `bad_argument` when the text is neither.
#[wasm_bindgen(js_name = fold)]
pub fn fold_rows(rows: &[u8], windowed: bool) -> Result<String, JsValue> {
    let rows = &*text(rows);
    let is_array =
        Reader::new(rows, Limits::default()).and_then(|mut reader| reader.kind()).is_ok_and(|kind| kind == Kind::Array);
    let mut records: Vec<Arc<Record>> = if is_array {
        argument::<Vec<Record>>("rows", rows)?.into_iter().map(Arc::new).collect()
    } else {
        argument::<Page>("page", rows)?.into_records()
    };
    in_log_order(&mut records);
    let records = records.iter().map(|record| &**record);
    let facts = fold::facts(if windowed { Fold::windowed() } else { Fold::new() }, records);
    let mut w = Writer::new();
    w.array(|w| facts.iter().for_each(|placed| placed.write(w)));
    Ok(w.finish())
}

/// The Fact of a run's state, as JSON; `undefined` while the run goes on (A4).
///
/// # Errors
/// `bad_argument` when the state or the ticket is none.
#[wasm_bindgen(js_name = terminal)]
pub fn terminal_fact(state: &str, ticket: Option<String>) -> Result<Option<String>, JsValue> {
    let state: RunState = argument("state", state)?;
    let ticket: Option<ResumeTicket> = ticket.map(|ticket| argument("ticket", &ticket)).transpose()?;
    Ok(fold::terminal(&state, ticket.as_ref()).map(|fact| json::write(&fact)))
}

/// Where an event goes, as JSON (A5).
///
/// # Errors
/// `bad_argument` when the text is no event of the vocabulary.
#[wasm_bindgen(js_name = classify)]
pub fn classify_event(event: &str) -> Result<String, JsValue> {
    let event: AgentEvent = argument("event", event)?;
    Ok(json::write(&classify::classify(&event)))
}
