//! The whole contract `threadfold/1` on axum, as small as it can be: `thread.rs` is a thread's log and what of it is
//! announced, `agent.rs` stands in the place of a model, this is the rest: runs, commands and routes.

mod agent;
mod thread;

use agent::{Piece, agent};
use axum::body::Body;
use axum::extract::{Json, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thread::{Run, Thread};
use tokio::sync::{mpsc, watch};

/// The epoch, a new one with each start as the log is lost then, and the threads.
type App = Arc<(String, Mutex<HashMap<String, Thread>>)>;
type Answer = Result<Response, Refusal>;

struct Refusal(StatusCode, &'static str);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": { "code": self.1, "message": self.1.replace('_', " ") } }))).into_response()
    }
}

/// What is done with a thread under its lock; nothing in there waits.
fn with<T>(app: &App, id: &str, action: impl FnOnce(&mut Thread) -> Result<T, Refusal>) -> Result<T, Refusal> {
    let mut threads = app.1.lock().unwrap_or_else(PoisonError::into_inner);
    action(threads.get_mut(id).ok_or(Refusal(StatusCode::NOT_FOUND, "not_found"))?)
}

/// Commits what the person said and sets the agent to work.
fn begin(app: &App, id: &str, thread: &mut Thread, run: String, input: &Value) {
    let message = json!({ "id": input["message_id"], "role": "User", "content": input["content"] });
    thread.commit(&run, vec![json!({ "message": message })], "Running".into(), None);
    let said = input["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    thread.runs.insert(run.clone(), Run { stop: watch::channel(false).0, said, waits: None });
    tokio::spawn(drive(app.clone(), id.to_owned(), run, None));
}

/// Asks the agent for its next response and commits what came, whoever is listening.
async fn drive(app: App, id: String, run: String, result: Option<Value>) -> Result<(), Refusal> {
    let (to, mut pieces) = mpsc::channel(1);
    let mut stop = with(&app, &id, |thread| {
        let going = thread.runs.get(&run).ok_or(Refusal(StatusCode::NOT_FOUND, "not_found"))?;
        let (stop, said) = (going.stop.subscribe(), going.said.clone());
        let step = thread.rows.iter().filter(|row| row["run_id"] == run && row["step"].is_u64()).count();
        let at = json!({ "started_after": thread.frontier(), "run_id": run, "step": step, "response": 0 });
        thread.active = at.clone();
        thread.active["attempt"] = uuid::Uuid::new_v4().to_string().into();
        thread.active["next"] = 0.into();
        thread.active["deltas"] = json!([]);
        thread.frame("start", at);
        tokio::spawn(agent(said, result, to));
        Ok(stop)
    })?;
    let (mut state, mut reason) = (json!({ "Ended": "NaturalEnd" }), None);
    loop {
        let piece = tokio::select! { piece = pieces.recv() => piece, _ = stop.wait_for(|stop| *stop) => None };
        match piece {
            Some(Piece::Delta(delta)) => {
                with(&app, &id, |thread| {
                    thread.delta(delta);
                    Ok(())
                })?;
            }
            Some(Piece::Await(why)) => reason = Some(why),
            Some(Piece::Failed(code, message)) => {
                state = json!({ "Ended": { "Error": { "Inference": { "code": code, "message": message } } } })
            }
            None => break,
        }
    }
    let stopped = *stop.borrow();
    with(&app, &id, |thread| {
        let content: Vec<Value> = thread.content();
        let call = content.iter().find(|block| block["type"] == "tool_use").cloned().unwrap_or_default();
        let step = thread.active["step"].clone();
        let message = json!({ "id": format!("{run}-assistant-{step}"), "role": "Assistant", "content": content });
        let outcome = match content.is_empty() {
            true => json!({ "kind": "abandoned" }),
            false => json!({ "kind": "committed", "seq": thread.rows.len() }),
        };
        let made =
            if content.is_empty() { vec![] } else { vec![json!({ "step": step, "response": 0, "message": message })] };
        if let (Some(reason), false) = (reason, stopped) {
            let tool = json!({ "tool_id": call["name"], "arguments": call["input"] });
            let target = json!({ "target": { "ToolCall": { "reason": reason, "call_id": call["id"], "tool": tool } } });
            thread.commit(&run, made, "Awaiting".into(), Some(target));
            if let Some(run) = thread.runs.get_mut(&run) {
                run.waits = call["id"].as_str().map(str::to_owned);
            }
        } else {
            thread.runs.remove(&run);
            thread.commit(&run, made, if stopped { json!({ "Ended": "Cancelled" }) } else { state }, None);
        }
        let index = thread.active["next"].clone();
        thread.frame("end", json!({ "index": index, "outcome": outcome }));
        thread.active = Value::Null;
        next(&app, &id, thread);
        Ok(())
    })
}

fn next(app: &App, id: &str, thread: &mut Thread) {
    if !thread.runs.is_empty() {
        return;
    }
    if let Some((run, input)) = thread.queue.pop_front() {
        begin(app, id, thread, run, &input);
    }
}

fn accepted(body: Value) -> Answer {
    Ok((StatusCode::ACCEPTED, Json(body)).into_response())
}

async fn send(State(app): State<App>, Path(id): Path<String>, Json(body): Json<Value>) -> Answer {
    app.1.lock().unwrap_or_else(PoisonError::into_inner).entry(id.clone()).or_default();
    let key = body["idempotency_key"].as_str().ok_or(Refusal(StatusCode::BAD_REQUEST, "bad_body"))?.to_owned();
    accepted(with(&app, &id, |thread| {
        if let Some(before) = thread.keys.get(&key) {
            return Ok(before.clone());
        }
        let busy = !thread.runs.is_empty();
        match body["on_active"].as_str() {
            Some("queue") => {}
            Some("cancel") => thread.runs.values().for_each(|run| {
                run.stop.send_replace(true);
            }),
            _ if busy => return Err(Refusal(StatusCode::CONFLICT, "run_active")),
            _ => {}
        }
        let run = format!("r-{}", uuid::Uuid::new_v4());
        let mut answer = json!({ "run_id": run, "message_id": body["input"]["message_id"] });
        if busy {
            thread.queue.push_back((run, body["input"].clone()));
        } else {
            answer["seq"] = thread.rows.len().into();
            begin(&app, &id, thread, run, &body["input"]);
        }
        thread.keys.insert(key, answer.clone());
        Ok(answer)
    })?)
}

async fn resume(State(app): State<App>, Path((id, run)): Path<(String, String)>, Json(body): Json<Value>) -> Answer {
    let key = body["idempotency_key"].as_str().unwrap_or_default().to_owned();
    accepted(with(&app, &id, |thread| {
        if let Some(before) = thread.keys.get(&key) {
            return Ok(before.clone());
        }
        let waits =
            thread.runs.get_mut(&run).and_then(|run| run.waits.take_if(|call| body["correlation_id"] == **call));
        let call = waits.ok_or(Refusal(StatusCode::CONFLICT, "already_resolved"))?;
        let refused = body["approve"] == false;
        let word = if refused { "refused" } else { "done" };
        let said = if body["content"].is_array() {
            body["content"].clone()
        } else {
            json!([{ "type": "text", "text": word }])
        };
        let result = json!({ "type": "tool_result", "tool_use_id": call, "content": said, "is_error": refused || body["is_error"] == true });
        let message = json!({ "id": format!("tool-{call}"), "role": "Tool", "content": [result] });
        thread.commit(&run, vec![json!({ "message": message })], "Running".into(), None);
        thread.keys.insert(key, json!({ "run_id": run }));
        tokio::spawn(drive(app.clone(), id.clone(), run.clone(), Some(said)));
        Ok(json!({ "run_id": run }))
    })?)
}

async fn cancel(State(app): State<App>, Path((id, run)): Path<(String, String)>) -> Answer {
    accepted(with(&app, &id, |thread| {
        let going = thread.runs.get(&run).ok_or(Refusal(StatusCode::CONFLICT, "no_active_run"))?;
        going.stop.send_replace(true);
        // A run that waits has nobody at work who would notice.
        if going.waits.is_some() {
            thread.runs.remove(&run);
            thread.commit(&run, vec![], json!({ "Ended": "Cancelled" }), None);
            next(&app, &id, thread);
        }
        Ok(json!({ "run_id": run }))
    })?)
}

async fn latest(State(app): State<App>, Path((id, run)): Path<(String, String)>) -> Answer {
    Ok(Json(with(&app, &id, |thread| thread.state(&run).cloned())?).into_response())
}

async fn committed(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<HashMap<String, String>>,
) -> Answer {
    let number = |name: &str, least: i64| match query.get(name).map(|text| text.parse::<i64>()) {
        Some(Ok(value)) if value >= least => Ok(Some(value)),
        None => Ok(None),
        Some(_) => Err(Refusal(StatusCode::BAD_REQUEST, "bad_parameter")),
    };
    let (after, before, limit) = (number("after", -1)?, number("before", 0)?, number("limit", 1)?);
    if query.get("epoch").is_some_and(|epoch| *epoch != app.0) {
        return Err(Refusal(StatusCode::CONFLICT, "epoch_over"));
    }
    let (after, limit) = (after.unwrap_or(-1), limit.unwrap_or(200) as usize);
    Ok(Json(with(&app, &id, |thread| Ok(thread.page(&id, &app.0, after, before.map(|seq| seq as usize), limit)))?)
        .into_response())
}

async fn live(State(app): State<App>, Path(id): Path<String>) -> Answer {
    let (stream, mut events) = mpsc::unbounded_channel();
    let now = |app: &App, thread: &Thread| json!({ "epoch": app.0, "frontier": thread.frontier(), "revision": thread.revision });
    with(&app, &id, |thread| {
        let mut opened = now(&app, thread);
        opened["contract"] = "threadfold/1".into();
        opened["active"] = thread.active.clone();
        drop(stream.send(format!("event: opened\ndata: {opened}\n\n")));
        thread.streams.push(stream.clone());
        Ok(())
    })?;
    let mut heart = tokio::time::interval(Duration::from_secs(5));
    let body = futures_util::stream::poll_fn(move |context| {
        if heart.poll_tick(context).is_ready() {
            let ping =
                |thread: &mut Thread| Ok(stream.send(format!("event: ping\ndata: {}\n\n", now(&app, thread))).is_ok());
            let _ = with(&app, &id, ping);
        }
        events.poll_recv(context).map(|event| event.map(Ok::<_, std::convert::Infallible>))
    });
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store, no-transform")];
    Ok((headers, [("x-accel-buffering", "no")], Body::from_stream(body)).into_response())
}

#[tokio::main]
async fn main() -> Result<(), std::io::Error> {
    let app: App = Arc::new((uuid::Uuid::new_v4().to_string(), Mutex::default()));
    let routes = axum::Router::new()
        .route("/v1/threads/{thread}/committed", get(committed))
        .route("/v1/threads/{thread}/live", get(live))
        .route("/v1/threads/{thread}/runs", post(send))
        .route("/v1/threads/{thread}/runs/{run}", get(latest))
        .route("/v1/threads/{thread}/runs/{run}/resume", post(resume))
        .route("/v1/threads/{thread}/runs/{run}/cancel", post(cancel));
    let port = std::env::var("PORT").ok().and_then(|port| port.parse().ok()).unwrap_or(8787);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("http://{}/v1", listener.local_addr()?);
    axum::serve(listener, routes.with_state(app)).await
}
