//! The rows of the managed-agent sessions' table.

use super::*;
use crate::transcode::managed_agents;
use expect_test::{Expect, expect};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn writes(inputs: &[&str], expected: Expect) {
    expected.assert_eq(&written(Box::new(managed_agents()), inputs));
}

#[test]
fn a_preview_stands_beside_and_the_committed_event_of_its_id_replaces_it() {
    let thought = live(0, r#"{"type":"reasoning_delta","delta":"hm"}"#);
    let thinking = said(2, 1, 0, r#"{"type":"assistant_thinking","id":"m","text":"hmm"}"#);
    writes(
        &[RUN, &thought, &live_text(0, "hal"), &live_call(0, "{"), &thinking, &text(2, 0, "hello"), FINISHED],
        expect![[r#"
            {"type":"event_start","event":{"type":"agent.thinking","id":"r-0-0-reasoning"}}
            {"type":"event_start","event":{"type":"agent.message","id":"r-0-0"}}
            {"type":"event_delta","event_id":"r-0-0","delta":{"type":"content_delta","index":0,"content":{"type":"text","text":"hal"}}}
            {"type":"agent.thinking","id":"r-0-0-reasoning","processed_at":""}
            {"type":"agent.message","id":"r-0-0","processed_at":"","content":[{"type":"text","text":"hello"}]}
            {"type":"session.status_idle","id":"r-idle-9-1","processed_at":"","stop_details":null,"stop_reason":{"type":"end_turn"}}
            end
        "#]],
    );
}

#[test]
fn the_id_of_a_call_that_was_streamed_and_not_committed_stays_free() {
    writes(
        &[RUN, &live_text(0, "a"), &live_call(0, "{"), &text(2, 0, "a"), &call(3, 1, "open")],
        expect![[r#"
            {"type":"event_start","event":{"type":"agent.message","id":"r-0-0"}}
            {"type":"event_delta","event_id":"r-0-0","delta":{"type":"content_delta","index":0,"content":{"type":"text","text":"a"}}}
            {"type":"agent.message","id":"r-0-0","processed_at":"","content":[{"type":"text","text":"a"}]}
            {"type":"agent.tool_use","id":"c","processed_at":"","name":"search","input":{"q":1},"evaluated_permission":"allow"}
        "#]],
    );
}

#[test]
fn a_call_that_waits_asks_and_the_client_s_own_is_a_custom_one() {
    let waits =
        |reason| other(3, Some(2), &format!(r#"{{"type":"awaiting","pending_tool_use_id":"c","reason":"{reason}"}}"#));
    writes(
        &[RUN, &call(2, 0, "open"), &amended(2, "pending_builtin"), &waits("tool_permission")],
        expect![[r#"
            {"type":"agent.tool_use","id":"c","processed_at":"","name":"search","input":{"q":1},"evaluated_permission":"allow"}
            {"type":"agent.tool_use","id":"c","processed_at":"","name":"search","input":{"q":1},"evaluated_permission":"ask"}
            {"type":"session.status_idle","id":"r-idle-3-1","processed_at":"","stop_details":null,"stop_reason":{"type":"requires_action","event_ids":["c"]}}
            end
        "#]],
    );
    writes(
        &[RUN, &call(2, 0, "pending_client"), &waits("client_execution")],
        expect![[r#"
            {"type":"agent.custom_tool_use","id":"c","processed_at":"","name":"search","input":{"q":1}}
            {"type":"session.status_idle","id":"r-idle-3-1","processed_at":"","stop_details":null,"stop_reason":{"type":"requires_action","event_ids":["c"]}}
            end
        "#]],
    );
}

#[test]
fn a_server_s_tool_is_named_with_its_server_and_an_input_is_an_object() {
    let odd =
        said(2, 3, 0, r#"{"type":"tool_call","id":"c","name":"mcp__files__read","input":[1],"disposition":"open"}"#);
    writes(
        &[RUN, &odd, &result(3, Some(2), true)],
        expect![[r#"
            {"type":"agent.mcp_tool_use","id":"c","processed_at":"","name":"read","mcp_server_name":"files","input":{"input":[1]},"evaluated_permission":"allow"}
            {"type":"agent.tool_result","id":"r-result-3-1","processed_at":"","tool_use_id":"c","content":[{"type":"text","text":"found"}],"is_error":true}
        "#]],
    );
}

#[test]
fn a_failed_run_is_an_error_and_never_the_end_of_a_turn() {
    let failed = other(9, None, r#"{"type":"run_failed","code":"indeterminate","message":"nobody knows"}"#);
    writes(
        &[RUN, &failed],
        expect![[r#"
            {"type":"session.error","id":"r-error-9-1","processed_at":"","error":{"type":"unknown_error","message":"indeterminate: nobody knows","retry_status":{"type":"terminal"}}}
            {"type":"session.status_idle","id":"r-idle-9-1","processed_at":"","stop_details":null,"stop_reason":{"type":"retries_exhausted"}}
            end
        "#]],
    );
}
