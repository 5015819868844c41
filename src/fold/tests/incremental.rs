//! What each single record changes (A3.8), and what the fold knows of its runs.

use super::*;
use crate::event::RunId;
use crate::thread::RunState;
use expect_test::{Expect, expect};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Writes down the changes of each record under its seq.
fn check(state: &mut Fold, lines: &[&str], expected: &Expect) {
    let mut told = String::new();
    for record in records(lines) {
        for change in state.append(&record) {
            told.push_str(&format!("{}: {}\n", record.seq(), change_line(&change)));
        }
    }
    expected.assert_eq(&told);
}

const CALL: &str = r#"{"seq":0,"run_id":"r","message":{"id":"a","role":"Assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{}}]}}"#;
const ASK: &str = r#"{"seq":1,"run_id":"r","state":"Awaiting","resume_ticket":{"target":{"ToolCall":{"reason":"Permission","call_id":"c"}}}}"#;

#[test]
fn i06_a_call_goes_from_open_to_pending_to_executed_and_each_step_is_told_once() {
    check(
        &mut Fold::new(),
        &[
            CALL,
            ASK,
            r#"{"seq":2,"run_id":"r","state":"Running"}"#,
            r#"{"seq":3,"run_id":"r","message":{"id":"t","role":"Tool","content":[{"type":"tool_result","tool_use_id":"c","content":[]}]}}"#,
            r#"{"seq":4,"run_id":"r","state":{"Ended":"NaturalEnd"}}"#,
        ],
        &expect![[r#"
            0: add 0.0 {"type":"run_started"}
            0: add 0.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"open"}
            1: amend 0.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"pending_builtin"}
            1: add 1.1 {"type":"awaiting","pending_tool_use_id":"c","reason":"tool_permission"}
            2: add 2.0 {"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":"c"}}
            2: amend 0.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"open"}
            3: amend 0.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"executed"}
            3: add 3.1 {"type":"tool_result","id":"c","content":[],"is_error":false}
            4: add 4.1 {"type":"run_finished","exhausted":false,"cause":"natural_end"}
        "#]],
    );
}

#[test]
fn an_end_leaves_open_and_pending_calls_unresolved() {
    check(
        &mut Fold::new(),
        &[CALL, ASK, r#"{"seq":2,"run_id":"r","state":{"Ended":"Indeterminate"}}"#],
        &expect![[r#"
            0: add 0.0 {"type":"run_started"}
            0: add 0.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"open"}
            1: amend 0.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"pending_builtin"}
            1: add 1.1 {"type":"awaiting","pending_tool_use_id":"c","reason":"tool_permission"}
            2: amend 0.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"unresolved"}
            2: add 2.1 {"type":"run_failed","code":"indeterminate","message":"execution outcome could not be determined"}
        "#]],
    );
}

#[test]
fn in_a_window_the_start_is_told_with_the_running_row_at_the_first_rows_position() {
    check(
        &mut Fold::windowed(),
        &[
            r#"{"seq":40,"run_id":"r","message":{"id":"u","role":"User","content":[]}}"#,
            r#"{"seq":41,"run_id":"r","state":"Running"}"#,
        ],
        &expect![[r#"
            41: add 40.0 {"type":"run_started"}
        "#]],
    );
}

#[test]
fn a_record_that_comes_again_changes_nothing_and_is_an_anomaly() {
    let mut state = Fold::new();
    check(
        &mut state,
        &[CALL, CALL],
        &expect![[r#"
        0: add 0.0 {"type":"run_started"}
        0: add 0.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"open"}
    "#]],
    );
    let told: Vec<String> = state.anomalies().iter().map(ToString::to_string).collect();
    assert_eq!(told, [r#"record 0: came after a record with a higher seq, run "r""#]);
    assert_eq!(state.anomalies(), [], "anomalies are told once");
}

#[test]
fn a_run_tells_its_state_its_ticket_and_how_many_calls_are_unanswered() {
    let mut state = Fold::new();
    let run = RunId::from("r");
    assert_eq!(state.run(&run), None);
    let rows = records(&[
        CALL,
        ASK,
        r#"{"seq":2,"run_id":"q","state":"Running"}"#,
        r#"{"seq":3,"run_id":"r","state":{"Ended":"Cancelled"}}"#,
    ]);
    state.append(&rows[0]);
    let view = state.run(&run).unwrap();
    assert_eq!((&view.state, view.state_seq, view.unanswered, view.partial), (&RunState::Running, None, 1, false));
    state.append(&rows[1]);
    let view = state.run(&run).unwrap();
    assert_eq!((&view.state, view.state_seq), (&RunState::Awaiting, Some(1)));
    assert_eq!(view.ticket_call, Some(Position { seq: 0, index: 1 }));
    assert!(view.ticket.is_some());
    state.append(&rows[2]);
    state.append(&rows[3]);
    let view = state.run(&run).unwrap();
    assert!(view.state.is_ended());
    assert_eq!((view.ticket.is_none(), view.ticket_call, view.unanswered), (true, None, 0));
    assert_eq!(state.runs().map(|run| run.run_id.as_str()).collect::<Vec<_>>(), ["r", "q"]);
}

#[test]
fn a_ticket_on_a_row_that_does_not_wait_is_no_ticket() {
    let mut state = Fold::new();
    let row = ASK.replace("Awaiting", "Running");
    records(&[CALL, &row]).iter().for_each(|record| drop(state.append(record)));
    let view = state.run(&RunId::from("r")).unwrap();
    assert_eq!((view.ticket.is_none(), view.ticket_call), (true, None));
}
