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
        assert!(client.requests.len() < 100, "{:?}", client.requests);
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
            let events: Vec<Value> = (0..choices.below(4)).map(|_| event(choices)).collect();
            client.answer(
                call,
                &json!({"ok": true, "result": {"events": events, "frontier": choices.number(), "hasMore": false}}),
            );
        }
        Some(Request::Cancel(_) | Request::Disconnect) | None => {}
    }
}

fn item(choices: &mut Choices<'_>) -> Value {
    let (attempt, revision, index) = (["a", "b"][choices.below(2)], choices.number(), choices.number());
    let at = json!({"turnId": "t", "step": choices.below(2)});
    match choices.below(6) {
        0 => {
            let events: Vec<Value> = (0..choices.below(5)).map(|_| event(choices)).collect();
            json!({"type": "snapshot", "events": events, "frontier": choices.number(), "revision": revision, "activeAttempt": null})
        }
        1 => json!({"type": "event", "event": event(choices)}),
        2 => {
            json!({"type": "frame", "frame": {"type": "start", "revision": revision, "attemptId": attempt, "startedAfter": choices.number(), "at": at}})
        }
        3 => {
            let chunk = json!({"type": "text", "index": choices.below(3), "text": choices.text()});
            json!({"type": "frame", "frame": {"type": "chunk", "revision": revision, "attemptId": attempt, "index": index, "chunk": chunk}})
        }
        4 => {
            let outcome = [
                json!({"type": "abandoned"}),
                json!({"type": "committed", "eventType": "assistant_message", "seq": choices.number()}),
            ];
            json!({"type": "frame", "frame": {"type": "end", "revision": revision, "attemptId": attempt, "index": index, "outcome": outcome[choices.below(2)]}})
        }
        _ => event(choices),
    }
}

fn event(choices: &mut Choices<'_>) -> Value {
    let kind =
        ["turn_start", "turn_end", "assistant_message", "user_message", "step_start", "tool_result"][choices.below(6)];
    json!({"seq": choices.number(), "type": kind, "turnId": "t", "time": 1, "payload": {"turnId": "t", "step": choices.below(2), "text": choices.text()}})
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
