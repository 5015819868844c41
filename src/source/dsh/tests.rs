//! The wire of dsh: recordings of the shipping host, and what it was not seen to send.

mod carrier;

use super::{StreamRecord, Timed, expand, read_item, read_window};
use crate::follow::dsh::{Body, Item, Surface};
use crate::json::{Notes, read, write};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const RECORDINGS: [&str; 6] = [
    include_str!("../../../tests/fixtures/dsh/b_reasoning.jsonl"),
    include_str!("../../../tests/fixtures/dsh/c_tool.jsonl"),
    include_str!("../../../tests/fixtures/dsh/d_second_client.jsonl"),
    include_str!("../../../tests/fixtures/dsh/e_retry_twice.jsonl"),
    include_str!("../../../tests/fixtures/dsh/f_cancel_before_text.jsonl"),
    include_str!("../../../tests/fixtures/dsh/n_max_tokens.jsonl"),
];

/// The values of all items that a recording's clients received, each with its stream.
fn items(recording: &str) -> Vec<(String, Value)> {
    let lines = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter(|line| line["dir"] == "recv" && line["frame"]["type"] == "item")
        .map(|line| (line["frame"]["streamId"].as_str().unwrap().to_owned(), line["frame"]["value"].clone()))
        .filter(|(_, value)| ["snapshot", "event", "assistant-stream"].iter().any(|kind| value["type"] == *kind))
        .collect()
}

#[test]
fn every_item_of_the_recordings_is_read_and_nothing_in_it_is_odd() {
    for recording in RECORDINGS {
        for (_, value) in items(recording) {
            let (item, notes) = read_item(&value.to_string()).unwrap().unwrap();
            assert_eq!(notes, Notes::default(), "{value}");
            if let Item::Event(event) = item {
                assert_eq!(event.seq, value["event"]["seq"].as_u64().unwrap());
            }
        }
    }
}

