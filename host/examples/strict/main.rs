//! The whole contract `threadfold/1` on axum, as small as it can be; `agent.rs` stands in the place of a model. The log is
//! in memory: a database takes the place of `rows` in `commit`, which announces only what is kept.

mod agent;

use agent::{Piece, agent};
use axum::body::Body;
use axum::extract::{Json, Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard, mpsc, watch};
use uuid::Uuid;

/// A new one with each start, as the log is lost then.
static EPOCH: LazyLock<String> = LazyLock::new(|| Uuid::new_v4().to_string());

type App = State<Arc<Mutex<HashMap<String, Thread>>>>;
type Reply = (StatusCode, Json<Value>);

fn refuse(status: StatusCode, code: &str) -> Reply {
    (status, Json(json!({ "error": { "code": code, "message": code.replace('_', " ") } })))
}

/// A thread under the lock of all; nothing waits while it is held.
async fn find<'a>(app: &'a App, id: &str) -> Result<MappedMutexGuard<'a, Thread>, Reply> {
    let found = MutexGuard::try_map(app.lock().await, |threads| threads.get_mut(id));
    found.map_err(|_| refuse(StatusCode::NOT_FOUND, "not_found"))
}

/// A run that is not over: how to stop it, and the call that it waits for.
struct Run {
    stop: watch::Sender<bool>,
    waits: Option<String>,
}

#[derive(Default)]
struct Thread {
    rows: Vec<Value>,
    keys: HashMap<String, Value>,
    streams: Vec<mpsc::UnboundedSender<Result<String, std::io::Error>>>,
    runs: HashMap<String, Run>,
    queue: VecDeque<(String, Value)>,
    revision: u64,
    active: Value,
}

impl Thread {
    fn now(&self) -> Value {
        json!({ "epoch": *EPOCH, "frontier": self.rows.len() as i64 - 1, "revision": self.revision })
    }

    fn announce(&mut self, name: &str, data: &Value) {
        self.streams.retain(|stream| stream.send(Ok(format!("event: {name}\ndata: {data}\n\n"))).is_ok());
    }

    /// Keeps a message, if there is one, and then the run's state, and announces them. So each commit ends with a state.
    fn commit(&mut self, run: &str, message: Option<Value>, state: Value) {
        let first = self.rows.len();
        for mut row in message.into_iter().chain([state]) {
            row["seq"] = self.rows.len().into();
            row["time"] = (std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis() as u64).into();
            row["run_id"] = run.into();
            self.rows.push(row);
        }
        let records = json!(self.rows.iter().skip(first).collect::<Vec<_>>());
        self.announce("committed", &json!({ "frontier": self.rows.len() - 1, "records": records }));
    }

    /// A frame of the attempt that streams.
    fn frame(&mut self, name: &str, mut data: Value) {
        self.revision += 1;
        data["attempt"] = self.active["attempt"].clone();
        data["revision"] = self.revision.into();
        self.announce(name, &data);
    }

    /// Shows a Delta; adjacent ones of one kind and call are joined in what a newcomer gets.
    fn delta(&mut self, delta: Value) {
        let field = if delta["type"] == "tool_call_delta" { "args_delta" } else { "delta" };
        let index = self.active["next"].as_u64().unwrap_or_default();
        self.active["next"] = (index + 1).into();
        self.frame("delta", json!({ "index": index, "delta": delta }));
        let Value::Array(deltas) = &mut self.active["deltas"] else { return };
        match deltas.last_mut().filter(|last| last["type"] == delta["type"] && last["id"] == delta["id"]) {
            Some(last) => {
                last[field] = [&last[field], &delta[field]].map(|it| it.as_str().unwrap_or("")).concat().into()
            }
            None => deltas.push(delta),
        }
    }

