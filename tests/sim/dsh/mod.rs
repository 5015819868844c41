//! A dsh host (semantics B): a session's log, its turns, steps and attempts, and what it sends of them. What a log and
//! its frames make of a host at each instant, the model under `tests/dsh/` knows.

mod agent;
pub mod check;
mod line;
#[path = "../../dsh/model.rs"]
#[allow(dead_code, reason = "the damaged recordings use the rest")]
mod model;
mod serve;

pub use line::{Call, Socket};

use crate::backend::Crash;
use crate::random::Random;
use model::{Attempt, Host};
use serde_json::{Value, json};

pub struct Session {
    host: Host,
    /// The attempt that streams.
    attempt: Option<Open>,
    /// How many attempts this life has had: their ids are made of it.
    attempts: u32,
    revision: u64,
    turns: u64,
    /// Logs of lives that are over, and what their attempts said.
    past: Vec<Vec<Value>>,
    said: Vec<Attempt>,
    /// So many snapshots to come say another length than their baseline has.
    bad_baselines: u32,
    /// A baseline of this attempt was wrong: who has seen two in a row does not show it.
    unshown: Option<String>,
    cold: check::Cold,
}

/// An attempt that has no end yet.
#[derive(Debug, Clone)]
struct Open {
    id: String,
    turn: u64,
    step: u64,
    chunks: Vec<Value>,
    /// The block that is being written, and of what kind it is.
    block: Option<(u64, &'static str)>,
    blocks: u64,
    /// What it left in the log: its type and seq.
    settled: Option<(&'static str, u64)>,
}

/// Where the log stands, read off it, so that a crash needs no memory.
#[derive(Debug, Clone, Default)]
struct Place {
    turn: Option<u64>,
    step: u64,
    /// The step is under way.
    steps: bool,
    /// The step has its answer.
    answered: bool,
    /// Calls without a result.
    calls: Vec<String>,
    /// Questions that nobody has answered, and the calls that they are of.
    questions: Vec<(String, String)>,
    /// How often the step failed.
    failures: u64,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            host: Host::new(&empty()),
            attempt: None,
            attempts: 0,
            revision: 0,
            turns: 0,
            past: Vec::new(),
            said: Vec::new(),
            bad_baselines: 0,
            unshown: None,
            cold: check::Cold::default(),
        }
    }
}

fn empty() -> Value {
    json!({
        "type": "snapshot", "header": {"version": 4, "id": "t1"}, "cursor": -1, "records": [], "hasMore": false,
        "projections": {"values": {"inbox": {"next-turn": [], "next-step": []}}}, "assistantStream": {"revision": 0},
    })
}

impl Session {
    /// How an opening begins, and the events that fell between its window and its baseline (B3, the cut).
    pub fn opening(&mut self, r: &mut Random) -> Vec<Value> {
        let mut snapshot = self.host.snapshot();
        if self.bad_baselines > 0
            && let Some(next) = snapshot.pointer_mut("/assistantStream/activeAttempt/nextIndex")
        {
            *next = json!(next.as_u64().unwrap_or(0) + 1);
            self.bad_baselines -= 1;
            self.unshown = self.attempt.as_ref().map(|attempt| attempt.id.clone());
        }
        let mut items = Vec::new();
        let log = &self.host.log;
        let between = if r.one_in(4) { r.below(4).min(log.len()) } else { 0 };
        let later = &log[log.len() - between..];
        if !later.iter().any(|event| event["type"] == "agent/inbox/spliced") {
            if let Some(records) = snapshot["records"].as_array_mut() {
                records.truncate(log.len() - between);
            }
            snapshot["cursor"] = json!(log.len() as i64 - between as i64 - 1);
            items.extend(later.iter().map(|event| json!({"type": "event", "event": event})));
        }
        items.insert(0, snapshot);
        items
    }

    /// The answer to `session/page`, of a log that ends so many rows before this one's end.
    pub fn page(&self, through: Option<u64>, stale: u64) -> Value {
        let cursor = self.host.cursor();
        let wished = through.map_or(cursor, |through| through as i64);
        // A host refuses what lies past its cursor; one that lags answers with what it has.
        let through = if stale > 0 { wished.min(cursor) - stale as i64 } else { wished };
        self.host.page(&json!({"request": {"throughSeq": through}}))
    }

    pub fn has_crashed(&self) -> bool {
        !self.past.is_empty()
    }

    /// The process ends, with so many of the log's last rows lost, and another begins.
    pub fn crash(&mut self, crash: Crash) {
        let left = self.host.log.len() - crash.lost.min(self.host.log.len());
        self.past.push(self.host.log.clone());
        self.said.append(&mut self.host.attempts);
        self.host = Host::new(&self.host.cold(left));
        (self.attempt, self.attempts, self.revision, self.bad_baselines, self.unshown) = (None, 0, 0, 0, None);
        let place = self.place();
        if crash.rewrites {
            self.turns = place.turn.unwrap_or(0).max(self.last_turn());
        }
        if let Some(turn) = place.turn.filter(|_| !crash.goes_on) {
            self.log("turn/end", json!({"turn": turn, "reason": {"kind": "interrupted"}}));
        }
    }

