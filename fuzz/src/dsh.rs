//! A dsh host that says anything: nothing panics, nothing spins, and the log that is shown stays one.
//!
//! Each choice is something that the host does; items are templates whose numbers are chosen, or text as it stands.

#[path = "../../tests/dsh/following.rs"]
#[allow(dead_code)] // The replays use more of it.
mod following;

use super::choices::Choices;
use following::{Following, Request};
use serde_json::{Value, json};

pub fn run(data: &[u8]) {
    let mut choices = Choices::new(data);
    let mut client = Following::new("s", 1_000_000);
    client.engine.listen(true);
    let mut steps = 0;
    while !choices.is_over() && steps < 400 {
        steps += 1;
        let before = client.requests.len();
        match choices.below(10) {
            0 => {
                let to = client.engine.deadline().unwrap_or(client.now + 1000);
                client.tick(to);
            }
            1 => client.cut(),
            2 | 3 => give(&mut client, &mut choices),
            4 => client.item(&choices.text()),
            5 => client.tick(client.now + u64::from(choices.byte()) * 100),
            _ => client.item(&item(&mut choices).to_string()),
        }
        // Nothing that happens makes a client ask for more than a few things; what it gave up stays in the list.
        assert!(client.requests.len() < before + 6, "{:?}", client.requests);
        client.engine.take_changes();
        client.engine.take_events();
    }
    check(&mut client);
}

/// The oldest request is answered.
fn give(client: &mut Following, choices: &mut Choices<'_>) {
    match client.requests.pop_front() {
        Some(Request::Connect(socket)) => client.accept(socket),
        Some(Request::Follow(stream)) => client.follow(stream),
        Some(Request::Call(call, ..)) => {
            let value = json!({"records": records(choices), "hasMore": choices.below(2) == 1});
            let error = json!({"code": "gateway/bad-request", "message": choices.text(), "details": {}});
            let refused = json!({"ok": false, "error": error});
            client.answer(call, &if choices.below(4) == 3 { refused } else { json!({"ok": true, "value": value}) });
        }
        Some(Request::Cancel(_) | Request::Disconnect) | None => {}
    }
}

/// What a host sends on a session's stream (B3): an opening, an event of the log, a frame of an attempt.
fn item(choices: &mut Choices<'_>) -> Value {
    match choices.below(8) {
        0 => {
            let mut stream = json!({"revision": choices.number()});
            if choices.below(2) == 1 {
                let next = choices.number();
                stream["activeAttempt"] = json!({
                    "attemptId": attempt(choices), "startedAfterSeq": choices.number(), "turn": choices.number(),
                    "step": choices.number(), "nextIndex": next, "stream": compact(choices),
                });
            }
            json!({
                "type": "snapshot", "header": {"version": choices.number(), "id": "s"}, "cursor": choices.number(),
                "records": records(choices), "hasMore": choices.below(2) == 1,
                "projections": {"values": {"inbox": {"next-turn": [], "next-step": []}}}, "assistantStream": stream,
            })
        }
        1 | 2 => json!({"type": "event", "event": event(choices)}),
        3 => frame(json!({
            "type": "start", "attemptId": attempt(choices), "revision": choices.number(), "turn": choices.number(),
            "step": choices.number(), "startedAfterSeq": choices.number(),
        })),
        4 | 5 => frame(json!({
            "type": "chunk", "attemptId": attempt(choices), "revision": choices.number(), "index": choices.number(),
            "time": 1, "chunk": chunk(choices),
        })),
        6 => {
            let seq = choices.number();
            let outcome = *choices.of(&["assistant/message", "assistant/attempt"]);
            let outcome = match choices.below(3) {
                0 => json!({"kind": "abandoned"}),
                1 => json!({"kind": "committed", "eventType": outcome, "seq": seq}),
                _ => json!({"kind": choices.text()}),
            };
            frame(json!({
                "type": "end", "attemptId": attempt(choices), "revision": choices.number(), "index": choices.number(),
                "outcome": outcome,
            }))
        }
        _ => event(choices),
    }
}

fn frame(frame: Value) -> Value {
    json!({"type": "assistant-stream", "frame": frame})
}