    /// Commits what the person said and sets the agent to work.
    fn begin(&mut self, app: &App, id: &str, run: String, input: &Value) {
        let message = json!({ "id": input["message_id"], "role": "User", "content": input["content"] });
        self.commit(&run, Some(json!({ "message": message })), json!({ "state": "Running" }));
        let said = input["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        self.runs.insert(run.clone(), Run { stop: watch::channel(false).0, waits: None });
        tokio::spawn(drive(app.clone(), id.to_owned(), run, said, None));
    }

    /// Stops a run that is not over. One that waits has nobody at work who would notice.
    fn stop(&mut self, app: &App, id: &str, run: &str) -> Option<()> {
        let going = self.runs.get(run)?;
        going.stop.send_replace(true);
        going.waits.is_some().then(|| self.end(app, id, run, None, json!("Cancelled")));
        Some(())
    }

    fn end(&mut self, app: &App, id: &str, run: &str, message: Option<Value>, how: Value) {
        self.runs.remove(run);
        self.commit(run, message, json!({ "state": { "Ended": how } }));
        if let Some((run, input)) = self.queue.pop_front() {
            self.begin(app, id, run, &input);
        }
    }
}

/// What joined Deltas come to in the committed message.
fn block(delta: &Value) -> Value {
    let input = delta["args_delta"].as_str().and_then(|args| serde_json::from_str(args).ok()).unwrap_or(json!({}));
    match delta["type"].as_str() {
        Some("text_delta") => json!({ "type": "text", "text": delta["delta"] }),
        Some("reasoning_delta") => json!({ "type": "thinking", "text": delta["delta"] }),
        _ => json!({ "type": "tool_use", "id": delta["id"], "name": delta["name"], "input": input }),
    }
}

/// Asks the agent for its next response and commits what came, whoever is listening.
async fn drive(app: App, id: String, run: String, said: String, result: Option<Value>) -> Option<()> {
    let (to, mut pieces) = mpsc::channel(1);
    let mut thread = find(&app, &id).await.ok()?;
    let mut stop = thread.runs.get(&run)?.stop.subscribe();
    let step = thread.rows.iter().filter(|row| row["run_id"] == run && row["step"].is_u64()).count();
    let at = json!({ "started_after": thread.rows.len() - 1, "run_id": run, "step": step, "response": 0 });
    thread.active = json!({ "attempt": Uuid::new_v4().to_string(), "next": 0, "deltas": [], "started_after": at["started_after"], "run_id": run, "step": step, "response": 0 });
    thread.frame("start", at);
    drop(thread);
    tokio::spawn(agent(said, result, to));
    let (mut how, mut reason) = (json!("NaturalEnd"), None);
    while let Some(piece) = tokio::select! { piece = pieces.recv() => piece, _ = stop.wait_for(|stop| *stop) => None } {
        match piece {
            Piece::Delta(delta) => find(&app, &id).await.ok()?.delta(delta),
            Piece::Await(why) => reason = Some(why),
            Piece::Failed(code, why) => how = json!({ "Error": { "Inference": { "code": code, "message": why } } }),
        }
    }
    let (how, reason) = if *stop.borrow() { (json!("Cancelled"), None) } else { (how, reason) };
    let mut thread = find(&app, &id).await.ok()?;
    let active = thread.active.clone();
    let content: Vec<Value> = active["deltas"].as_array()?.iter().map(block).collect();
    let call = content.iter().find(|block| block["type"] == "tool_use").cloned().unwrap_or_default();
    let committed = json!({ "kind": "committed", "seq": thread.rows.len() });
    let outcome = if content.is_empty() { json!({ "kind": "abandoned" }) } else { committed };
    let message = json!({ "id": format!("{run}-assistant-{step}"), "role": "Assistant", "content": content });
    let message = (!content.is_empty()).then(|| json!({ "step": step, "response": 0, "message": message }));
    if let Some(reason) = reason {
        let tool = json!({ "tool_id": call["name"], "arguments": call["input"] });
        let ticket = json!({ "target": { "ToolCall": { "reason": reason, "call_id": call["id"], "tool": tool } } });
        thread.commit(&run, message, json!({ "state": "Awaiting", "resume_ticket": ticket }));
        thread.runs.get_mut(&run)?.waits = call["id"].as_str().map(str::to_owned);
    } else {
        thread.end(&app, &id, &run, message, how);
    }
    thread.frame("end", json!({ "index": active["next"], "outcome": outcome }));
    thread.active = Value::Null;
    Some(())
}

async fn send(app: App, Path(id): Path<String>, Json(body): Json<Value>) -> Result<Reply, Reply> {
    let key = body["idempotency_key"].as_str().ok_or_else(|| refuse(StatusCode::BAD_REQUEST, "bad_body"))?;
    let mut threads = app.lock().await;
    let thread = threads.entry(id.clone()).or_default();
    if let Some(before) = thread.keys.get(key) {
        return Ok((StatusCode::ACCEPTED, Json(before.clone())));
    }
    let how = body["on_active"].as_str().unwrap_or("reject");
    if how == "reject" && !thread.runs.is_empty() {
        return Err(refuse(StatusCode::CONFLICT, "run_active"));
    }
    let run = format!("r-{}", Uuid::new_v4());
    let mut answer = json!({ "run_id": run, "message_id": body["input"]["message_id"] });
    if let Some(active) = thread.runs.keys().next().cloned() {
        thread.queue.push_back((run, body["input"].clone()));
        (how == "cancel").then(|| thread.stop(&app, &id, &active));
    } else {
        answer["seq"] = thread.rows.len().into();
        thread.begin(&app, &id, run, &body["input"]);
    }
    thread.keys.insert(key.to_owned(), answer.clone());
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

async fn resume(app: App, Path((id, run)): Path<(String, String)>, Json(body): Json<Value>) -> Result<Reply, Reply> {
    let mut thread = find(&app, &id).await?;
    let key = body["idempotency_key"].as_str().unwrap_or_default();
    if !thread.keys.contains_key(key) {
        let waits =
            thread.runs.get_mut(&run).and_then(|run| run.waits.take_if(|call| body["correlation_id"] == **call));
        let call = waits.ok_or_else(|| refuse(StatusCode::CONFLICT, "already_resolved"))?;
        let refused = body["approve"] == false;
        let word = json!([{ "type": "text", "text": if refused { "refused" } else { "done" } }]);
        let said = if body["content"].is_array() { body["content"].clone() } else { word };
        let result = json!({ "type": "tool_result", "tool_use_id": call, "content": said, "is_error": refused || body["is_error"] == true });
        let message = json!({ "id": format!("tool-{call}"), "role": "Tool", "content": [result] });
        thread.commit(&run, Some(json!({ "message": message })), json!({ "state": "Running" }));
        thread.keys.insert(key.to_owned(), Value::Null);
        tokio::spawn(drive(app.clone(), id, run.clone(), String::new(), Some(said)));
    }
    Ok((StatusCode::ACCEPTED, Json(json!({ "run_id": run }))))
}

async fn cancel(app: App, Path((id, run)): Path<(String, String)>) -> Result<Reply, Reply> {
    let stopped = find(&app, &id).await?.stop(&app, &id, &run);
    stopped.ok_or_else(|| refuse(StatusCode::CONFLICT, "no_active_run"))?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "run_id": run }))))
}

