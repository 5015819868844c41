// A dsh host rebuilt from a recording: at each instant it answers openings and pages as the recorded host would have.

use serde_json::{Value, json};
use std::collections::HashSet;

/// What a host is at one instant of one of its lives.
#[derive(Clone)]
pub struct Host {
    header: Value,
    has_more: bool,
    /// The log, from the first event that is known.
    pub log: Vec<Value>,
    revision: u64,
    /// The attempt that streams: the start frame's fields, and what was said since, as a compact stream.
    active: Option<Active>,
    /// The messages that wait for the next turn and the next step.
    inbox: [Vec<Value>; 2],
    /// Where attempts were settled before this life.
    settled_before: Vec<(u64, u64)>,
    /// For each attempt of this life, all that its blocks ever were, as JSON.
    pub attempts: Vec<Attempt>,
}

#[derive(Clone)]
struct Active {
    start: Value,
    stream: Vec<Value>,
    next: u64,
}

/// An attempt, as a test needs to know it.
#[derive(Clone)]
pub struct Attempt {
    pub turn: u64,
    pub step: u64,
    /// What its blocks have been, newest last.
    pub states: Vec<String>,
    pub known: HashSet<String>,
    blocks: Vec<(u64, Value, bool)>,
}

impl Host {
    /// A host as it is when this snapshot is taken of it.
    pub fn new(snapshot: &Value) -> Self {
        let records = snapshot.get("records").and_then(Value::as_array).cloned().unwrap_or_default();
        let inbox = |which: &str| {
            let list = snapshot.pointer(&format!("/projections/values/inbox/{which}"));
            list.and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let mut host = Self {
            header: snapshot.get("header").cloned().unwrap_or_default(),
            has_more: snapshot.get("hasMore").and_then(Value::as_bool).unwrap_or(false),
            log: records.iter().filter_map(|record| record.get("event").cloned()).collect(),
            revision: number(snapshot, "/assistantStream/revision"),
            active: None,
            inbox: [inbox("next-turn"), inbox("next-step")],
            settled_before: Vec::new(),
            attempts: Vec::new(),
        };
        let settled = host.log.iter().filter(|event| is_settlement(event));
        host.settled_before = settled.filter_map(|event| event.get("data").map(place)).collect();
        if let Some(active) = snapshot.pointer("/assistantStream/activeAttempt") {
            let stream = active.get("stream").and_then(Value::as_array).cloned().unwrap_or_default();
            host.begin(active);
            for chunk in stream.iter().flat_map(expand) {
                host.say(&chunk);
            }
            host.active = Some(Active { start: active.clone(), stream, next: number(active, "/nextIndex") });
        }
        host
    }

    /// The next item happens.
    pub fn happen(&mut self, item: &Value) {
        if let Some(event) = item.get("event") {
            self.log.push(event.clone());
            if event.get("type").and_then(Value::as_str) == Some("agent/inbox/spliced") {
                self.splice(event.get("data").unwrap_or(&Value::Null));
            }
        }
        let Some(frame) = item.get("frame") else { return };
        self.revision = number(frame, "/revision");
        match frame.get("type").and_then(Value::as_str) {
            Some("start") => {
                self.begin(frame);
                self.active = Some(Active { start: frame.clone(), stream: Vec::new(), next: 0 });
            }
            Some("chunk") => {
                let chunk = json!({"type": "chunk", "time": frame.get("time"), "chunk": frame.get("chunk")});
                if let Some(active) = &mut self.active {
                    active.stream.push(chunk);
                    active.next += 1;
                }
                self.say(frame.get("chunk").unwrap_or(&Value::Null));
            }
            _ => self.active = None,
        }
    }

    pub fn cursor(&self) -> i64 {
        self.log.last().map_or(-1, |event| number(event, "/seq") as i64)
    }

    /// The messages that wait for the next turn.
    pub fn waiting(&self) -> &[Value] {
        let [next_turn, _] = &self.inbox;
        next_turn
    }

    /// What a client gets that opens the stream now.
    pub fn snapshot(&self) -> Value {
        let active = self.active.as_ref().map(|Active { start, stream, next }| {
            let field = |name: &str| start.get(name).cloned().unwrap_or_default();
            json!({
                "attemptId": field("attemptId"), "startedAfterSeq": field("startedAfterSeq"), "turn": field("turn"),
                "step": field("step"), "nextIndex": next, "stream": stream,
            })
        });
        let mut baseline = json!({"revision": self.revision});
        if let (Some(active), Some(fields)) = (active, baseline.as_object_mut()) {
            fields.insert("activeAttempt".to_owned(), active);
        }
        let [next_turn, next_step] = &self.inbox;
        let inbox = json!({"next-turn": next_turn, "next-step": next_step});
        json!({
            "type": "snapshot", "header": self.header, "cursor": self.cursor(), "records": records(&self.log),
            "hasMore": self.has_more, "projections": {"asOfSeq": self.cursor(), "values": {"inbox": inbox}},
            "assistantStream": baseline,
        })
    }

    /// What a client gets that opens the stream of a host that woke up with this log.
    pub fn cold(&self, through: usize) -> Value {
        let mut cold = self.clone();
        cold.log.truncate(through);
        cold.active = None;
        cold.revision = 0;
        cold.inbox = [Vec::new(), Vec::new()];
        cold.snapshot()
    }

    /// The answer to `session/page`.
    pub fn page(&self, arguments: &Value) -> Value {
        let through = arguments.pointer("/request/throughSeq").and_then(Value::as_i64).unwrap_or(-1);
        if through > self.cursor() {
            let message = format!("session page through seq {through} is past cursor {}", self.cursor());
            return json!({"ok": false, "error": {"code": "gateway/bad-request", "message": message, "details": {}}});
        }
        let events: Vec<Value> =
            self.log.iter().filter(|event| number(event, "/seq") as i64 <= through).cloned().collect();
        json!({"ok": true, "value": {"records": records(&events), "hasMore": self.has_more}})
    }

    /// What the blocks of the open attempt are now, as JSON; an empty list without one.
    pub fn live(&self) -> String {
        let open = self.active.as_ref().and_then(|_| self.attempts.last());
        open.and_then(|attempt| attempt.states.last().cloned()).unwrap_or_else(|| "[]".to_owned())
    }

    /// True when the log holds what this attempt left.
    pub fn has_settled(&self, active: &Value) -> bool {
        let (after, place) = (active.get("startedAfterSeq").and_then(Value::as_i64).unwrap_or(-1), place(active));
        self.settlements(place).any(|event| number(event, "/seq") as i64 > after)
    }

    /// The seq of the settlement before the last one.
    pub fn earlier_settlement(&self) -> Option<u64> {
        let settlements = self.log.iter().rev().filter(|event| is_settlement(event));
        settlements.map(|event| number(event, "/seq")).nth(1)
    }

    /// How many attempts of this turn and step had left something before this life knew of any.
    pub fn settled_before(&self, place: (u64, u64)) -> usize {
        self.settled_before.iter().filter(|settled| **settled == place).count()
    }

    fn settlements(&self, wanted: (u64, u64)) -> impl Iterator<Item = &Value> {
        self.log.iter().filter(move |event| is_settlement(event) && event.get("data").map(place) == Some(wanted))
    }

    fn begin(&mut self, start: &Value) {
        self.attempts.push(Attempt {
            turn: number(start, "/turn"),
            step: number(start, "/step"),
            states: vec!["[]".to_owned()],
            known: HashSet::from(["[]".to_owned()]),
            blocks: Vec::new(),
        });
    }

    fn say(&mut self, chunk: &Value) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.say(chunk);
        }
    }

    fn splice(&mut self, data: &Value) {
        let [next_turn, next_step] = &mut self.inbox;
        let steers = data.get("target").and_then(Value::as_str) == Some("next-step");
        let list = if steers { next_step } else { next_turn };
        let start = (number(data, "/start") as usize).min(list.len());
        let end = (start + number(data, "/removedCount") as usize).min(list.len());
        let inserted = data.get("inserted").and_then(Value::as_array).cloned().unwrap_or_default();
        list.splice(start..end, inserted);
    }
}

