//! What happens on a dsh host by itself: its agent's next act, chosen by a number, sensible wherever the log stands.

use super::{Open, Session};
use crate::random::Random;
use serde_json::{Value, json};

const TEXTS: [&str; 8] = ["a", "ab", " ", "Hello ", "world", "你好", "😀", "\n\n"];
const ARGS: [&str; 6] = ["{\"a\":", "1", ",\"b\":\"x", "\"}", "", "{}"];

impl Session {
    /// The next thing that happens on the host.
    pub fn agent(&mut self, number: u64) -> Vec<Value> {
        let r = &mut Random::new(number);
        let place = self.place();
        if r.one_in(60) {
            return self.compacts(r);
        }
        match &self.attempt {
            Some(attempt) if attempt.settled.is_some() && r.one_in(5) => vec![self.between(r, place.step)],
            Some(attempt) if attempt.settled.is_some() && r.one_in(16) => self.ends_wrongly(r),
            Some(attempt) if attempt.settled.is_some() => self.end(),
            Some(_) => self.streams(r),
            None if place.turn.is_none() => {
                let begun = self.begin();
                if begun.is_empty() && r.one_in(2) {
                    let id = format!("elsewhere-{}-{}", self.host.log.len(), self.past.len());
                    return self.say(&id, TEXTS[r.below(7)]);
                }
                begun
            }
            None if !place.questions.is_empty() => self.waits(r),
            None => self.works(r),
        }
    }

    fn streams(&mut self, r: &mut Random) -> Vec<Value> {
        match r.below(100) {
            0..70 => {
                let chunk = self.piece(r);
                vec![self.chunk(chunk)]
            }
            70..72 => {
                let note = self.log("session/noted", json!({"note": 1}));
                vec![note]
            }
            72..73 => self.other_attempt(),
            73..74 => self.ends_as_an_older(),
            74..75 => {
                self.bad_baselines = 1 + u32::from(r.one_in(3));
                Vec::new()
            }
            75..88 => {
                let mut items = self.settle(false);
                if r.one_in(2) {
                    items.extend(self.end());
                }
                items
            }
            88..94 => self.fails(r),
            94..97 => self.abandons(),
            _ => self.stop(&reason(r)),
        }
    }

    /// The next piece of what the attempt says.
    fn piece(&mut self, r: &mut Random) -> Value {
        let Some(attempt) = &mut self.attempt else { return Value::Null };
        let Some((index, kind)) = attempt.block.filter(|_| !r.one_in(6)) else {
            let index = attempt.blocks;
            attempt.blocks += 1;
            let kind = *r.pick(&["text", "text", "text", "reasoning", "tool-call"]);
            attempt.block = Some((index, kind));
            if kind == "tool-call" {
                let id = format!("c{}-{index}", attempt.id);
                return json!({"type": "tool-call-delta", "index": index, "id": id, "name": "tool", "argumentsDelta": ""});
            }
            return json!({"type": "block-start", "index": index, "blockType": kind});
        };
        if r.one_in(12) {
            attempt.block = None;
            return match kind {
                "tool-call" => {
                    let id = format!("c{}-{index}", attempt.id);
                    let block = json!({"type": "tool-call", "id": id, "name": "tool", "arguments": "{\"whole\":1}"});
                    json!({"type": "block-end", "index": index, "block": block})
                }
                kind => json!({"type": "block-end", "index": index, "block": {"type": kind, "text": "whole"}}),
            };
        }
        match kind {
            "tool-call" => {
                let id = format!("c{}-{index}", attempt.id);
                json!({"type": "tool-call-delta", "index": index, "id": id, "argumentsDelta": *r.pick(&ARGS)})
            }
            "reasoning" => json!({"type": "reasoning-delta", "index": index, "text": *r.pick(&TEXTS)}),
            _ => json!({"type": "text-delta", "index": index, "text": *r.pick(&TEXTS)}),
        }
    }

    pub(super) fn chunk(&mut self, chunk: Value) -> Value {
        let Some(attempt) = &mut self.attempt else { return Value::Null };
        let (id, index) = (attempt.id.clone(), attempt.chunks.len());
        attempt.chunks.push(json!({"type": "chunk", "time": index, "chunk": chunk}));
        self.frame(json!({"type": "chunk", "attemptId": id, "index": index, "time": index, "chunk": chunk}))
    }

    /// A faulty host: a piece says that it is of another attempt, and the next one shows that it is missing.
    fn other_attempt(&mut self) -> Vec<Value> {
        let mut wrong = self.chunk(json!({"type": "usage", "usage": {}}));
        wrong["frame"]["attemptId"] = json!("nobody's");
        vec![wrong, self.chunk(json!({"type": "usage", "usage": {}}))]
    }

