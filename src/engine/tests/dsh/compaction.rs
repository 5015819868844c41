//! What a compaction covers: it leaves the view, and its Facts stay.

use super::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn what_a_compaction_covers_leaves_the_view_and_the_facts_stay() {
    let mut session = Session::new();
    session.open();
    session.event(&event(0, "turn/start", &json!({"turn": 1})));
    session.event(&user(1, "m1", "long ago"));
    session.event(&answer(2, 1, &json!([{"type": "text", "text": "old"}])));
    session.event(&answer(3, 2, &json!([{"type": "text", "text": "new"}])));
    let facts = session.facts.clone();
    let mut summary = said(
        4,
        "user/message",
        &json!({"id": "c", "role": "user",
        "content": [{"type": "text", "text": "summary"}], "source": {"kind": "plugin", "plugin": "compact"}}),
    );
    summary["surfaceOp"] = json!({"op": "replace", "start": 1, "end": 2});
    session.event(&summary);
    assert_eq!(session.view(), ["assistant assistant:turn-1/2/0 new", "injected plugin"]);
    assert_eq!(session.facts, facts);
    // A summary can be covered too, though it stands where what it covered stood.
    let mut second = summary.clone();
    second["seq"] = json!(5);
    second["data"]["id"] = json!("d");
    second["surfaceOp"] = json!({"op": "replace", "start": 4, "end": 3});
    session.event(&second);
    assert_eq!(session.view(), ["injected plugin"]);
    session.event(&answer(6, 3, &json!([{"type": "text", "text": "more"}])));
    assert_eq!(session.view(), ["injected plugin", "assistant assistant:turn-1/3/0 more"]);
}

#[test]
fn what_becomes_of_a_covered_call_changes_nothing_on_a_page() {
    let mut session = Session::new();
    session.open();
    session.event(&event(0, "turn/start", &json!({"turn": 1})));
    session.event(&answer(1, 1, &json!([{"type": "tool-call", "id": "c", "name": "bash", "arguments": "{}"}])));
    let mut summary = said(
        2,
        "user/message",
        &json!({"id": "s", "role": "user",
        "content": [{"type": "text", "text": "summary"}], "source": {"kind": "plugin", "plugin": "compact"}}),
    );
    summary["surfaceOp"] = json!({"op": "replace", "start": 1, "end": 1});
    session.event(&summary);
    let end = event(3, "turn/end", &json!({"turn": 1, "reason": {"kind": "completed"}}));
    let (item, notes) = read_item(&json!({"type": "event", "event": end}).to_string()).unwrap().unwrap();
    session.give(Input::Live(Generation(session.generation), Live::Dsh(item, notes)));
    assert!(session.facts.contains(&"amend tool_call bash unresolved".to_owned()), "{:?}", session.facts);
    let changes: Value = serde_json::from_str(&session.engine.take_changes().unwrap()).unwrap();
    let named: Vec<&Value> = changes["changes"].as_array().unwrap().iter().map(|change| &change["op"]).collect();
    assert_eq!(named, ["tail", "view"]);
}
