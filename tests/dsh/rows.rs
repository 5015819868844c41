// The table of B4 once more, as whoever reads it would write it: which row each input of a follower meets, from outside.
// It counts the rows, and says when the follower has to open the stream again or to read a page.

use serde_json::Value;
use std::collections::BTreeMap;

/// Every row that the damaged replays have to meet.
pub const ROWS: &[&str] = &[
    "snapshot without attempt",
    "snapshot with attempt",
    "snapshot that holds the settlement already",
    "snapshot with a bad baseline",
    "log regressed",
    "repairing: event queued",
    "repairing: frame held",
    "page, then opened once",
    "page alone",
    "page short",
    "page failed",
    "duplicate frame",
    "frame gap",
    "event old",
    "event gap",
    "idle: event",
    "idle: start",
    "idle: late start",
    "idle: chunk or end without its start",
    "start while open",
    "chunk or end of another attempt",
    "chunk next",
    "chunk gap",
    "live: event published",
    "live: settlement held",
    "staged: event queued",
    "end index",
    "end abandoned, nothing held",
    "end abandoned, something held",
    "end committed, not held or of another type",
    "end committed, published already",
    "end committed, settled",
    "step or turn ends without the attempt's end",
    "turn ends while staged",
    "log only: frame ignored",
    "carrier lost",
];

/// What a row asks the follower to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Nothing,
    Open,
    Read,
}

#[derive(Debug, Clone)]
struct Open {
    id: String,
    after: i64,
    turn: u64,
    step: u64,
    next: u64,
}

/// A follower's state, as far as the table needs it.
#[derive(Debug, Default)]
pub struct Rows {
    pub counts: BTreeMap<&'static str, u64>,
    /// Events that are published: their seqs and what they are.
    window: Vec<Value>,
    last: i64,
    revision: u64,
    attempt: Option<Open>,
    held: Vec<Value>,
    repairing: bool,
    held_frames: bool,
    queue: Vec<Value>,
    last_frame: Option<Value>,
    bad_baseline: bool,
    /// In milliseconds; whoever plays sets it.
    pub now: u64,
    /// Openings for a fault since a frame was applied.
    faults: u32,
    /// Until then the log alone is followed.
    log_only_until: Option<u64>,
}

/// So many openings for nothing, and so long a minute.
const MOST_FAULTS: u32 = 3;
const QUIET: u64 = 60_000;

impl Rows {
    /// An item came under the current generation.
    pub fn item(&mut self, item: &Value) -> Action {
        if let Some(event) = item.get("event") {
            return self.event(event);
        }
        match item.get("frame") {
            Some(frame) => self.frame(frame),
            None => self.snapshot(item),
        }
    }

    /// A page was answered: with these events, or not.
    pub fn page(&mut self, events: Option<&[Value]>, wished: i64) -> Action {
        let Some(events) = events else {
            self.hit("page failed");
            return Action::Nothing;
        };
        if events.last().map_or(-1, seq) < wished.max(self.last) {
            self.hit("page short");
            return Action::Read;
        }
        self.window = events.to_vec();
        self.last = events.last().map_or(-1, seq);
        self.held.clear();
        self.repairing = false;
        let had_attempt = self.attempt.take().is_some();
        for event in std::mem::take(&mut self.queue) {
            if seq(&event) > self.last {
                self.event(&event);
            }
        }
        if std::mem::take(&mut self.held_frames) || had_attempt {
            return self.open("page, then opened once");
        }
        self.hit("page alone");
        Action::Nothing
    }

    /// The log has a hole.
    pub fn is_repairing(&self) -> bool {
        self.repairing
    }

    /// The socket is lost.
    pub fn lost(&mut self) {
        self.hit("carrier lost");
        self.over();
    }

    /// The stream is over, or is to be opened again.
    fn over(&mut self) {
        self.attempt = None;
        self.window.append(&mut self.held);
        self.repairing = false;
        self.held_frames = false;
        self.queue.clear();
    }

