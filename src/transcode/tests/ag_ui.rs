//! The rows of AG-UI's table.

use super::*;
use expect_test::{Expect, expect};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn writes(inputs: &[&str], expected: Expect) {
    expected.assert_eq(&written(ag_ui(), inputs));
}

#[test]
fn text_is_streamed_and_closed_by_its_fact() {
    writes(
        &[RUN, &live_text(0, "he"), &text(2, 0, "hello"), FINISHED],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TEXT_MESSAGE_START","messageId":"r-0-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-0-0","delta":"he"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-0-0","delta":"llo"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-0-0"}
        {"type":"STEP_FINISHED","stepName":"step-0"}
        {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}
        end
    "#]],
    );
}

#[test]
fn reasoning_has_an_id_of_its_own() {
    let delta = live(0, r#"{"type":"reasoning_delta","delta":"h"}"#);
    let thinking = said(2, 1, 0, r#"{"type":"assistant_thinking","id":"m","text":"hm"}"#);
    writes(
        &[RUN, &delta, &thinking],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"REASONING_START","messageId":"r-0-0-reasoning"}
        {"type":"REASONING_MESSAGE_START","messageId":"r-0-0-reasoning","role":"reasoning"}
        {"type":"REASONING_MESSAGE_CONTENT","messageId":"r-0-0-reasoning","delta":"h"}
        {"type":"REASONING_MESSAGE_CONTENT","messageId":"r-0-0-reasoning","delta":"m"}
        {"type":"REASONING_MESSAGE_END","messageId":"r-0-0-reasoning"}
        {"type":"REASONING_END","messageId":"r-0-0-reasoning"}
    "#]],
    );
}

#[test]
fn a_call_gets_its_missing_arguments_and_its_answer() {
    let inputs = [RUN, &live_call(0, "{"), &call(2, 0, "open"), &amended(2, "executed"), &result(3, Some(2), true)];
    writes(
        &inputs,
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-0-0"}
        {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{"}
        {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\"q\":1}"}
        {"type":"TOOL_CALL_END","toolCallId":"c"}
        {"type":"TOOL_CALL_RESULT","messageId":"r-result-3-1","toolCallId":"c","content":"found","metadata":{"is_error":true}}
    "#]],
    );
}

#[test]
fn arguments_are_compared_as_values() {
    writes(
        &[RUN, &live_call(0, r#"{ \"q\" : 1 }"#), &call(2, 0, "open")],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-0-0"}
        {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{ \"q\" : 1 }"}
        {"type":"TOOL_CALL_END","toolCallId":"c"}
    "#]],
    );
}

#[test]
fn e07_a_call_for_the_client_is_pending_and_any_other_wait_is_an_interrupt() {
    let client = other(3, Some(2), r#"{"type":"awaiting","pending_tool_use_id":"c","reason":"client_execution"}"#);
    let pause = other(5, None, r#"{"type":"awaiting","pending_tool_use_id":null,"reason":"manual_pause"}"#);
    writes(
        &[RUN, &call(2, 0, "open"), &client, &result(4, Some(2), false), &pause],
        expect![[r#"
            {"type":"RUN_STARTED","threadId":"t","runId":"r"}
            {"type":"STEP_STARTED","stepName":"step-0"}
            {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-0-0"}
            {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"q\":1}"}
            {"type":"TOOL_CALL_END","toolCallId":"c"}
            {"type":"STEP_FINISHED","stepName":"step-0"}
            {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":["c"]}}
            end
            {"type":"RUN_STARTED","threadId":"t","runId":"r"}
            {"type":"TOOL_CALL_RESULT","messageId":"r-result-4-1","toolCallId":"c","content":"found"}
            {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"r-5-1","reason":"manual_pause"}]}}
            end
        "#]],
    );
}

#[test]
fn a_run_ends_as_it_ended() {
    let cancelled = other(3, None, r#"{"type":"run_finished","exhausted":false,"cause":"cancelled"}"#);
    let exhausted = other(3, None, r#"{"type":"run_finished","exhausted":true,"cause":"max_steps"}"#);
    let failed = other(3, None, r#"{"type":"run_failed","code":"indeterminate","message":"nobody knows"}"#);
    writes(
        &[RUN, &cancelled],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-after-1"}
        {"type":"STEP_FINISHED","stepName":"step-after-1"}
        {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}
        end
    "#]],
    );
    writes(
        &[RUN, &exhausted],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-after-1"}
        {"type":"STEP_FINISHED","stepName":"step-after-1"}
        {"type":"RUN_FINISHED","threadId":"t","runId":"r","result":{"exhausted":true},"outcome":{"type":"success"}}
        end
    "#]],
    );
    writes(
        &[RUN, &failed, FINISHED],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-after-1"}
        {"type":"STEP_FINISHED","stepName":"step-after-1"}
        {"type":"RUN_ERROR","message":"nobody knows","code":"indeterminate"}
        end
    "#]],
    );
}

#[test]
fn a_divergence_deletes_by_a_snapshot_with_the_persons_messages() {
    let asked = r#"{"type":"said","message":{"id":"u","role":"User","content":[{"type":"text","text":"?"}]}}"#;
    writes(
        &[asked, RUN, &live_text(0, "wrong"), &text(2, 0, "right")],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TEXT_MESSAGE_START","messageId":"r-0-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-0-0","delta":"wrong"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-0-0"}
        {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"?"}]}
        {"type":"TEXT_MESSAGE_START","messageId":"r-0-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-0-0","delta":"right"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-0-0"}
    "#]],
    );
}

#[test]
fn reasoning_that_has_to_go_is_no_reasoning_first() {
    let delta = live(0, r#"{"type":"reasoning_delta","delta":"h"}"#);
    writes(
        &[RUN, &delta, &text(2, 0, "right")],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"REASONING_START","messageId":"r-0-0-reasoning"}
        {"type":"REASONING_MESSAGE_START","messageId":"r-0-0-reasoning","role":"reasoning"}
        {"type":"REASONING_MESSAGE_CONTENT","messageId":"r-0-0-reasoning","delta":"h"}
        {"type":"REASONING_MESSAGE_END","messageId":"r-0-0-reasoning"}
        {"type":"REASONING_END","messageId":"r-0-0-reasoning"}
        {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"r-0-0-reasoning","role":"assistant","content":""}]}
        {"type":"MESSAGES_SNAPSHOT","messages":[]}
        {"type":"TEXT_MESSAGE_START","messageId":"r-0-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-0-0","delta":"right"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-0-0"}
    "#]],
    );
}

#[test]
fn a_call_that_nobody_answered_is_not_the_clients_to_run() {
    let inputs = [RUN, &call(2, 0, "open"), &amended(2, "unresolved"), FINISHED];
    writes(
        &inputs,
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-0-0"}
        {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"q\":1}"}
        {"type":"TOOL_CALL_END","toolCallId":"c"}
        {"type":"TOOL_CALL_RESULT","messageId":"c-unanswered","toolCallId":"c","content":"never answered","metadata":{"is_error":true}}
        {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"r-0-0","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}}]}]}
        {"type":"STEP_FINISHED","stepName":"step-0"}
        {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}
        end
    "#]],
    );
}

#[test]
fn a_call_that_was_previewed_under_another_name_is_taken_back() {
    let other = live(0, r#"{"type":"tool_call_delta","id":"c","name":"sear","args_delta":"{"}"#);
    writes(
        &[RUN, &other, &call(2, 0, "open")],
        expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"sear","parentMessageId":"r-0-0"}
        {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{"}
        {"type":"TOOL_CALL_END","toolCallId":"c"}
        {"type":"MESSAGES_SNAPSHOT","messages":[]}
        {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-0-0"}
        {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"q\":1}"}
        {"type":"TOOL_CALL_END","toolCallId":"c"}
    "#]],
    );
}

#[test]
fn ids_follow_the_log_when_a_later_call_of_the_same_id_was_previewed_first() {
    writes(
        &[RUN, &live_call(1, "{"), &call(2, 0, "open"), &result(3, Some(2), false), &call(4, 1, "open")],
        expect![[r#"
            {"type":"RUN_STARTED","threadId":"t","runId":"r"}
            {"type":"STEP_STARTED","stepName":"step-1"}
            {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-1-0"}
            {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{"}
            {"type":"TOOL_CALL_END","toolCallId":"c"}
            {"type":"MESSAGES_SNAPSHOT","messages":[]}
            {"type":"STEP_FINISHED","stepName":"step-1"}
            {"type":"STEP_STARTED","stepName":"step-0"}
            {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-0-0"}
            {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"q\":1}"}
            {"type":"TOOL_CALL_END","toolCallId":"c"}
            {"type":"TOOL_CALL_RESULT","messageId":"r-result-3-1","toolCallId":"c","content":"found"}
            {"type":"STEP_FINISHED","stepName":"step-0"}
            {"type":"STEP_STARTED","stepName":"step-1"}
            {"type":"TOOL_CALL_START","toolCallId":"c#2","toolCallName":"search","parentMessageId":"r-1-0"}
            {"type":"TOOL_CALL_ARGS","toolCallId":"c#2","delta":"{"}
            {"type":"TOOL_CALL_ARGS","toolCallId":"c#2","delta":"\"q\":1}"}
            {"type":"TOOL_CALL_END","toolCallId":"c#2"}
        "#]],
    );
}