    /// A faulty host: what the attempt left is said to be what an older one did.
    fn ends_as_an_older(&mut self) -> Vec<Value> {
        let is_settlement =
            |event: &&Value| event["type"] == "assistant/attempt" || event["type"] == "assistant/message";
        let Some(older) = self.host.log.iter().rev().find(is_settlement) else { return self.other_attempt() };
        let outcome = json!({"kind": "committed", "eventType": older["type"], "seq": older["seq"]});
        let Some(attempt) = self.attempt.take() else { return Vec::new() };
        vec![self.ended(&attempt, outcome)]
    }

    fn starts(&mut self, turn: u64, step: u64) -> Vec<Value> {
        self.attempts += 1;
        let id = format!("s:{}", self.attempts);
        let after = self.host.cursor();
        let start = json!({"type": "start", "attemptId": id, "startedAfterSeq": after, "turn": turn, "step": step});
        self.attempt = Some(Open { id, turn, step, chunks: Vec::new(), block: None, blocks: 0, settled: None });
        vec![self.frame(start)]
    }

    /// What the attempt said is an answer.
    pub(super) fn settle(&mut self, interrupted: bool) -> Vec<Value> {
        let Some(attempt) = self.attempt.clone() else { return Vec::new() };
        let parts: Vec<Value> = serde_json::from_str(&self.host.live()).unwrap_or_default();
        let content: Vec<Value> = parts.into_iter().map(block).collect();
        let message = json!({"id": format!("a{}", self.host.log.len()), "role": "assistant", "content": content});
        let mut data =
            json!({"turn": attempt.turn, "step": attempt.step, "message": message, "stream": attempt.chunks});
        if interrupted {
            data["interrupted"] = json!(true);
        }
        let item = self.surface("assistant/message", data);
        self.settled("assistant/message");
        vec![item]
    }

    /// The attempt failed; it may be repeated.
    fn fails(&mut self, r: &mut Random) -> Vec<Value> {
        let Some(Open { turn, step, .. }) = self.attempt.clone() else { return Vec::new() };
        let failure = json!({"code": "TRANSPORT", "message": "cut"});
        let last = self.chunk(json!({"type": "finish", "reason": {"kind": "error", "error": failure}}));
        let chunks = self.attempt.as_ref().map(|attempt| attempt.chunks.clone()).unwrap_or_default();
        let mut items =
            vec![last, self.log("assistant/attempt", json!({"turn": turn, "step": step, "stream": chunks}))];
        self.settled("assistant/attempt");
        items.extend(self.end());
        if r.one_in(4) {
            items.extend(self.stop(&json!({"kind": "error", "error": failure})));
        } else {
            let retry = self.place().failures;
            let data = json!({"turn": turn, "step": step, "retry": retry, "maxRetries": 5, "failure": failure});
            items.push(self.log("llm/retry", data));
        }
        items
    }

    fn settled(&mut self, kind: &'static str) {
        let seq = self.host.log.len() as u64 - 1;
        if let Some(attempt) = &mut self.attempt {
            attempt.settled.get_or_insert((kind, seq));
        }
    }

    /// The attempt leaves nothing.
    fn abandons(&mut self) -> Vec<Value> {
        let Some(attempt) = self.attempt.take() else { return Vec::new() };
        vec![self.ended(&attempt, json!({"kind": "abandoned"}))]
    }

    /// The end of what has settled.
    pub(super) fn end(&mut self) -> Vec<Value> {
        let Some(attempt) = self.attempt.take() else { return Vec::new() };
        let outcome = match attempt.settled {
            Some((kind, seq)) => json!({"kind": "committed", "eventType": kind, "seq": seq}),
            None => json!({"kind": "abandoned"}),
        };
        vec![self.ended(&attempt, outcome)]
    }

    fn ended(&mut self, attempt: &Open, outcome: Value) -> Value {
        let index = attempt.chunks.len();
        self.frame(json!({"type": "end", "attemptId": attempt.id, "index": index, "outcome": outcome}))
    }

