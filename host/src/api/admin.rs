//! What tests and the demo's buttons may do to the host. Only with `--allow-faults`, and only for the host's own page.

use super::App;
use super::error::{Problem, json_body, json_text};
use super::read::thread_id;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use threadfold::event::ThreadId;

type Body = Result<Bytes, BytesRejection>;

pub(super) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/faults", get(faults).post(set_faults).delete(clear_faults))
        .route("/host", get(host))
        .route("/cut", post(cut))
        .route("/exit", post(exit))
        .route("/token", post(token))
        .route("/threads/{thread}/hold", post(hold))
        .route("/threads/{thread}/release", post(release))
        .route("/threads/{thread}/sent", get(sent))
        .route("/threads/{thread}/ping", post(ping))
        .route("/threads/{thread}/bye", post(bye))
        .route("/threads/{thread}/epoch", post(epoch))
}

fn answer(value: &Value) -> Response {
    json_text(StatusCode::OK, value.to_string())
}

fn read<T: DeserializeOwned>(headers: &HeaderMap, body: Body) -> Result<T, Problem> {
    let text = json_body(headers, body)?;
    serde_json::from_str(&text).map_err(|error| Problem::bad("bad_body", error.to_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetFaults {
    thread: Option<String>,
    spec: String,
    #[serde(default)]
    seed: u64,
    times: Option<u64>,
}

/// Which faults are on, and what was injected since the host started.
async fn faults(State(app): State<Arc<App>>) -> Response {
    let Some(faults) = &app.faults else { return answer(&Value::Null) };
    let active: Vec<Value> = faults
        .active()
        .into_iter()
        .map(|(thread, spec)| json!({ "thread": thread.map(|id| id.to_string()), "spec": spec }))
        .collect();
    answer(&json!({ "injected": faults.injected(), "active": active }))
}

/// Turns faults on for a thread, or for all; on open connections too.
async fn set_faults(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Result<Response, Problem> {
    let wanted: SetFaults = read(&headers, body)?;
    let thread = wanted.thread.as_deref().map(thread_id).transpose()?;
    if let Some(faults) = &app.faults {
        faults
            .set(thread, &wanted.spec, wanted.seed, wanted.times)
            .map_err(|bad| Problem::bad("bad_fault", bad.to_string()))?;
    }
    Ok(faults_answer(app).await)
}

async fn clear_faults(State(app): State<Arc<App>>) -> Response {
    if let Some(faults) = &app.faults {
        faults.clear();
    }
    faults_answer(app).await
}

async fn faults_answer(app: Arc<App>) -> Response {
    faults(State(app)).await
}

/// The process, for whoever wants to kill it.
async fn host() -> Response {
    answer(&json!({ "pid": std::process::id() }))
}

/// Breaks every live connection now.
async fn cut(State(app): State<Arc<App>>) -> Response {
    let connections: usize = app.threads.all().iter().map(|thread| thread.hub.followers()).sum();
    app.cuts.send_modify(|count| *count += 1);
    if let Some(faults) = &app.faults {
        for _ in 0..connections {
            faults.count("cut-by-hand");
        }
    }
    answer(&json!({ "connections": connections }))
}

/// Ends the process as `kill -9` does: nothing is settled, nobody is told.
async fn exit() -> Response {
    std::process::abort()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    token: Option<String>,
}

async fn token(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Result<Response, Problem> {
    app.guard.set_token(read::<Token>(&headers, body)?.token);
    Ok(answer(&json!({})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hold {
    #[serde(default)]
    after_deltas: u64,
}

/// Lets the thread's agent send so many more Deltas, and then hold. The thread need not exist yet.
async fn hold(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let id = thread_id(&thread)?;
    app.threads.gate(&id).hold(read::<Hold>(&headers, body)?.after_deltas);
    look(&app, &id).await
}

async fn release(State(app): State<Arc<App>>, Path(thread): Path<String>) -> Result<Response, Problem> {
    let id = thread_id(&thread)?;
    app.threads.gate(&id).release();
    look(&app, &id).await
}

/// What the active attempt has sent.
async fn sent(State(app): State<Arc<App>>, Path(thread): Path<String>) -> Result<Response, Problem> {
    look(&app, &thread_id(&thread)?).await
}

async fn look(app: &App, id: &ThreadId) -> Result<Response, Problem> {
    let held = app.threads.gate(id).is_waiting();
    let Some(thread) = app.threads.thread(id).await? else {
        return Ok(answer(&json!({ "held": held, "active": null, "followers": 0, "frontier": null })));
    };
    let active = thread.hub.sent().map(|sent| {
        let calls: Vec<Value> = sent
            .said
            .calls()
            .into_iter()
            .map(|(id, name, args)| json!({ "id": id.as_str(), "name": name, "args": args }))
            .collect();
        json!({
            "run_id": sent.coordinate.run_id.as_str(), "step": sent.coordinate.step,
            "response": sent.coordinate.response, "count": sent.count,
            "text": sent.said.text(), "reasoning": sent.said.reasoning(), "calls": calls,
        })
    });
    let frontier = thread.hub.head().frontier;
    let followers = thread.hub.followers();
    Ok(answer(&json!({ "held": held, "active": active, "followers": followers, "frontier": frontier })))
}

async fn existing(app: &App, thread: &str) -> Result<Arc<crate::run::Thread>, Problem> {
    let id = thread_id(thread)?;
    app.threads.thread(&id).await?.ok_or_else(|| Problem::not_found(format!("there is no thread {id}")))
}

async fn ping(State(app): State<Arc<App>>, Path(thread): Path<String>) -> Result<Response, Problem> {
    existing(&app, &thread).await?.hub.ping();
    Ok(answer(&json!({})))
}

async fn bye(State(app): State<Arc<App>>, Path(thread): Path<String>) -> Result<Response, Problem> {
    existing(&app, &thread).await?.hub.bye("asked");
    Ok(answer(&json!({})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewEpoch {
    #[serde(default)]
    lose_commits: u64,
}

/// Gives the log a new epoch, after losing its last commits.
async fn epoch(
    State(app): State<Arc<App>>,
    Path(thread): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let wanted: NewEpoch = read(&headers, body)?;
    let thread = existing(&app, &thread).await?;
    let head = app.threads.new_epoch(&thread, wanted.lose_commits).await?.ok_or_else(|| {
        Problem::new(StatusCode::CONFLICT, "run_active", "commits can be lost only while no run is active")
    })?;
    if let Some(faults) = &app.faults {
        faults.count("epoch");
    }
    Ok(answer(&json!({ "epoch": head.epoch.as_str(), "frontier": head.frontier })))
}