    fn open(&mut self, row: &'static str) -> Action {
        self.hit(row);
        self.over();
        self.faults += 1;
        if self.faults >= MOST_FAULTS && self.log_only_until.is_none() {
            self.log_only_until = Some(self.now + QUIET);
            self.faults = 0;
        }
        Action::Open
    }

    fn log_only(&mut self) -> bool {
        self.log_only_until = self.log_only_until.filter(|until| *until > self.now);
        self.log_only_until.is_some()
    }

    fn hit(&mut self, row: &'static str) {
        assert!(ROWS.contains(&row), "{row} is no row");
        *self.counts.entry(row).or_default() += 1;
    }

    fn snapshot(&mut self, snapshot: &Value) -> Action {
        let active = snapshot.pointer("/assistantStream/activeAttempt");
        let open = active.map(|active| Open {
            id: word(active, "attemptId"),
            after: signed(active, "startedAfterSeq"),
            turn: number(active, "turn"),
            step: number(active, "step"),
            next: number(active, "nextIndex"),
        });
        let is_bad = active.is_some_and(|active| {
            let stream = active.get("stream").and_then(Value::as_array);
            let pieces = |record: &Value| {
                record.get("texts").or_else(|| record.get("args")).and_then(Value::as_array).map_or(1, Vec::len)
            };
            stream.map_or(0, |stream| stream.iter().map(pieces).sum()) as u64 != number(active, "nextIndex")
        });
        if is_bad && !std::mem::replace(&mut self.bad_baseline, true) {
            return self.open("snapshot with a bad baseline");
        }
        self.bad_baseline = is_bad;
        let records = snapshot.get("records").and_then(Value::as_array).cloned().unwrap_or_default();
        let cursor = signed(snapshot, "cursor");
        if cursor < self.last && !self.window.is_empty() {
            self.hit("log regressed");
        }
        self.window = records.iter().filter_map(|record| record.get("event").cloned()).collect();
        self.last = cursor;
        self.revision = snapshot.pointer("/assistantStream/revision").and_then(Value::as_u64).unwrap_or(0);
        self.held.clear();
        self.last_frame = None;
        self.over();
        match open.filter(|_| !is_bad) {
            Some(open) if self.window.iter().any(|event| settles(event, &open)) => {
                self.hit("snapshot that holds the settlement already")
            }
            Some(_) if self.log_only() => self.hit("snapshot without attempt"),
            Some(open) => {
                self.attempt = Some(open);
                self.hit("snapshot with attempt");
            }
            None => self.hit("snapshot without attempt"),
        }
        Action::Nothing
    }

    fn event(&mut self, event: &Value) -> Action {
        if self.repairing {
            self.queue.push(event.clone());
            self.hit("repairing: event queued");
            return Action::Nothing;
        }
        if seq(event) <= self.last {
            self.hit("event old");
            return Action::Nothing;
        }
        if seq(event) > self.last + 1 {
            self.repairing = true;
            self.queue.push(event.clone());
            self.hit("event gap");
            return Action::Read;
        }
        self.last = seq(event);
        let Some(open) = self.attempt.clone() else {
            self.window.push(event.clone());
            self.hit("idle: event");
            return Action::Nothing;
        };
        let is_staged = !self.held.is_empty();
        if is_staged || settles(event, &open) {
            self.held.push(event.clone());
            self.hit(if is_staged { "staged: event queued" } else { "live: settlement held" });
        } else {
            self.window.push(event.clone());
            self.hit("live: event published");
        }
        let turn = event.pointer("/data/turn").and_then(Value::as_u64);
        let is_late = seq(event) > open.after && turn.is_some_and(|turn| turn >= open.turn);
        match word(event, "type").as_str() {
            "turn/end" if is_late && is_staged => self.open("turn ends while staged"),
            "turn/end" | "step/end" if is_late && !is_staged => {
                self.open("step or turn ends without the attempt's end")
            }
            _ => Action::Nothing,
        }
    }