    /// What a call does, and the items that tell of it.
    pub fn call(&mut self, method: &str, request: &Value) -> (Value, Vec<Value>) {
        let done = json!({"ok": true, "value": {}});
        match method {
            "session/prompt" => {
                let word = |pointer: &str| request.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                (done, self.say(word("/requestId"), word("/content/0/text")))
            }
            "session/cancel" => (done, self.stop(&json!({"kind": "aborted", "reason": {"kind": "user"}}))),
            // Whoever answers first wins; the others are told that it is done.
            _ => (done, Vec::new()),
        }
    }

    /// An answer to a question, by its event on the stream about all sessions.
    pub fn decide(&mut self, event: &str, outcome: &Value) -> Vec<Value> {
        if !self.questions().iter().any(|(id, _)| id == event) {
            return Vec::new();
        }
        vec![self.log("approval/decided", json!({"id": event, "outcome": outcome}))]
    }

    /// The questions that nobody has answered, and the calls that they are of.
    pub fn questions(&self) -> Vec<(String, String)> {
        self.place().questions
    }

    /// A message waits for its turn, which begins at once when none runs.
    fn say(&mut self, id: &str, text: &str) -> Vec<Value> {
        let message = json!({
            "id": format!("host-{id}"), "role": "user", "content": [{"type": "text", "text": text}],
            "source": {"kind": "user", "rpcId": id},
        });
        let start = self.host.waiting().len();
        let splice = json!({"target": "next-turn", "start": start, "inserted": [message]});
        let mut items = vec![self.log("agent/inbox/spliced", splice)];
        if self.place().turn.is_none() {
            items.extend(self.begin());
        }
        items
    }

    /// The turn of the message that has waited longest.
    fn begin(&mut self) -> Vec<Value> {
        let Some(message) = self.host.waiting().first().cloned() else { return Vec::new() };
        self.turns += 1;
        let taken = json!({"target": "next-turn", "start": 0, "removedCount": 1, "inserted": []});
        vec![
            self.log("turn/start", json!({"turn": self.turns})),
            self.log("agent/inbox/spliced", taken),
            self.surface("user/message", message),
        ]
    }

    /// The turn is over; what the attempt said so far stays as cut off.
    fn stop(&mut self, reason: &Value) -> Vec<Value> {
        let mut items = Vec::new();
        if self.attempt.as_ref().is_some_and(|attempt| attempt.settled.is_none()) {
            items.extend(self.settle(true));
        }
        items.extend(self.end());
        if let Some(turn) = self.place().turn {
            items.push(self.log("turn/end", json!({"turn": turn, "reason": reason})));
        }
        items
    }

    /// All comes to its end: nothing is under way and nothing waits.
    pub fn rest(&mut self) -> Vec<Value> {
        let mut items = Vec::new();
        loop {
            items.extend(self.stop(&json!({"kind": "completed"})));
            let begun = self.begin();
            if begun.is_empty() {
                return items;
            }
            items.extend(begun);
        }
    }

    /// The attempt that streams says something more, if one does.
    pub fn live(&mut self) -> Option<Value> {
        let streams = self.attempt.as_ref().is_some_and(|attempt| attempt.settled.is_none());
        streams.then(|| self.chunk(json!({"type": "usage", "usage": {}})))
    }

    /// An event is in the log.
    fn log(&mut self, kind: &str, data: Value) -> Value {
        let seq = self.host.cursor() + 1;
        self.happens(json!({"type": "event", "event": {"type": kind, "seq": seq, "time": seq, "data": data}}))
    }

    /// An event that the model sees.
    fn surface(&mut self, kind: &str, data: Value) -> Value {
        let seq = self.host.cursor() + 1;
        let event = json!({"type": kind, "seq": seq, "time": seq, "data": data, "surfaceOp": "append"});
        self.happens(json!({"type": "event", "event": event}))
    }

    fn happens(&mut self, item: Value) -> Value {
        self.host.happen(&item);
        item
    }

    fn frame(&mut self, mut frame: Value) -> Value {
        self.revision += 1;
        frame["revision"] = json!(self.revision);
        self.happens(json!({"type": "assistant-stream", "frame": frame}))
    }

    fn last_turn(&self) -> u64 {
        let turn = |event: &Value| event["data"]["turn"].as_u64();
        self.host.log.iter().filter_map(turn).max().unwrap_or(0)
    }

    fn place(&self) -> Place {
        let mut place = Place::default();
        for event in &self.host.log {
            let data = &event["data"];
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            match event["type"].as_str().unwrap_or_default() {
                "turn/start" => place = Place { turn: data["turn"].as_u64(), ..Place::default() },
                "turn/end" => place = Place::default(),
                "step/start" => {
                    place.step = data["step"].as_u64().unwrap_or(0);
                    (place.steps, place.answered, place.failures) = (true, false, 0);
                }
                "step/end" => place.steps = false,
                "assistant/attempt" => place.failures += 1,
                "assistant/message" if event["surfaceOp"] == "append" => {
                    place.answered = true;
                    let content = data["message"]["content"].as_array().cloned().unwrap_or_default();
                    place.calls = content
                        .iter()
                        .filter(|block| block["type"] == "tool-call")
                        .map(|block| word(&block["id"]))
                        .collect();
                }
                "tool/result" => place.calls.retain(|call| *call != word(&data["message"]["toolCallId"])),
                "approval/asked" => place.questions.push((word(&data["id"]), word(&data["callId"]))),
                "approval/decided" => place.questions.retain(|(id, _)| *id != word(&data["id"])),
                _ => {}
            }
        }
        place
    }
}