impl Attempt {
    /// The next chunk: deltas append, and what `block-end` says is final.
    fn say(&mut self, chunk: &Value) {
        if let Some(index) = chunk.get("index").and_then(Value::as_u64) {
            let at = self.blocks.iter().position(|(other, ..)| *other == index).unwrap_or_else(|| {
                self.blocks.push((index, Value::Null, false));
                self.blocks.len() - 1
            });
            if let Some((_, block, frozen)) = self.blocks.get_mut(at)
                && !*frozen
            {
                grow(block, chunk, frozen);
            }
        }
        let blocks: Vec<&Value> =
            self.blocks.iter().map(|(_, block, _)| block).filter(|block| !block.is_null()).collect();
        let state = json!(blocks).to_string();
        self.known.insert(state.clone());
        self.states.push(state);
    }
}

/// Blocks have the form in which a view has its parts.
fn grow(block: &mut Value, chunk: &Value, frozen: &mut bool) {
    let word = |name: &str| chunk.get(name).and_then(Value::as_str).unwrap_or_default();
    let before = |block: &Value, name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match word("type") {
        "text-delta" => *block = json!({"type": "text", "text": before(block, "text") + word("text")}),
        "reasoning-delta" => *block = json!({"type": "reasoning", "text": before(block, "text") + word("text")}),
        "tool-call-delta" => {
            let name = before(block, "name");
            let name = if name.is_empty() { word("name").to_owned() } else { name };
            let args = before(block, "args") + word("argumentsDelta");
            *block = json!({"type": "tool_call", "id": word("id"), "name": name, "args": args});
        }
        "block-end" => {
            let whole = chunk.get("block").cloned().unwrap_or_default();
            *block = match whole.get("type").and_then(Value::as_str) {
                Some("tool-call") => json!({
                    "type": "tool_call", "id": whole.get("id"), "name": whole.get("name"), "args": whole.get("arguments"),
                }),
                _ => whole,
            };
            *frozen = true;
        }
        _ => {}
    }
}

/// The chunks of a compact record.
fn expand(record: &Value) -> Vec<Value> {
    let kind = match record.get("type").and_then(Value::as_str) {
        Some("text-chunks") => "text-delta",
        Some("reasoning-chunks") => "reasoning-delta",
        Some("tool-call-chunks") => "tool-call-delta",
        _ => return record.get("chunk").cloned().into_iter().collect(),
    };
    let pieces = record.get("texts").or_else(|| record.get("args")).and_then(Value::as_array).cloned();
    let chunk = |piece: Value| {
        json!({
            "type": kind, "index": record.get("index"), "id": record.get("id"), "name": record.get("name"),
            "text": piece, "argumentsDelta": piece,
        })
    };
    pieces.unwrap_or_default().into_iter().map(chunk).collect()
}

fn is_settlement(event: &Value) -> bool {
    let word = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
    word("type") == "assistant/attempt" || (word("type") == "assistant/message" && word("surfaceOp") == "append")
}

/// The turn and the step.
fn place(value: &Value) -> (u64, u64) {
    (number(value, "/turn"), number(value, "/step"))
}

fn records(events: &[Value]) -> Vec<Value> {
    events.iter().map(|event| json!({"type": "event", "event": event})).collect()
}

fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}
