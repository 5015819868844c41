//! The live stream's opening.

use super::App;
use super::connection::Connection;
use super::error::Problem;
use super::read::{query, thread_id};
use crate::faults::{Asked, Instead, Place};
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use threadfold::event::ThreadId;

/// The parameters that turn on faults for a request.
#[derive(Debug, Deserialize)]
pub(super) struct FaultQuery {
    fault: Option<String>,
    seed: Option<u64>,
}

impl FaultQuery {
    /// Turns on what is asked for. Where faults are not allowed, the parameter is an error rather than ignored.
    pub(super) fn ask(self, app: &App, thread: &ThreadId) -> Result<Asked, Problem> {
        let asked = Asked { thread: thread.clone(), spec: self.fault };
        match &app.faults {
            Some(faults) => {
                faults.ask(&asked, self.seed.unwrap_or(0)).map_err(|bad| Problem::bad("bad_fault", bad.to_string()))?
            }
            None if asked.spec.is_some() => {
                return Err(Problem::bad("faults_off", "start the host with --allow-faults to ask for faults"));
            }
            None => {}
        }
        Ok(asked)
    }
}

/// A fault's answer in the place of the real one.
pub(super) fn refuse(app: &App, asked: &Asked, place: Place) -> Option<Response> {
    let instead = app.faults.as_ref()?.instead(asked, place)?;
    Some(match instead {
        Instead::Html => Html("<!doctype html><title>Sign in</title><p>Please sign in to the network.").into_response(),
        Instead::Status(status) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
            if status == StatusCode::NO_CONTENT {
                return Some(status.into_response());
            }
            let problem = Problem::new(status, "fault", "this refusal was asked for");
            let busy = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS].contains(&status);
            if busy { problem.after(1).into_response() } else { problem.into_response() }
        }
    })
}

/// `GET …/live`
pub(super) async fn live(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    faults: Result<Query<FaultQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let id = thread_id(&thread)?;
    let asked = query(faults)?.ask(&app, &id)?;
    if let Some(response) = refuse(&app, &asked, Place::Live) {
        return Ok(response);
    }
    let thread = app.threads.thread(&id).await?;
    let thread = thread.ok_or_else(|| Problem::not_found(format!("there is no thread {id}; a first send makes it")))?;
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store, no-transform"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let body = Body::from_stream(Connection::open(app, thread, asked).into_stream());
    Ok((headers, body).into_response())
}
