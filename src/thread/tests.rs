//! The wire shapes of A2 and C1, by hand.

use super::*;
use crate::event::Epoch;
use crate::json::{Wire, read, read_noting, write};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn same<T: Wire>(json: &str) {
    let value: T = read(json).unwrap();
    assert_eq!(write(&value), json);
}

#[test]
fn states_and_causes_are_written_as_they_were_read() {
    for json in [
        r#""Running""#,
        r#""Awaiting""#,
        r#"{"Ended":"NaturalEnd"}"#,
        r#"{"Ended":{"Stopped":"guard"}}"#,
        r#"{"Ended":{"Error":{"Inference":{"code":"c","message":"m"}}}}"#,
        r#"{"Ended":{"Error":"StateConflict"}}"#,
        r#"{"Ended":{"Later":[1]}}"#,
        r#""Dreaming""#,
    ] {
        same::<RunState>(json);
    }
    assert_eq!(read::<RunState>(r#""Waiting""#).unwrap(), RunState::Awaiting);
}

#[test]
fn a_variant_with_an_odd_body_is_kept_as_unknown_and_an_end_stays_an_end() {
    for (json, is_ended) in [
        (r#"{"Ended":{"Error":{"Inference":{"code":"c"}}}}"#, true),
        (r#"{"Ended":{"Error":{"Inference":7}}}"#, true),
        (r#"{"Ended":"Error"}"#, true),
        (r#"{"Ended":"Stopped"}"#, true),
        (r#"{"Ended":null}"#, true),
        (r#"{"Ended":{}}"#, true),
        (r#""Ended""#, true),
        (r#"{"Awoken":{}}"#, false),
        ("7", false),
        ("{}", false),
    ] {
        let (state, notes) = read_noting::<RunState>(json).unwrap();
        assert_eq!((state.is_ended(), notes.unknown_values), (is_ended, 1), "{json}: {state:?}");
        assert_eq!(read::<RunState>(&write(&state)).unwrap(), state, "{json}");
    }
    assert_eq!(
        read::<RunState>(r#"{"Ended":{"Error":{"Inference":{"code":"c"}}"#).unwrap_err().code(),
        "json_incomplete"
    );
}

#[test]
fn tickets_are_written_as_they_were_read_and_an_unknown_reason_is_kept() {
    for json in [
        r#"{"target":{"ToolCall":{"reason":"Permission","call_id":"c","tool":{"tool_id":"t","arguments":{"a":1}}}}}"#,
        r#"{"target":{"RemoteInput":{"reason":"UserInput","call_id":"c"}}}"#,
        r#"{"target":{"Pause":"RateLimit"}}"#,
        r#"{"target":{"ToolCall":{"reason":"Moon","call_id":"c"}}}"#,
    ] {
        same::<ResumeTicket>(json);
    }
    let (ticket, notes) = read_noting::<ResumeTicket>(r#"{"target":{"Pause":"Holiday"}}"#).unwrap();
    assert!(matches!(ticket.target, Target::Unknown { .. }));
    assert_eq!(notes.unknown_values, 1);
}

#[test]
fn unknown_blocks_are_kept_and_unknown_keys_are_skipped_and_both_are_noted() {
    let json =
        r#"{"id":"m","role":"Assistant","extra":1,"content":[{"type":"hologram","z":1},{"type":"text","text":"a"}]}"#;
    let (message, notes) = read_noting::<Message>(json).unwrap();
    assert_eq!((notes.unknown_keys, notes.unknown_values), (1, 1));
    assert_eq!(
        write(&message),
        r#"{"id":"m","role":"Assistant","content":[{"type":"hologram","z":1},{"type":"text","text":"a"}]}"#
    );
}

#[test]
fn a_log_takes_what_joins_on_and_leaves_what_lies_beyond_a_hole() {
    let row = |seq: u64| -> Record { read(&format!(r#"{{"seq":{seq},"run_id":"r","state":"Running"}}"#)).unwrap() };
    let mut log = Log::new(Epoch::from("e"));
    assert_eq!(log.join([row(0), row(1)]).applied.len(), 2);
    let joined = log.join([row(1), row(2), row(4)]);
    assert_eq!((joined.applied.len(), joined.known, joined.beyond), (1, 1, 1));
    assert_eq!(log.last(), Some(2));
}

#[test]
fn rows_of_a_page_come_in_log_order_however_the_host_lists_them() {
    let row = |seq: u64| {
        let json = format!(r#"{{"seq":{seq},"run_id":"r","state":"Running"}}"#);
        read::<Record>(&json).unwrap()
    };
    for count in 0..20_u64 {
        for step in [1, 3, 7, 19] {
            let mut rows: Vec<Record> = (0..count).map(|place| row(place * step % 23)).collect();
            in_log_order(&mut rows);
            assert!(rows.is_sorted_by_key(Record::seq));
            assert_eq!(rows.len() as u64, count);
        }
    }
}
