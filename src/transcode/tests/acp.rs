//! The rows of the ACP table.

use super::*;
use crate::json::Raw;
use crate::transcode::acp;
use expect_test::{Expect, expect};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn writes(inputs: &[&str], expected: Expect) {
    expected.assert_eq(&written(Box::new(acp(ThreadId::from("s"), Some(Raw::parse("7").unwrap()))), inputs));
}

#[test]
fn text_streams_in_chunks_of_one_message_and_the_turn_s_answer_ends_it() {
    writes(
        &[RUN, &live_text(0, "he"), &text(2, 0, "hello"), FINISHED],
        expect![[r#"
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"r-0-0","content":{"type":"text","text":"he"}}}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"r-0-0","content":{"type":"text","text":"llo"}}}}
            {"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn"}}
            end
        "#]],
    );
}

#[test]
fn a_permission_is_asked_for_within_the_turn() {
    let waits = other(3, Some(2), r#"{"type":"awaiting","pending_tool_use_id":"c","reason":"tool_permission"}"#);
    let resumed = r#"{"type":"fact","position":{"seq":4,"index":0},"run_id":"r","fact":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":"c"}}}"#;
    writes(
        &[
            RUN,
            &live_call(0, "{"),
            &call(2, 0, "open"),
            &amended(2, "pending_builtin"),
            &waits,
            resumed,
            &result(5, Some(2), false),
        ],
        expect![[r#"
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"search","name":"search","status":"pending","rawInput":{"q":1}}}}
            {"jsonrpc":"2.0","id":"r-3-1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","status":"pending"},"options":[{"optionId":"allow","name":"Allow","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"}]}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"}}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"found"}}]}}}
        "#]],
    );
}

#[test]
fn a_permitted_call_that_nobody_answered_stays_failed_where_its_run_is_read_late() {
    let waits = other(3, Some(2), r#"{"type":"awaiting","pending_tool_use_id":"c","reason":"tool_permission"}"#);
    let resumed = r#"{"type":"fact","position":{"seq":4,"index":0},"run_id":"r","fact":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":"c"}}}"#;
    let end = other(5, None, r#"{"type":"run_finished","exhausted":false,"cause":"cancelled"}"#);
    writes(
        &[RUN, &call(2, 0, "unresolved"), &waits, resumed, &end],
        expect![[r#"
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"search","name":"search","status":"pending","rawInput":{"q":1}}}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","content":[{"type":"content","content":{"type":"text","text":"The run ended before this call was answered."}}]}}}
            {"jsonrpc":"2.0","id":"r-3-1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","status":"pending"},"options":[{"optionId":"allow","name":"Allow","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"}]}}
            {"jsonrpc":"2.0","id":7,"result":{"stopReason":"cancelled"}}
            end
        "#]],
    );
}

#[test]
fn what_was_said_and_is_not_committed_cuts_the_turn_and_it_is_said_again() {
    writes(
        &[RUN, &text(2, 0, "one"), &live_text(1, "hal"), &text(3, 1, "hello")],
        expect![[r#"
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"r-0-0","content":{"type":"text","text":"one"}}}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"r-1-0","content":{"type":"text","text":"hal"}}}}
            cut
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"r-0-0","content":{"type":"text","text":"one"}}}}
            {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"r-1-0","content":{"type":"text","text":"hello"}}}}
        "#]],
    );
}

#[test]
fn a_failure_is_an_error_of_the_prompt() {
    let failed = other(9, None, r#"{"type":"run_failed","code":"indeterminate","message":"nobody knows"}"#);
    writes(
        &[RUN, &failed],
        expect![[r#"
            {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"indeterminate: nobody knows","data":{"code":"indeterminate","retryable":false}}}
            end
        "#]],
    );
}