    fn frame(&mut self, frame: &Value) -> Action {
        if self.log_only() {
            self.hit("log only: frame ignored");
            return Action::Nothing;
        }
        let revision = number(frame, "revision");
        if revision == self.revision && self.last_frame.as_ref() == Some(frame) {
            self.hit("duplicate frame");
            return Action::Nothing;
        }
        if revision != self.revision + 1 {
            return self.open("frame gap");
        }
        self.revision = revision;
        self.last_frame = Some(frame.clone());
        if self.repairing {
            self.held_frames = true;
            self.hit("repairing: frame held");
            return Action::Nothing;
        }
        let kind = word(frame, "type");
        if kind == "start" {
            return self.start(frame);
        }
        let Some(open) = self.attempt.clone() else {
            self.hit("idle: chunk or end without its start");
            return Action::Nothing;
        };
        if word(frame, "attemptId") != open.id {
            self.hit("chunk or end of another attempt");
            return Action::Nothing;
        }
        let is_next = number(frame, "index") == open.next;
        match kind.as_str() {
            "chunk" if !is_next => self.open("chunk gap"),
            "chunk" => {
                self.attempt = Some(Open { next: open.next + 1, ..open });
                self.faults = 0;
                self.hit("chunk next");
                Action::Nothing
            }
            _ if !is_next => self.open("end index"),
            _ => self.end(frame),
        }
    }

    fn start(&mut self, frame: &Value) -> Action {
        if self.attempt.is_some() {
            return self.open("start while open");
        }
        let open = Open {
            id: word(frame, "attemptId"),
            after: signed(frame, "startedAfterSeq"),
            turn: number(frame, "turn"),
            step: number(frame, "step"),
            next: 0,
        };
        self.faults = 0;
        let is_over = |event: &Value| {
            let ended = word(event, "type") == "turn/end"
                && event.pointer("/data/turn").and_then(Value::as_u64) == Some(open.turn);
            settles(event, &open) || ended
        };
        if self.window.iter().any(is_over) {
            self.hit("idle: late start");
        } else {
            self.attempt = Some(open);
            self.hit("idle: start");
        }
        Action::Nothing
    }

    fn end(&mut self, frame: &Value) -> Action {
        let outcome = frame.get("outcome").cloned().unwrap_or_default();
        let held = self.held.first();
        if word(&outcome, "kind") == "abandoned" {
            if held.is_some() {
                return self.open("end abandoned, something held");
            }
            self.attempt = None;
            self.faults = 0;
            self.hit("end abandoned, nothing held");
            return Action::Nothing;
        }
        let fits = held.is_some_and(|held| {
            seq(held) == signed(&outcome, "seq") && word(held, "type") == word(&outcome, "eventType")
        });
        let is_published = |event: &Value| seq(event) == signed(&outcome, "seq") && is_settlement(event);
        if !fits && !self.window.iter().any(is_published) {
            return self.open("end committed, not held or of another type");
        }
        self.attempt = None;
        self.faults = 0;
        self.window.append(&mut self.held);
        self.hit(if fits { "end committed, settled" } else { "end committed, published already" });
        Action::Nothing
    }
}

/// OWN.
fn settles(event: &Value, open: &Open) -> bool {
    let at = |name: &str| event.pointer(name).and_then(Value::as_u64);
    is_settlement(event)
        && seq(event) > open.after
        && at("/data/turn") == Some(open.turn)
        && at("/data/step") == Some(open.step)
}

fn is_settlement(event: &Value) -> bool {
    let kind = word(event, "type");
    kind == "assistant/attempt" || (kind == "assistant/message" && word(event, "surfaceOp") == "append")
}

fn seq(event: &Value) -> i64 {
    signed(event, "seq")
}

fn signed(value: &Value, name: &str) -> i64 {
    value.get(name).and_then(Value::as_i64).unwrap_or(-1)
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}

fn word(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
