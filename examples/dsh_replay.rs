//! Follows dsh sessions as a host on standard input plays them, for `tests/dsh/replay.mjs`: one JSON object per line in,
//! one per line out.
//!
//! In: `{"op":"session","session"}` begins anew, `{"op":"open"}` waits until the client opens the stream, `{"op":"item",
//! "value"}` is an item of it, `{"op":"lost"}` breaks the socket. Out: `{"view","calls"}`, what is shown after that, and
//! what the client called for; at `{"op":"close"}` `{"facts","stats"}`.

#![allow(clippy::panic, clippy::expect_used)]

#[path = "../tests/dsh/following.rs"]
#[allow(dead_code)] // The tests use more of it.
mod following;

use following::{Following, Request};
use serde_json::{Value, json};
use std::io::{BufRead, Write, stdin, stdout};

fn main() {
    let mut following = None;
    for line in stdin().lock().lines() {
        let line = line.expect("standard input is text");
        let said: Value = serde_json::from_str(&line).expect("each line is JSON");
        let op = said.get("op").and_then(Value::as_str).unwrap_or_default();
        if op == "session" {
            let session = said.get("session").and_then(Value::as_str).unwrap_or_default();
            let mut new = Following::new(session, 1_000_000);
            new.engine.listen(true);
            following = Some(new);
            continue;
        }
        let client = following.as_mut().expect("a session comes first");
        let calls = match op {
            "open" => open(client),
            "item" => {
                client.item(&said.get("value").cloned().unwrap_or_default().to_string());
                called(client)
            }
            "lost" => {
                client.cut();
                called(client)
            }
            "close" => {
                let facts: Value = serde_json::from_str(&client.engine.history()).unwrap_or_default();
                let stats: Value = serde_json::from_str(&threadfold::json::write(&client.stats())).unwrap_or_default();
                say(&json!({"facts": facts, "stats": stats, "anomalies": client.anomalies}));
                continue;
            }
            other => panic!("there is no {other}"),
        };
        say(&json!({"view": client.view(), "calls": calls}));
    }
}

/// Gives the client what it asks for until it asks for the stream. It may wait before it does.
fn open(client: &mut Following) -> Vec<String> {
    let mut calls = Vec::new();
    for _ in 0..1000 {
        match client.requests.pop_front() {
            Some(Request::Connect(socket)) => client.accept(socket),
            Some(Request::Follow(stream)) => {
                client.follow(stream);
                calls.extend(called(client));
                return calls;
            }
            Some(Request::Call(_, method, _)) => calls.push(method),
            Some(Request::Cancel(_) | Request::Disconnect) => {}
            None => {
                let now = client.engine.deadline().unwrap_or(client.now + 1000);
                client.tick(now);
            }
        }
    }
    panic!("the client does not open the stream");
}

/// What the client asks for of its own accord: nothing, of a host without a fault.
fn called(client: &mut Following) -> Vec<String> {
    let asked = std::mem::take(&mut client.requests);
    // A socket that it wants again is a later line's matter.
    let (again, others): (Vec<_>, Vec<_>) =
        asked.into_iter().partition(|request| matches!(request, Request::Connect(_)));
    client.requests.extend(again);
    others.into_iter().map(|request| format!("{request:?}")).collect()
}

fn say(line: &Value) {
    let mut out = stdout().lock();
    writeln!(out, "{line}").expect("standard output is open");
}
