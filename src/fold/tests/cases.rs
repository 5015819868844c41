//! Cases from the field in which the fold decides, named by their ids.

use super::*;
use crate::event::{CallId, Disposition, RunId};
use crate::thread::{Log, Page, Record};
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SAY: &str =
    r#"{"seq":0,"run_id":"r","message":{"id":"u","role":"User","content":[{"type":"text","text":"hi"}]}}"#;
const RUN: &str = r#"{"seq":1,"run_id":"r","state":"Running"}"#;

fn result(seq: u64, call: &str) -> String {
    format!(
        r#"{{"seq":{seq},"run_id":"r","message":{{"id":"tool-{call}","role":"Tool","content":[{{"type":"tool_result","tool_use_id":"{call}","content":[]}}]}}}}"#
    )
}

fn calls(seq: u64, ids: &[&str]) -> String {
    let blocks: Vec<String> =
        ids.iter().map(|id| format!(r#"{{"type":"tool_use","id":"{id}","name":"n","input":{{}}}}"#)).collect();
    format!(
        r#"{{"seq":{seq},"run_id":"r","step":0,"response":0,"message":{{"id":"m{seq}","role":"Assistant","content":[{}]}}}}"#,
        blocks.join(",")
    )
}

fn dispositions(records: &[Record]) -> Vec<(String, Disposition)> {
    fold(records)
        .into_values()
        .filter_map(|placed| match placed.fact {
            Fact::ToolCall { id, disposition, .. } => Some((id.to_string(), disposition)),
            _ => None,
        })
        .collect()
}

fn is_terminal(placed: &PlacedFact) -> bool {
    matches!(placed.fact, Fact::RunFinished { .. } | Fact::RunFailed { .. })
}

/// However the stream ends, and however much of it came, no record says that the run is over.
#[test]
fn e01_e04_without_an_ended_row_no_run_is_finished_or_failed() {
    let log = records(&[SAY, RUN]);
    assert_eq!(facts(&log), [r#"0.0 {"type":"run_started"}"#]);
    let answered = records(&[SAY, RUN, &calls(2, &["c"]), &result(3, "c")]);
    assert!(!fold(&answered).values().any(is_terminal));
}

#[test]
fn e01_e04_the_ended_row_alone_ends_the_run_whether_or_not_an_answer_was_committed() {
    let log = records(&[SAY, RUN, r#"{"seq":2,"run_id":"r","state":{"Ended":"NaturalEnd"}}"#]);
    assert_eq!(only(&log, is_terminal).position, Position { seq: 2, index: 1 });
}

#[test]
fn e05_a_call_that_broke_off_in_its_arguments_is_no_call_and_the_run_is_what_its_state_says() {
    let running = records(&[SAY, RUN]);
    assert!(!fold(&running).values().any(|placed| matches!(placed.fact, Fact::ToolCall { .. }) || is_terminal(placed)));
    let failed = records(&[
        SAY,
        RUN,
        r#"{"seq":2,"run_id":"r","state":{"Ended":{"Error":{"Inference":{"code":"stream_cut","message":"the model's stream broke off"}}}}}"#,
    ]);
    let end = only(&failed, is_terminal);
    assert!(matches!(end.fact, Fact::RunFailed { code, .. } if code == "stream_cut"));
}

#[test]
fn c11_calls_are_those_of_the_committed_message_with_its_ids_and_its_input() {
    let log = records(&[
        SAY,
        RUN,
        r#"{"seq":2,"run_id":"r","step":0,"response":0,"message":{"id":"m","role":"Assistant","content":[{"type":"tool_use","id":"final","name":"add","input":{"a":3}}]}}"#,
    ]);
    let call = only(&log, |placed| matches!(placed.fact, Fact::ToolCall { .. }));
    assert_eq!(
        line(call.position, &call.fact),
        r#"2.1 {"type":"tool_call","id":"final","name":"add","input":{"a":3},"disposition":"open"}"#
    );
}

#[test]
fn c13_results_without_ids_are_told_as_anomalies_and_answer_no_call() {
    let log = records(&[SAY, RUN, &calls(2, &["A", "B"]), &result(3, ""), &result(4, "")]);
    assert_eq!(dispositions(&log), [("A".to_owned(), Disposition::Open), ("B".to_owned(), Disposition::Open)]);
    let mut state = Fold::new();
    log.iter().for_each(|record| drop(state.append(record)));
    let told: Vec<(AnomalyCode, u64)> = state.anomalies().iter().map(|anomaly| (anomaly.code, anomaly.seq)).collect();
    assert_eq!(told, [(AnomalyCode::ResultWithoutCall, 3), (AnomalyCode::ResultWithoutCall, 4)]);
}

#[test]
fn c18_a_result_in_a_later_message_amends_the_call_where_it_stands() {
    let mut state = Fold::new();
    records(&[SAY, RUN, &calls(2, &["c"])]).iter().for_each(|record| drop(state.append(record)));
    records(&[RUN.replace("\"seq\":1", "\"seq\":3").as_str()]).iter().for_each(|record| drop(state.append(record)));
    let changes = state.append(&records(&[&result(4, "c")])[0]);
    let told: Vec<String> = changes.iter().map(change_line).collect();
    assert_eq!(
        told,
        [
            r#"amend 2.1 {"type":"tool_call","id":"c","name":"n","input":{},"disposition":"executed"}"#,
            r#"add 4.1 {"type":"tool_result","id":"c","content":[],"is_error":false}"#,
        ]
    );
}

#[test]
fn h01_a_reload_rebuilds_the_one_awaiting_with_the_id_that_an_approval_must_carry() {
    let log = records(&[
        SAY,
        RUN,
        &calls(2, &["T"]),
        r#"{"seq":3,"run_id":"r","state":"Awaiting","resume_ticket":{"target":{"ToolCall":{"reason":"Permission","call_id":"T"}}}}"#,
    ]);
    let awaiting = only(&log, |placed| matches!(placed.fact, Fact::Awaiting { .. }));
    assert_eq!(awaiting.call, Some(Position { seq: 2, index: 1 }));
    assert!(matches!(awaiting.fact, Fact::Awaiting { pending_tool_use_id: Some(id), .. } if id == CallId::from("T")));
}

#[test]
fn h03_both_pauses_are_facts_in_order_and_the_second_is_answerable() {
    let ask = |seq: u64, call: &str| {
        format!(
            r#"{{"seq":{seq},"run_id":"r","state":"Awaiting","resume_ticket":{{"target":{{"ToolCall":{{"reason":"Permission","call_id":"{call}"}}}}}}}}"#
        )
    };
    let log = records(&[
        SAY,
        RUN,
        &calls(2, &["T1"]),
        &ask(3, "T1"),
        &result(4, "T1"),
        r#"{"seq":5,"run_id":"r","state":"Running"}"#,
        &calls(6, &["T2"]),
        &ask(7, "T2"),
    ]);
    let told: Vec<String> =
        facts(&log).into_iter().filter(|line| line.contains("awaiting") || line.contains("continuation")).collect();
    assert_eq!(
        told,
        [
            r#"3.1 {"type":"awaiting","pending_tool_use_id":"T1","reason":"tool_permission"}"#,
            r#"4.0 {"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":"T1"}}"#,
            r#"7.1 {"type":"awaiting","pending_tool_use_id":"T2","reason":"tool_permission"}"#,
        ]
    );
    let mut state = Fold::new();
    log.iter().for_each(|record| drop(state.append(record)));
    let run = state.run(&RunId::from("r")).unwrap();
    assert_eq!(run.ticket_call, Some(Position { seq: 6, index: 1 }));
    assert_eq!(dispositions(&log)[1], ("T2".to_owned(), Disposition::PendingBuiltin));
}

#[test]
fn h04_a_run_waits_though_no_message_was_committed() {
    let log = records(&[
        r#"{"seq":0,"run_id":"r","state":"Awaiting","resume_ticket":{"target":{"ToolCall":{"reason":"ClientExecution","call_id":"T"}}}}"#,
    ]);
    assert_eq!(
        facts(&log),
        [
            r#"0.0 {"type":"run_started"}"#,
            r#"0.1 {"type":"awaiting","pending_tool_use_id":"T","reason":"client_execution"}"#,
        ]
    );
}

#[test]
fn t09_each_result_settles_its_own_call_when_it_comes() {
    let (open, executed) = (Disposition::Open, Disposition::Executed);
    let rows =
        [SAY.to_owned(), RUN.to_owned(), calls(2, &["1", "2", "3"]), result(3, "3"), result(4, "1"), result(5, "2")];
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    for (upto, expected) in
        [(3, [open, open, open]), (4, [open, open, executed]), (5, [executed, open, executed]), (6, [executed; 3])]
    {
        let told: Vec<Disposition> = dispositions(&records(&rows[..upto])).into_iter().map(|(_, told)| told).collect();
        assert_eq!(told, expected, "after {upto} records");
    }
}

#[test]
fn e12_results_pair_with_the_real_calls_and_an_approval_is_no_result() {
    let log = records(&[
        SAY,
        RUN,
        &calls(2, &["x", "y"]),
        r#"{"seq":3,"run_id":"r","state":"Awaiting","resume_ticket":{"target":{"ToolCall":{"reason":"Permission","call_id":"confirm-1"}}}}"#,
        r#"{"seq":4,"run_id":"r","message":{"id":"resume-input-confirm-1","role":"User","content":[{"type":"text","text":"{\"approve\":true}"}]}}"#,
        r#"{"seq":5,"run_id":"r","state":"Running"}"#,
        &result(6, "x"),
        &result(7, "y"),
    ]);
    let results: Vec<(String, Option<Position>)> = fold(&log)
        .into_values()
        .filter_map(|placed| match placed.fact {
            Fact::ToolResult { id, .. } => Some((id.to_string(), placed.call)),
            _ => None,
        })
        .collect();
    let at = |index| Some(Position { seq: 2, index });
    assert_eq!(results, [("x".to_owned(), at(1)), ("y".to_owned(), at(2))]);
}

/// The same record by two ways is one record; the same message id in two records is two.
#[test]
fn i03_a_record_that_comes_twice_is_folded_once_and_ids_that_repeat_keep_their_places() {
    let page = r#"{"contract":"threadfold/1","thread_id":"t","epoch":"e","frontier":2,"messages":[
        {"seq":0,"run_id":"r","step":0,"response":0,"message":{"id":"m","role":"Assistant","content":[{"type":"text","text":"draft"}]}},
        {"seq":1,"run_id":"r","step":0,"response":0,"message":{"id":"m","role":"Assistant","content":[{"type":"text","text":"final"}]}}],"runs":[]}"#;
    let page: Page = read(page).unwrap();
    let mut log = Log::new(page.epoch.clone());
    let mut state = Fold::new();
    let mut map = BTreeMap::new();
    for records in [page.clone().into_records::<Record>(), page.into_records()] {
        for record in log.join(records).applied {
            state.append(&record).iter().for_each(|change| change.apply(&mut map));
        }
    }
    let positions: Vec<(u64, u32)> = map.keys().map(|position| (position.seq, position.index)).collect();
    assert_eq!(positions, [(0, 0), (0, 1), (1, 1)]);
    assert_eq!(state.anomalies(), []);
}
