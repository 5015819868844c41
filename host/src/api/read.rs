//! The committed reads.

use super::App;
use super::error::{Problem, json_response, json_text};
use super::live::{FaultQuery, refuse};
use crate::faults::Place;
use crate::store::{Direction, PageRequest, Store, now};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use threadfold::audit::project_changes;
use threadfold::event::{Epoch, RunId, ThreadId};
use threadfold::fold::Fold;
use threadfold::json::{self, Wire, Writer};
use threadfold::thread::Page;

const DEFAULT_LIMIT: u64 = 200;
const MAX_LIMIT: u64 = 1000;

/// The parameters of a committed read.
#[derive(Debug, Deserialize)]
pub(super) struct CommittedQuery {
    after: Option<i64>,
    before: Option<i64>,
    limit: Option<i64>,
    epoch: Option<String>,
}

/// A thread's id from its path.
pub(super) fn thread_id(text: &str) -> Result<ThreadId, Problem> {
    if (1..=200).contains(&text.len()) && !text.chars().any(char::is_control) {
        return Ok(ThreadId::from(text));
    }
    Err(Problem::bad("bad_thread", "a thread id has 1 to 200 bytes and no control characters"))
}

/// A query, or a 400 in the contract's form.
pub(super) fn query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Problem> {
    query.map(|Query(query)| query).map_err(|rejection| Problem::bad("bad_parameter", rejection.body_text()))
}

/// `GET …/committed`
pub(super) async fn committed(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    wanted: Result<Query<CommittedQuery>, QueryRejection>,
    faults: Result<Query<FaultQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = thread_id(&thread)?;
    let wanted = query(wanted)?;
    let asked = query(faults)?.ask(&app, &id)?;
    if let Some(response) = refuse(&app, &asked, Place::Read) {
        return Ok(response);
    }
    let lag = app.faults.as_ref().and_then(|faults| faults.stale(&asked));
    let request = PageRequest {
        direction: direction(&wanted)?,
        limit: limit(wanted.limit)?,
        as_of: lag.map(|millis| now().saturating_sub(millis)),
    };
    let in_thread = id.clone();
    let answer = app.threads.store(move |store| store.page(&in_thread, request)).await?;
    let answer = answer.ok_or_else(|| Problem::not_found(format!("there is no thread {id}")))?;
    if let (true, Some(faults)) = (answer.hidden, &app.faults) {
        faults.count("stale");
    }
    let Some(epoch) = &wanted.epoch else { return Ok(json_response(StatusCode::OK, &answer.page)) };
    if Epoch::from(epoch.as_str()) != answer.page.epoch {
        let message = format!("the epoch {epoch} is over; the log is {} now", answer.page.epoch);
        return Err(Problem::new(StatusCode::CONFLICT, "epoch_over", message));
    }
    Ok(cacheable(&headers, &answer.page))
}

/// Of one epoch a page can only grow, so its ends and its frontier name its content.
fn cacheable(headers: &HeaderMap, page: &Page) -> Response {
    let seqs = || page.messages.iter().map(|row| row.seq).chain(page.runs.iter().map(|row| row.seq));
    let end = |seq: Option<u64>| seq.map_or_else(|| "-".to_owned(), |seq| seq.to_string());
    let tag = format!("\"{}.{}.{}.{}\"", page.epoch, end(seqs().min()), end(seqs().max()), end(page.frontier));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut response = if known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        json_text(StatusCode::OK, json::write(page))
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

fn direction(wanted: &CommittedQuery) -> Result<Direction, Problem> {
    let bad = |name: &str, number: i64| Problem::bad("bad_parameter", format!("{name}={number} is no seq"));
    match (wanted.after, wanted.before) {
        (Some(_), Some(_)) => Err(Problem::bad("bad_parameter", "give after or before, not both")),
        (None | Some(-1), None) => Ok(Direction::After(None)),
        (Some(after), None) => {
            u64::try_from(after).map(|seq| Direction::After(Some(seq))).map_err(|_| bad("after", after))
        }
        (None, Some(before)) => u64::try_from(before).map(Direction::Before).map_err(|_| bad("before", before)),
    }
}

fn limit(wanted: Option<i64>) -> Result<u64, Problem> {
    match wanted.map(u64::try_from) {
        None => Ok(DEFAULT_LIMIT),
        Some(Ok(limit @ 1..)) => Ok(limit.min(MAX_LIMIT)),
        Some(_) => Err(Problem::bad("bad_parameter", "limit must be at least 1")),
    }
}

/// `GET …/runs/{run}`: its latest row.
pub(super) async fn run(
    State(app): State<Arc<App>>,
    Path((thread, run)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let (id, run) = (thread_id(&thread)?, RunId::from(run.as_str()));
    let (in_thread, wanted) = (id.clone(), run.clone());
    let latest = app.threads.store(move |store| store.latest(&in_thread, Some(&wanted))).await?;
    let row = latest.ok_or_else(|| Problem::not_found(format!("there is no run {run} in {id}")))?;
    Ok(json_response(StatusCode::OK, &row))
}

/// `GET …/audit`: the audit projection (A5), by the same fold that browsers run.
pub(super) async fn audit(State(app): State<Arc<App>>, Path(thread): Path<String>) -> Result<Response, Problem> {
    let id = thread_id(&thread)?;
    let in_thread = id.clone();
    let read = move |store: &dyn Store| match store.head(&in_thread)? {
        Some(head) => Ok(Some((head, store.records(&in_thread, None)?))),
        None => Ok(None),
    };
    let Some((head, records)) = app.threads.store(read).await? else {
        return Err(Problem::not_found(format!("there is no thread {id}")));
    };
    let mut fold = Fold::new();
    let changes: Vec<_> = records.iter().flat_map(|record| fold.append(record)).collect();
    let mut w = Writer::new();
    w.object(|w| {
        w.key("thread_id");
        id.write(w);
        w.key("epoch");
        head.epoch.write(w);
        w.key("records");
        project_changes(&changes).write(w);
    });
    Ok(json_text(StatusCode::OK, w.finish()))
}