#[test]
fn a_compact_stream_expands_to_the_chunks_that_were_sent_at_their_times() {
    let mut compared = 0;
    for recording in RECORDINGS {
        let mut live: Vec<(String, Vec<Value>)> = Vec::new();
        for (stream, value) in items(recording) {
            let frame = &value["frame"];
            match (value["type"].as_str(), frame["type"].as_str()) {
                (Some("snapshot"), _) => {
                    let active = &value["assistantStream"]["activeAttempt"];
                    if active["stream"].is_array() {
                        let chunks = expanded(&active["stream"]);
                        assert_eq!(chunks.len() as u64, active["nextIndex"].as_u64().unwrap());
                        live.push((stream, chunks));
                    }
                }
                (_, Some("start")) => live.push((stream, Vec::new())),
                (_, Some("chunk")) => {
                    if let Some((_, chunks)) = live.iter_mut().find(|(open, _)| *open == stream) {
                        chunks.push(json!({"time": frame["time"], "chunk": frame["chunk"]}));
                    }
                }
                (_, Some("end")) => live.retain(|(open, _)| *open != stream),
                _ => {
                    let data = &value["event"]["data"];
                    if let Some((_, chunks)) = live.iter().find(|(open, _)| *open == stream)
                        && data["stream"].is_array()
                    {
                        assert_eq!(expanded(&data["stream"]), *chunks);
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared >= 10, "only {compared} settlements were compared");
}

fn expanded(stream: &Value) -> Vec<Value> {
    let records: Vec<StreamRecord> = read(&stream.to_string()).unwrap();
    let timed: Vec<Timed> = expand(records).unwrap();
    timed.iter().map(|timed| serde_json::from_str(&write(timed)).unwrap()).collect()
}

#[test]
fn a_clock_that_goes_back_and_a_record_that_is_not_known_expand_all_the_same() {
    let stream = json!([
        {"type": "text-chunks", "time0": 100, "index": 0, "dt": [5, -20], "texts": ["a", "b", "c"]},
        {"type": "later", "x": 1},
        {"type": "tool-call-chunks", "time0": 90, "index": 1, "dt": [], "id": "t", "name": "bash", "args": [""]},
    ]);
    let chunks = expanded(&stream);
    let times: Vec<&Value> = chunks.iter().map(|timed| &timed["time"]).collect();
    assert_eq!(times, [&json!(100), &json!(105), &json!(85), &json!(0), &json!(90)]);
    assert_eq!(chunks[4]["chunk"]["name"], "bash");
    let torn = r#"[{"type":"text-chunks","time0":1,"index":0,"dt":[1],"texts":["a"]}]"#;
    assert_eq!(expand(read(torn).unwrap()), None);
}

fn event(value: &Value) -> (crate::follow::dsh::Event, Notes) {
    match read_item(&json!({"type": "event", "event": value}).to_string()).unwrap().unwrap() {
        (Item::Event(event), notes) => (event, notes),
        other => panic!("{other:?}"),
    }
}

#[test]
fn types_that_are_not_known_and_bodies_that_are_odd_are_passed_and_their_seq_counts() {
    let (later, notes) =
        event(&json!({"type": "moon/phase", "seq": 7, "time": 1, "data": {"full": true}, "ignorable": true}));
    assert_eq!((later.seq, later.body, notes), (7, Body::Other("moon/phase".to_owned()), Notes::default()));
    for (kind, data) in [
        ("turn/start", json!({"turn": "one"})),
        ("assistant/message", json!({"turn": 1, "step": 1})),
        (
            "assistant/attempt",
            json!({"turn": 1, "step": 1, "stream": [{"type": "text-chunks", "time0": 1, "index": 0, "dt": [1], "texts": ["a"]}]}),
        ),
        ("tool/result", json!({"turn": 1, "step": 1, "message": {"content": []}})),
        ("user/message", json!(7)),
    ] {
        let (odd, notes) = event(&json!({"type": kind, "seq": 8, "time": 1, "data": data}));
        assert_eq!((odd.seq, odd.body, notes.unknown_values), (8, Body::Other(kind.to_owned()), 1));
    }
}

#[test]
fn what_an_event_does_to_the_surface_is_read_and_an_unknown_operation_is_none() {
    for (operation, surface) in [
        (json!("append"), Surface::Append),
        (json!({"op": "replace", "start": 3, "end": 9}), Surface::Replace { start: 3, end: 9 }),
        (json!({"op": "fold"}), Surface::None),
        (json!("prepend"), Surface::None),
    ] {
        let (event, _) = event(&json!({"type": "x", "seq": 1, "time": 1, "data": {}, "surfaceOp": operation}));
        assert_eq!(event.surface, surface);
    }
}

#[test]
fn a_tools_result_is_read_as_each_version_of_the_log_writes_it() {
    let text = json!([{"type": "text", "text": "out"}]);
    for data in [
        json!({"turn": 1, "step": 2, "message": {"role": "tool", "toolCallId": "c", "content": text, "isError": true, "id": "m"}}),
        json!({"turn": 1, "step": 2, "message": {"role": "tool", "id": "m", "content": [{"type": "tool-result", "toolCallId": "c", "content": text, "isError": true}]}}),
        json!({"turn": 1, "step": 2, "callId": "c", "content": text, "isError": true, "message": {"id": "m"}}),
    ] {
        let (event, _) = event(&json!({"type": "tool/result", "seq": 1, "time": 1, "data": data}));
        let Body::Result { turn, step, id, call, content, is_error } = event.body else { panic!("{data}") };
        assert_eq!((turn, step, id.as_str(), call.as_str(), is_error), (1, 2, "m", "c", true));
        assert_eq!(serde_json::from_str::<Value>(&write(&content)).unwrap(), text);
    }
}

#[test]
fn an_item_that_lacks_what_it_needs_is_an_error_that_names_it_and_an_unknown_one_is_none() {
    for (item, code) in [
        ("{}", "json_missing_key"),
        (r#"{"type":"event"}"#, "json_missing_key"),
        (r#"{"type":"event","event":{"type":"x"}}"#, "json_missing_key"),
        (r#"{"type":"snapshot","header":{"id":"s","version":4},"cursor":-1}"#, "json_missing_key"),
        (
            r#"{"type":"assistant-stream","frame":{"type":"chunk","attemptId":"a","revision":1,"index":0,"time":1}}"#,
            "json_missing_key",
        ),
        (
            r#"{"type":"assistant-stream","frame":{"type":"chunk","attemptId":"a","revision":-1,"index":0,"time":1,"chunk":{}}}"#,
            "json_number_range",
        ),
        ("<html>", "json_syntax"),
    ] {
        assert_eq!(read_item(item).unwrap_err().code(), code, "{item}");
    }
    assert_eq!(read_item(r#"{"type":"weather"}"#).unwrap(), None);
    assert_eq!(read_window("{}").unwrap_err().code(), "json_missing_key");
}
