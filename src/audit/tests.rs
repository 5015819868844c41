//! The audit projection over one run.

use super::*;
use crate::fold::Fold;
use crate::json::{read, write};
use crate::thread::Record;
use expect_test::expect;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_run_is_audited_by_its_start_its_pauses_and_its_end_and_not_by_what_was_said() {
    let rows = [
        r#"{"seq":4,"run_id":"r","message":{"id":"u","role":"User","content":[]}}"#,
        r#"{"seq":5,"run_id":"r","state":"Running"}"#,
        r#"{"seq":6,"run_id":"r","message":{"id":"m","role":"Assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"c","name":"n","input":{}}]}}"#,
        r#"{"seq":7,"run_id":"r","state":"Awaiting","resume_ticket":{"target":{"ToolCall":{"reason":"Permission","call_id":"c"}}}}"#,
        r#"{"seq":8,"run_id":"r","message":{"id":"tool-c","role":"Tool","content":[{"type":"tool_result","tool_use_id":"c","content":[]}]}}"#,
        r#"{"seq":9,"run_id":"r","state":{"Ended":"NaturalEnd"}}"#,
    ];
    let mut state = Fold::new();
    let mut told = String::new();
    for row in rows {
        let record: Record = read(row).unwrap();
        for audited in project_changes(&state.append(&record)) {
            told.push_str(&write(&audited));
            told.push('\n');
            assert_eq!(read::<AuditRecord>(&write(&audited)).unwrap(), audited);
        }
    }
    expect![[r#"
        {"position":{"seq":4,"index":0},"run_id":"r","kind":"run_started","payload":{"type":"run_started"}}
        {"position":{"seq":7,"index":1},"run_id":"r","kind":"awaiting","payload":{"type":"awaiting","pending_tool_use_id":"c","reason":"tool_permission"}}
        {"position":{"seq":8,"index":0},"run_id":"r","kind":"continuation","payload":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":"c"}}}
        {"position":{"seq":9,"index":1},"run_id":"r","kind":"run_finished","payload":{"type":"run_finished","exhausted":false,"cause":"natural_end"}}
    "#]]
    .assert_eq(&told);
}
