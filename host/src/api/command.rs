//! The commands: send, resume, cancel.

use super::App;
use super::error::{Problem, json_response, json_text, read_body};
use super::read::thread_id;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use std::sync::Arc;
use threadfold::event::RunId;
use threadfold::json::{Wire, Writer};

type Body = Result<Bytes, BytesRejection>;

/// `POST …/runs`
pub(super) async fn send(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let accepted = app.threads.send(&thread_id(&thread)?, read_body(&headers, body)?).await?;
    Ok(json_response(StatusCode::ACCEPTED, &accepted))
}

/// `POST …/runs/{run}/resume`
pub(super) async fn resume(
    State(app): State<Arc<App>>,
    Path((thread, run)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let run = RunId::from(run.as_str());
    let resumed = app.threads.resume(&thread_id(&thread)?, &run, read_body(&headers, body)?).await?;
    Ok(json_text(StatusCode::ACCEPTED, run_body(&resumed.run_id, resumed.seq)))
}

/// `POST …/runs/{run}/cancel`
pub(super) async fn cancel(
    State(app): State<Arc<App>>,
    Path((thread, run)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let run = RunId::from(run.as_str());
    app.threads.cancel(&thread_id(&thread)?, &run).await?;
    Ok(json_text(StatusCode::ACCEPTED, run_body(&run, None)))
}

fn run_body(run: &RunId, seq: Option<u64>) -> String {
    let mut w = Writer::new();
    w.object(|w| {
        w.key("run_id");
        run.write(w);
        if let Some(seq) = seq {
            w.key("seq");
            w.number(seq);
        }
    });
    w.finish()
}
