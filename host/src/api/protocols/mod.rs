//! The threads in the words of other protocols, for clients that know nothing of this contract: each answers a request
//! with the part of a run that it begins, by the crate's own transcoders.

mod ag_ui;
mod ai_sdk;
mod following;
mod stream;
mod wish;

use super::App;
use super::error::{Problem, json_body};
use super::read::{query, thread_id};
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use stream::Spoken;
use threadfold::event::{RunId, ThreadId};
use threadfold::thread::RunState;
use threadfold::transcode::TranscodeOptions;
use wish::Wish;

/// The parameters of a request.
#[derive(Debug, Deserialize)]
pub(super) struct ProtocolQuery {
    /// AI SDK: the client's major version.
    version: Option<u64>,
    /// AI SDK: false hides reasoning.
    reasoning: Option<bool>,
}

type Asked = Result<Query<ProtocolQuery>, QueryRejection>;

/// `POST …/ai-sdk`
pub(super) async fn ai_sdk(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    asked: Asked,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let wish = ai_sdk::wish(&json_body(&headers, body)?)?;
    begin(&app, &thread, "ai-sdk", asked, wish).await
}

/// `POST …/ag-ui`
pub(super) async fn ag_ui(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    asked: Asked,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let wish = ag_ui::wish(&json_body(&headers, body)?)?;
    begin(&app, &thread, "ag-ui", asked, wish).await
}

/// `GET …/ai-sdk`
pub(super) async fn ai_sdk_again(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    asked: Asked,
) -> Result<Response, Problem> {
    again(&app, &thread, "ai-sdk", asked).await
}

/// `GET …/ai-sdk/{chat}/stream`: where the client looks for what it can resume. The chat is named by the thread.
pub(super) async fn ai_sdk_stream(
    State(app): State<Arc<App>>,
    Path((thread, _chat)): Path<(String, String)>,
    asked: Asked,
) -> Result<Response, Problem> {
    again(&app, &thread, "ai-sdk", asked).await
}

/// `GET …/ag-ui`
pub(super) async fn ag_ui_again(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    asked: Asked,
) -> Result<Response, Problem> {
    again(&app, &thread, "ag-ui", asked).await
}

/// Does what is wished, and answers with the part of the run that it begins.
async fn begin(app: &Arc<App>, thread: &str, name: &str, asked: Asked, wish: Wish) -> Result<Response, Problem> {
    let id = thread_id(thread)?;
    let options = options(&id, asked)?;
    // Before anything is begun: an option that makes no sense begins nothing.
    Spoken::check(name, &options)?;
    let run = wish.carry_out(&app.threads, &id).await?;
    speak(app, &id, name, options, run).await
}

/// Answers with the part of a run that is under way, from its beginning; 204 when there is none.
async fn again(app: &Arc<App>, thread: &str, name: &str, asked: Asked) -> Result<Response, Problem> {
    let id = thread_id(thread)?;
    let options = options(&id, asked)?;
    Spoken::check(name, &options)?;
    let in_thread = id.clone();
    let latest = app.threads.store(move |store| store.latest(&in_thread, None)).await?;
    match latest.filter(|row| row.state == RunState::Running) {
        Some(row) => speak(app, &id, name, options, row.run_id).await,
        None => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

fn options(id: &ThreadId, asked: Asked) -> Result<TranscodeOptions, Problem> {
    let ProtocolQuery { version, reasoning } = query(asked)?;
    Ok(TranscodeOptions { version, reasoning, thread_id: Some(id.clone()), ..TranscodeOptions::default() })
}

async fn speak(
    app: &Arc<App>,
    id: &ThreadId,
    name: &str,
    options: TranscodeOptions,
    run: RunId,
) -> Result<Response, Problem> {
    let thread = app.threads.thread_or_new(id).await?;
    Ok(Spoken::new(app, thread, name, &options, run)?.into_response())
}