async fn latest(app: App, Path((id, run)): Path<(String, String)>) -> Result<Reply, Reply> {
    let thread = find(&app, &id).await?;
    let row = thread.rows.iter().rfind(|row| row["run_id"] == run && !row["state"].is_null());
    Ok((StatusCode::OK, Json(row.ok_or_else(|| refuse(StatusCode::NOT_FOUND, "not_found"))?.clone())))
}

async fn committed(app: App, Path(id): Path<String>, query: Query<HashMap<String, String>>) -> Result<Reply, Reply> {
    let number = |name: &str, least: i64, otherwise: i64| match query.get(name).map(|text| text.parse::<i64>()) {
        Some(Ok(value)) if value >= least => Ok(value),
        None => Ok(otherwise),
        Some(_) => Err(refuse(StatusCode::BAD_REQUEST, "bad_parameter")),
    };
    let (after, before, limit) =
        (number("after", -1, -1)?, number("before", 0, i64::MAX)?, number("limit", 1, 200)? as usize);
    if query.get("epoch").is_some_and(|epoch| *epoch != *EPOCH) {
        return Err(refuse(StatusCode::CONFLICT, "epoch_over"));
    }
    let rows = &find(&app, &id).await?.rows;
    let end = rows.len().min(before as usize);
    let start = end.min(after.saturating_add(1) as usize);
    // No page splits a commit.
    let ends = |seq: &usize| *seq == 0 || !rows[*seq - 1]["state"].is_null();
    let backwards = query.contains_key("before");
    let from = if backwards { (start..=end.saturating_sub(limit)).rev().find(ends).unwrap_or(start) } else { start };
    let to = if backwards { end } else { (start.saturating_add(limit)..end).find(ends).unwrap_or(end) };
    let (runs, messages): (Vec<_>, Vec<_>) = rows.iter().take(to).skip(from).partition(|row| row["message"].is_null());
    let page = json!({
        "contract": "threadfold/1", "thread_id": id, "epoch": *EPOCH, "frontier": rows.len() as i64 - 1,
        "has_more": from > start || to < end, "messages": messages, "runs": runs,
    });
    Ok((StatusCode::OK, Json(page)))
}

async fn live(app: App, Path(id): Path<String>) -> Result<([(&'static str, &'static str); 3], Body), Reply> {
    let (stream, mut events) = mpsc::unbounded_channel();
    let mut thread = find(&app, &id).await?;
    let mut opened = thread.now();
    opened["contract"] = "threadfold/1".into();
    opened["active"] = thread.active.clone();
    drop(stream.send(Ok::<_, std::io::Error>(format!("event: opened\ndata: {opened}\n\n"))));
    thread.streams.push(stream);
    let body = Body::from_stream(futures_util::stream::poll_fn(move |context| events.poll_recv(context)));
    let kept = ("cache-control", "no-store, no-transform");
    Ok(([("content-type", "text/event-stream"), kept, ("x-accel-buffering", "no")], body))
}

#[tokio::main]
async fn main() -> Result<(), std::io::Error> {
    let app = App::default();
    let all = app.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(std::time::Duration::from_secs(5)).await;
            all.lock().await.values_mut().for_each(|thread| thread.announce("ping", &thread.now()));
        }
    });
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
    axum::serve(listener, routes.with_state(app.0)).await
}
