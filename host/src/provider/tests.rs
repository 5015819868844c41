//! What chunks become, by hand.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::agent::Finish;
use threadfold::event::Delta;
use threadfold::json;

/// The pieces of these deltas of a chat completion, in short.
fn read(deltas: &[&str]) -> Vec<String> {
    let mut reading = Reading::new(0);
    deltas
        .iter()
        .flat_map(|delta| reading.push(&format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#)).unwrap())
        .map(|piece| match piece {
            Piece::Delta(Delta::TextDelta { delta }) => format!("text {}", json::write(&delta)),
            Piece::Delta(Delta::ReasoningDelta { delta }) => format!("think {}", json::write(&delta)),
            Piece::Delta(Delta::ToolCallDelta { id, name, args_delta }) => {
                format!("{id} {name} {}", args_delta.text)
            }
            other => format!("{other:?}"),
        })
        .collect()
}

fn arguments(pieces: &[&str]) -> Vec<String> {
    let mut reading = arguments::Arguments::default();
    pieces.iter().filter_map(|piece| reading.take((*piece).into())).map(|new| new.text).collect()
}

#[test]
fn reasoning_comes_under_three_names() {
    assert_eq!(
        read(&[
            r#"{"role":"assistant","content":null,"reasoning_content":"a"}"#,
            r#"{"reasoning":"b"}"#,
            r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"c"}]},{"type":"text","text":"d"}]}"#,
            r#"{"content":"e","reasoning_content":null}"#,
            r#"{"content":""}"#,
        ]),
        [r#"think "a""#, r#"think "b""#, r#"think "c""#, r#"text "d""#, r#"text "e""#]
    );
}

#[test]
fn half_a_character_costs_nothing() {
    assert_eq!(
        read(&[r#"{"content":"a\ud83d"}"#, r#"{"content":"\ude00b"}"#]),
        [r#"text "a\ud83d""#, r#"text "\ude00b""#]
    );
}

#[test]
fn calls_are_told_apart_by_index_and_keep_their_first_id() {
    assert_eq!(
        read(&[
            r#"{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"y","function":{"name":"g","arguments":"{"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":"{\"a\":1}"}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}"#,
        ]),
        ["x f ", "y g {", r#"x f {"a":1}"#, "y g }"]
    );
}

#[test]
fn calls_that_share_an_index_or_an_id_or_have_none_stay_apart() {
    let call = |index: &str, id: &str| {
        format!(r#"{{"tool_calls":[{{{index}"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#)
    };
    let (a, b) = (call(r#""index":0,"#, "x"), call(r#""index":0,"#, "y"));
    assert_eq!(read(&[&a, &b]), ["x f {}", "y f {}"]);
    let (a, b) = (call(r#""index":0,"#, "x"), call(r#""index":1,"#, "x"));
    assert_eq!(read(&[&a, &b]), ["x f {}", "x-1 f {}"]);
    let (a, b) = (call(r#""index":0,"#, ""), call(r#""index":1,"#, ""));
    assert_eq!(read(&[&a, &b]), ["call-0-0 f {}", "call-0-1 f {}"]);
}

#[test]
fn cumulative_arguments_become_suffixes() {
    assert_eq!(arguments(&["{", "{\"a\":", "{\"a\":{\"b\":1}}"]), ["{", "\"a\":", "{\"b\":1}}"]);
    assert_eq!(arguments(&["{}", "{}"]), ["{}"]);
    assert_eq!(arguments(&["{\"query\":", "{\"query\":\"x\"}", "{\"query\":\"x\"}"]), ["{\"query\":", "\"x\"}"]);
}

#[test]
fn suffixes_stay_what_they_are() {
    assert_eq!(arguments(&["{\"a\":", "{\"a\":1}", "}"]), ["{\"a\":", "{\"a\":1}", "}"]);
    assert_eq!(arguments(&["[", "[", "]]"]), ["[", "[", "]]"]);
    assert_eq!(arguments(&["", "{\"n\":1", "1", "1}"]), ["{\"n\":1", "1", "1}"]);
}

#[test]
fn a_stream_without_a_finish_has_failed() {
    let finish = |reason: &str| {
        let mut reading = Reading::new(0);
        reading.push(&format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":{reason}}}]}}"#)).unwrap();
        reading.finish()
    };
    assert_eq!(finish("\"stop\""), Piece::Finish(Finish::Done));
    assert_eq!(finish("\"tool_calls\""), Piece::Finish(Finish::Done));
    assert_eq!(finish("\"length\""), Piece::Finish(Finish::Length));
    assert!(matches!(finish("null"), Piece::Failed(failure) if failure.code == "stream_broken"));
}

#[test]
fn an_error_in_the_stream_is_a_failure() {
    let failure = Reading::new(0).push(r#"{"error":{"message":"overloaded"}}"#).unwrap_err();
    assert_eq!(failure.code, "provider_error");
    assert_eq!(Reading::new(0).push("<html>").unwrap_err().code, "provider_bad_chunk");
    assert_eq!(Reading::new(0).push(r#"{"error":null,"choices":[]}"#).unwrap(), []);
}
