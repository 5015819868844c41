//! The fold against records and Facts written by hand.

use super::*;
use crate::event::PlacedFact;
use crate::json::{read, write};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn records(lines: &[&str]) -> Vec<Record> {
    lines.iter().map(|line| read(line).unwrap()).collect()
}

fn lines(facts: &BTreeMap<crate::event::Position, PlacedFact>) -> Vec<String> {
    facts
        .values()
        .map(|placed| format!("{}.{} {}", placed.position.seq, placed.position.index, write(&placed.fact)))
        .collect()
}

#[test]
fn a_plain_run_starts_answers_and_finishes() {
    let records = records(&[
        r#"{"seq":0,"run_id":"r","message":{"id":"u","role":"User","content":[{"type":"text","text":"hi"}]}}"#,
        r#"{"seq":1,"run_id":"r","state":"Running"}"#,
        r#"{"seq":2,"run_id":"r","message":{"id":"r-assistant-0","role":"Assistant","content":[{"type":"text","text":"ho"}]}}"#,
        r#"{"seq":3,"run_id":"r","state":{"Ended":"NaturalEnd"}}"#,
    ]);
    assert_eq!(
        lines(&fold(&records)),
        [
            r#"0.0 {"type":"run_started"}"#,
            r#"2.1 {"type":"assistant_message","id":"r-assistant-0","content":[{"type":"text","text":"ho"}]}"#,
            r#"3.1 {"type":"run_finished","exhausted":false,"cause":"natural_end"}"#,
        ]
    );
}
