//! A thread: its log in memory, and who listens. A database takes the place of `rows` in `commit`, which announces only
//! what is kept.

use crate::Refusal;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, watch};

/// A run that is not over: how to stop it, what was asked, and the call that it waits for.
pub struct Run {
    pub stop: watch::Sender<bool>,
    pub said: String,
    pub waits: Option<String>,
}

#[derive(Default)]
pub struct Thread {
    pub rows: Vec<Value>,
    /// The first seq of each row's commit: no page and no announcement splits one.
    pub commits: Vec<usize>,
    pub keys: HashMap<String, Value>,
    pub streams: Vec<mpsc::UnboundedSender<String>>,
    pub runs: HashMap<String, Run>,
    pub queue: VecDeque<(String, Value)>,
    pub revision: u64,
    pub active: Value,
}

impl Thread {
    pub fn frontier(&self) -> i64 {
        self.rows.len() as i64 - 1
    }

    pub fn state(&self, run: &str) -> Result<&Value, Refusal> {
        let of_run = |row: &&Value| row["run_id"] == run && !row["state"].is_null();
        self.rows.iter().rfind(of_run).ok_or(Refusal(StatusCode::NOT_FOUND, "not_found"))
    }

    /// Keeps messages and the run's state, and announces them.
    pub fn commit(&mut self, run: &str, mut made: Vec<Value>, state: Value, ticket: Option<Value>) {
        let first = self.rows.len();
        made.push(json!({ "state": state }));
        if let (Some(row), Some(ticket)) = (made.last_mut(), ticket) {
            row["resume_ticket"] = ticket;
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        for mut row in made {
            row["seq"] = self.rows.len().into();
            row["time"] = time.into();
            row["run_id"] = run.into();
            self.rows.push(row);
            self.commits.push(first);
        }
        let records = self.rows.iter().skip(first).collect::<Vec<_>>();
        self.announce("committed", &json!({ "frontier": self.frontier(), "records": records }));
    }

    pub fn announce(&mut self, name: &str, data: &Value) {
        self.streams.retain(|stream| stream.send(format!("event: {name}\ndata: {data}\n\n")).is_ok());
    }

    /// A frame of the attempt that streams.
    pub fn frame(&mut self, name: &str, mut data: Value) {
        self.revision += 1;
        data["attempt"] = self.active["attempt"].clone();
        data["revision"] = self.revision.into();
        self.announce(name, &data);
    }

    /// What was streamed so far, as the blocks of a message.
    pub fn content(&self) -> Vec<Value> {
        self.active["deltas"].as_array().into_iter().flatten().map(block).collect()
    }

    /// Shows a Delta; adjacent ones of one kind and call are joined in what a newcomer gets.
    pub fn delta(&mut self, delta: Value) {
        let field = if delta["type"] == "tool_call_delta" { "args_delta" } else { "delta" };
        let index = self.active["next"].as_u64().unwrap_or_default();
        self.active["next"] = (index + 1).into();
        self.frame("delta", json!({ "index": index, "delta": delta }));
        let Some(deltas) = self.active["deltas"].as_array_mut() else { return };
        match deltas.last_mut() {
            Some(last) if last["type"] == delta["type"] && last["id"] == delta["id"] => {
                let joined = [&last[field], &delta[field]].map(|part| part.as_str().unwrap_or_default()).concat();
                last[field] = joined.into();
            }
            _ => deltas.push(delta),
        }
    }

    pub fn page(&self, id: &str, epoch: &str, after: i64, before: Option<usize>, limit: usize) -> Value {
        let start = (after + 1).max(0) as usize;
        let end = before.unwrap_or(usize::MAX).min(self.rows.len());
        let (mut from, mut to) = (start.min(end), end);
        if before.is_some() {
            from = from.max(self.commits.get(end.saturating_sub(limit)).copied().unwrap_or_default());
        } else if end.saturating_sub(start) > limit {
            to = start + limit;
            while to < end && self.commits.get(to) == self.commits.get(to - 1) {
                to += 1;
            }
        }
        let rows = || self.rows.iter().skip(from).take(to - from);
        json!({
            "contract": "threadfold/1", "thread_id": id, "epoch": epoch, "frontier": self.frontier(),
            "has_more": if before.is_some() { from > start } else { to < end },
            "messages": rows().filter(|row| row["state"].is_null()).collect::<Vec<_>>(),
            "runs": rows().filter(|row| !row["state"].is_null()).collect::<Vec<_>>(),
        })
    }
}

/// What joined Deltas come to in the committed message.
fn block(delta: &Value) -> Value {
    let args = delta["args_delta"].as_str().unwrap_or_default();
    match delta["type"].as_str() {
        Some("text_delta") => json!({ "type": "text", "text": delta["delta"] }),
        Some("reasoning_delta") => json!({ "type": "thinking", "text": delta["delta"] }),
        _ => {
            json!({ "type": "tool_use", "id": delta["id"], "name": delta["name"], "input": serde_json::from_str::<Value>(args).unwrap_or(json!({})) })
        }
    }
}
