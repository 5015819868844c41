//! What a run does next, from rows by hand; and the gate.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use std::sync::Arc;
use threadfold::event::RunId;
use threadfold::json;
use threadfold::thread::Record;

/// What the run `r` does next after these messages: `user`, `assistant`, `truncated`, `continuation`, `steer`, `awaiting`,
/// `calls a b`, `result a`.
fn after(log: &str) -> Next {
    let mut step = 0;
    let mut response = 0;
    let rows: Vec<Record> = log
        .split(" · ")
        .enumerate()
        .map(|(seq, line)| {
            let words: Vec<&str> = line.split(' ').collect();
            let place = format!(r#""step":{step},"response":{response},"#);
            let row = |place: &str, id: &str, role: &str, content: &str| {
                format!(
                    r#"{{"seq":{seq},"run_id":"r",{place}"message":{{"id":"{id}","role":"{role}","content":[{content}]}}}}"#
                )
            };
            let text = match words[0] {
                "user" => row("", "m", "User", ""),
                "assistant" | "calls" => {
                    let calls: Vec<String> = words[1..]
                        .iter()
                        .map(|id| format!(r#"{{"type":"tool_use","id":"{id}","name":"n","input":{{}}}}"#))
                        .collect();
                    let text = row(&place, &format!("r-assistant-{step}"), "Assistant", &calls.join(","));
                    (step, response) = (step + 1, 0);
                    text
                }
                "truncated" => row(&place, &format!("r-assistant-{step}-truncated-{response}"), "Assistant", ""),
                "continuation" => {
                    response += 1;
                    row("", &format!("r-continuation-{step}-{}", response - 1), "User", "")
                }
                "steer" => row("", "r-steer-0", "User", ""),
                "result" => {
                    let id = words[1];
                    let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":[]}}"#);
                    row("", &format!("tool-{id}"), "Tool", &block)
                }
                "awaiting" => format!(r#"{{"seq":{seq},"run_id":"r","state":"Awaiting"}}"#),
                other => panic!("{other}"),
            };
            json::read(&text).unwrap()
        })
        .collect();
    next(&RunId::from("r"), &rows)
}

#[test]
fn the_step_and_the_response_follow_from_the_log() {
    for (log, step, response) in [
        ("user", 0, 0),
        ("user · assistant", 1, 0),
        ("user · assistant · awaiting", 1, 0),
        ("user · assistant · steer", 1, 0),
        ("user · truncated · continuation", 0, 1),
        ("user · truncated · continuation · truncated · continuation", 0, 2),
        ("user · truncated · continuation · assistant", 1, 0),
        ("user · calls a b · result b · result a", 1, 0),
        ("user · calls a · result a · truncated · continuation", 1, 1),
    ] {
        assert_eq!(after(log), Next::Respond { step, response }, "{log}");
    }
}

#[test]
fn calls_without_a_result_come_first_and_an_id_may_be_used_again() {
    for (log, open) in [
        ("user · calls a b", "a b"),
        ("user · calls a b · result a", "b"),
        ("user · calls a b · result b · awaiting", "a"),
        ("user · calls a · result a · calls a", "a"),
        ("user · calls a a · result a", "a"),
    ] {
        let Next::Tools(calls) = after(log) else { panic!("{log}") };
        let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids.join(" "), open, "{log}");
    }
}

#[tokio::test]
async fn a_held_gate_lets_so_many_pass_and_then_none_until_it_is_released() {
    let gate = Arc::new(Gate::default());
    gate.pass().await;
    gate.hold(2);
    gate.pass().await;
    gate.pass().await;
    let waiting = tokio::spawn({
        let gate = Arc::clone(&gate);
        async move { gate.pass().await }
    });
    while !gate.is_waiting() {
        tokio::task::yield_now().await;
    }
    assert!(!waiting.is_finished());
    gate.release();
    waiting.await.unwrap();
    assert!(!gate.is_waiting());
}