fn attempt(choices: &mut Choices<'_>) -> &'static str {
    ["s:1", "s:2", "s:3"][choices.below(3)]
}

fn chunk(choices: &mut Choices<'_>) -> Value {
    let index = choices.number();
    match choices.below(8) {
        0 => {
            json!({"type": "block-start", "index": index, "blockType": choices.of(&["text", "reasoning", "tool-call"])})
        }
        1 | 2 => json!({"type": "text-delta", "index": index, "text": choices.text()}),
        3 => json!({"type": "reasoning-delta", "index": index, "text": choices.text()}),
        4 => {
            json!({"type": "tool-call-delta", "index": index, "id": "c", "name": "look", "argumentsDelta": choices.text()})
        }
        5 => json!({"type": "block-end", "index": index, "block": {"type": "text", "text": choices.text()}}),
        6 => json!({"type": "finish", "reason": {"kind": choices.of(&["stop", "tool-calls", "error"])}}),
        _ => json!({"type": choices.text(), "index": index}),
    }
}

/// An attempt as its baseline and its settlement have it: single chunks, and runs of texts.
fn compact(choices: &mut Choices<'_>) -> Vec<Value> {
    let part = |choices: &mut Choices<'_>| {
        if choices.below(2) == 0 {
            return json!({"type": "chunk", "time": 1, "chunk": chunk(choices)});
        }
        let texts: Vec<String> = (0..choices.below(4)).map(|_| choices.text()).collect();
        let dt: Vec<i64> = (0..choices.below(4)).map(|_| choices.number()).collect();
        json!({"type": choices.of(&["text-chunks", "reasoning-chunks"]), "time0": 1, "index": choices.number(), "dt": dt, "texts": texts})
    };
    (0..choices.below(5)).map(|_| part(choices)).collect()
}

fn records(choices: &mut Choices<'_>) -> Vec<Value> {
    (0..choices.below(6)).map(|_| json!({"type": "event", "event": event(choices)})).collect()
}

fn event(choices: &mut Choices<'_>) -> Value {
    let (turn, step) = (choices.number(), choices.number());
    let said = |text: String| json!([{"type": "text", "text": text}]);
    let (kind, data) = match choices.below(14) {
        0 => ("turn/start", json!({"turn": turn})),
        1 => {
            let reason = *choices.of(&["completed", "cancelled", "error", "step-limit", "?"]);
            ("turn/end", json!({"turn": turn, "reason": {"kind": reason}}))
        }
        2 => ("step/start", json!({"turn": turn, "step": step})),
        3 => ("step/end", json!({"turn": turn, "step": step})),
        4 => ("user/message", json!({"role": "user", "id": "u", "content": said(choices.text())})),
        5 | 6 => {
            let call = json!({"type": "tool-call", "id": "c", "name": "look", "arguments": choices.text()});
            let content = json!([{"type": "text", "text": choices.text()}, call]);
            (
                "assistant/message",
                json!({"turn": turn, "step": step, "message": {"role": "assistant", "id": "a", "content": content}}),
            )
        }
        7 => ("assistant/attempt", json!({"turn": turn, "step": step, "stream": compact(choices)})),
        8 => ("approval/asked", json!({"id": "p", "callId": "c", "toolName": "look", "reason": choices.text()})),
        9 => {
            let message = json!({"role": "tool", "toolCallId": "c", "content": said(choices.text()), "isError": false, "id": "r"});
            ("tool/result", json!({"turn": turn, "step": step, "message": message}))
        }
        10 => (
            "llm/retry",
            json!({"turn": turn, "step": step, "retry": 1, "failure": {"message": choices.text(), "code": "SERVER"}}),
        ),
        11 => {
            let inserted = json!([{"role": "user", "id": "q", "content": said(choices.text())}]);
            (
                "agent/inbox/spliced",
                json!({"target": choices.of(&["next-turn", "next-step"]), "start": choices.number(), "removed": choices.number(), "inserted": inserted}),
            )
        }
        12 => ("approval/decided", json!({"id": "p", "outcome": choices.text()})),
        _ => ("?", json!(choices.text())),
    };
    let mut event = json!({"type": kind, "seq": choices.number(), "time": 1, "data": data});
    match choices.below(3) {
        0 => event["surfaceOp"] = json!("append"),
        1 => event["surfaceOp"] = json!({"op": "replace", "start": choices.number(), "end": choices.number()}),
        _ => {}
    }
    event
}

/// What is shown is a view, and its committed items are in the order of the log.
fn check(client: &mut Following) {
    let view = client.view();
    let items = view["items"].as_array().expect("a view has items");
    let seqs: Vec<u64> =
        items.iter().filter(|item| item["origin"] == "committed").filter_map(|item| item["seq"].as_u64()).collect();
    assert!(seqs.is_sorted(), "{seqs:?}");
    let facts: Value = serde_json::from_str(&client.engine.history()).expect("history is JSON");
    assert!(facts.is_array());
}
