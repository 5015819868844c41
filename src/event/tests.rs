//! The wire shapes of A1, by hand.

use super::*;
use crate::json::{Fragment, read, write};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn same(json: &str) {
    let event: AgentEvent = read(json).unwrap();
    assert_eq!(write(&event), json);
}

#[test]
fn every_event_is_written_as_it_was_read() {
    same(r#"{"tier":"fact","event":{"type":"run_started"}}"#);
    same(r#"{"tier":"fact","event":{"type":"awaiting","pending_tool_use_id":null}}"#);
    same(r#"{"tier":"fact","event":{"type":"awaiting","pending_tool_use_id":"t","reason":"tool_permission"}}"#);
    same(r#"{"tier":"fact","event":{"type":"run_finished","exhausted":true,"cause":"max_steps"}}"#);
    same(
        r#"{"tier":"fact","event":{"type":"tool_call","id":"c","name":"n","input":{"n":2512292042121000001},"disposition":"open"}}"#,
    );
    same(r#"{"tier":"delta","event":{"type":"tool_call_delta","id":"c","name":"n","args_delta":""}}"#);
    same(r#"{"tier":"delta","event":{"type":"text_delta","delta":"a\ud83d"}}"#);
}

#[test]
fn an_envelope_is_read_with_and_without_a_coordinate() {
    let bare: Envelope =
        read(r#"{"run_id":"r","kind":{"tier":"delta","event":{"type":"text_delta","delta":"a"}}}"#).unwrap();
    assert_eq!(bare.coordinate, None);
    assert_eq!(bare.kind, AgentEvent::Delta(Delta::TextDelta { delta: Fragment::from("a") }));
    let located: Envelope = read(
        r#"{"event":{"run_id":"r","kind":{"tier":"fact","event":{"type":"run_started"}}},"assistant_response":{"thread_id":"t","step":1,"response":2}}"#,
    )
    .unwrap();
    assert_eq!(located.coordinate, Some(Coordinate { run_id: RunId::from("r"), step: 1, response: 2 }));
}