    /// A faulty host: the end does not fit, or does not come, or there is a second settlement.
    fn ends_wrongly(&mut self, r: &mut Random) -> Vec<Value> {
        let Some(attempt) = self.attempt.clone() else { return Vec::new() };
        let committed = |kind: &str, seq: u64| json!({"kind": "committed", "eventType": kind, "seq": seq});
        let (kind, seq) = attempt.settled.unwrap_or_default();
        match r.below(7) {
            0 => self.abandons(),
            1 => {
                self.attempt = None;
                vec![self.ended(&attempt, committed("assistant/other", seq))]
            }
            2 => {
                self.attempt = None;
                vec![self.ended(&attempt, committed(kind, seq + 1))]
            }
            3 => {
                self.attempt = None;
                let outcome = committed(kind, seq);
                let index = attempt.chunks.len() + 1;
                vec![self.frame(json!({"type": "end", "attemptId": attempt.id, "index": index, "outcome": outcome}))]
            }
            4 => {
                let mut items = self.settle(false);
                items.extend(self.end());
                items
            }
            end => {
                // The end is never sent: the next start shows it, or the turn's end.
                self.host.happen(&json!({"frame": {"type": "end", "revision": self.revision}}));
                self.attempt = None;
                let place = self.place();
                match place.turn {
                    Some(turn) if end == 5 => self.starts(turn, place.step + 1),
                    _ => vec![self.log("turn/end", json!({"turn": attempt.turn, "reason": {"kind": "completed"}}))],
                }
            }
        }
    }

    /// An event between an attempt's settlement and its end.
    fn between(&mut self, r: &mut Random, step: u64) -> Value {
        let turn = self.attempt.as_ref().map_or(0, |attempt| attempt.turn);
        if r.one_in(2) && self.place().steps {
            return self.log("step/end", json!({"turn": turn, "step": step}));
        }
        self.log("session/noted", json!({"note": 2}))
    }

    fn waits(&mut self, r: &mut Random) -> Vec<Value> {
        let questions = self.place().questions;
        match r.below(8) {
            0..2 => {
                let (id, _) = r.pick(&questions).clone();
                vec![self.log("approval/decided", json!({"id": id, "outcome": "allowed-once"}))]
            }
            2 => self.stop(&reason(r)),
            3 => vec![self.log("session/noted", json!({"note": 3}))],
            _ => Vec::new(),
        }
    }

    fn works(&mut self, r: &mut Random) -> Vec<Value> {
        let place = self.place();
        let turn = place.turn.unwrap_or(0);
        if !place.steps {
            let step = place.step + 1;
            if place.answered && r.one_in(2) {
                return self.stop(&reason(r));
            }
            return vec![self.log("step/start", json!({"turn": turn, "step": step}))];
        }
        if !place.answered {
            if r.one_in(12) {
                // A settlement without a start is legal too.
                let content = json!([{"type": "text", "text": "not streamed"}]);
                let message =
                    json!({"id": format!("a{}", self.host.log.len()), "role": "assistant", "content": content});
                let data = json!({"turn": turn, "step": place.step, "message": message, "stream": []});
                return vec![self.surface("assistant/message", data)];
            }
            return self.starts(turn, place.step);
        }
        if let Some(call) = place.calls.first().cloned() {
            if r.one_in(3) {
                let id = format!("q{}", self.host.log.len());
                let asked = json!({"id": id, "toolName": "tool", "callId": call, "reason": "because"});
                return vec![self.log("approval/asked", asked)];
            }
            let message = json!({
                "role": "tool", "toolCallId": call, "content": [{"type": "text", "text": "done"}], "isError": r.one_in(4),
                "id": format!("r{}", self.host.log.len()),
            });
            return vec![self.surface("tool/result", json!({"turn": turn, "step": place.step, "message": message}))];
        }
        vec![self.log("step/end", json!({"turn": turn, "step": place.step}))]
    }

    /// A summary takes the place of older messages, in what the model sees.
    fn compacts(&mut self, r: &mut Random) -> Vec<Value> {
        let shown: Vec<u64> = self
            .host
            .log
            .iter()
            .filter(|event| event["surfaceOp"] == "append")
            .filter_map(|event| event["seq"].as_u64())
            .collect();
        if shown.len() < 4 || self.attempt.is_some() || self.host.log.iter().any(|event| event["surfaceOp"].is_object())
        {
            return Vec::new();
        }
        let (start, end) = (shown[0], shown[r.below(shown.len() - 2)]);
        let seq = self.host.cursor() + 1;
        let data = json!({
            "id": format!("s{seq}"), "role": "user", "content": [{"type": "text", "text": "summary"}],
            "source": {"kind": "plugin", "plugin": "compact"},
        });
        let surface = json!({"op": "replace", "start": start, "end": end});
        let event = json!({"type": "user/message", "seq": seq, "time": seq, "data": data, "surfaceOp": surface});
        vec![self.happens(json!({"type": "event", "event": event}))]
    }
}

/// A part of the model's as a block of a message.
fn block(part: Value) -> Value {
    if part["type"] == "tool_call" {
        return json!({"type": "tool-call", "id": part["id"], "name": part["name"], "arguments": part["args"]});
    }
    part
}

fn reason(r: &mut Random) -> Value {
    let kinds = ["completed", "completed", "completed", "max-tokens", "aborted", "interrupted", "blocked", "asleep"];
    json!({"kind": *r.pick(&kinds)})
}
