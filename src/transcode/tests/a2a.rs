//! The rows of the A2A table.

use super::*;
use crate::transcode::a2a;
use expect_test::{Expect, expect};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn writes(inputs: &[&str], expected: Expect) {
    expected.assert_eq(&written(Box::new(a2a(ThreadId::from("t"))), inputs));
}

#[test]
fn a_run_is_a_task_and_its_text_an_artifact() {
    writes(
        &[RUN, &live_text(0, "he"), &text(2, 0, "hello"), FINISHED],
        expect![[r#"
            {"task":{"id":"r","contextId":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[]}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":"he"}]},"append":false,"lastChunk":false}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":"llo"}]},"append":true,"lastChunk":false}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":""}]},"append":true,"lastChunk":true}}
            {"statusUpdate":{"taskId":"r","contextId":"t","status":{"state":"TASK_STATE_COMPLETED"}}}
            end
        "#]],
    );
}

#[test]
fn text_that_is_not_committed_is_replaced_under_its_artifact_s_id() {
    writes(
        &[RUN, &live_text(0, "hal"), &text(2, 0, "hello")],
        expect![[r#"
            {"task":{"id":"r","contextId":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[]}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":"hal"}]},"append":false,"lastChunk":false}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":""}]},"append":true,"lastChunk":true}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":""}]},"append":false,"lastChunk":true}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":"hello"}]},"append":false,"lastChunk":false}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":""}]},"append":true,"lastChunk":true}}
        "#]],
    );
}

#[test]
fn a_wait_needs_input_and_the_task_goes_on_with_what_it_has() {
    let waits = other(3, None, r#"{"type":"awaiting","pending_tool_use_id":null,"reason":"manual_pause"}"#);
    let resumed = r#"{"type":"fact","position":{"seq":4,"index":0},"run_id":"r","fact":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":null}}}"#;
    let failed = other(9, None, r#"{"type":"run_failed","code":"indeterminate","message":"nobody knows"}"#);
    writes(
        &[RUN, &text(2, 0, "one"), &waits, resumed, &failed],
        expect![[r#"
            {"task":{"id":"r","contextId":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[]}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":"one"}]},"append":false,"lastChunk":false}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":""}]},"append":true,"lastChunk":true}}
            {"statusUpdate":{"taskId":"r","contextId":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"r-3-1","role":"ROLE_AGENT","taskId":"r","contextId":"t","parts":[{"data":{"reason":"manual_pause"}}],"metadata":{"kind":"awaiting"}}}}}
            end
            {"task":{"id":"r","contextId":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"r-0-0","parts":[{"text":"one"}]}]}}
            {"statusUpdate":{"taskId":"r","contextId":"t","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"r-error-9-1","role":"ROLE_AGENT","taskId":"r","contextId":"t","parts":[{"text":"indeterminate: nobody knows"}],"metadata":{"kind":"error"}}}}}
            end
        "#]],
    );
}

#[test]
fn reasoning_calls_and_results_are_messages_beside_the_artifact() {
    let thinking = said(2, 1, 0, r#"{"type":"assistant_thinking","id":"m","text":"hm"}"#);
    writes(
        &[
            RUN,
            &live_text(0, "hello"),
            &thinking,
            &text(2, 0, "hello"),
            &call(2, 0, "open"),
            &result(3, Some(2), false),
        ],
        expect![[r#"
            {"task":{"id":"r","contextId":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[]}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":"hello"}]},"append":false,"lastChunk":false}}
            {"statusUpdate":{"taskId":"r","contextId":"t","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"r-0-0-reasoning","role":"ROLE_AGENT","taskId":"r","contextId":"t","parts":[{"text":"hm"}],"metadata":{"kind":"thinking"}}}}}
            {"artifactUpdate":{"taskId":"r","contextId":"t","artifact":{"artifactId":"r-0-0","parts":[{"text":""}]},"append":true,"lastChunk":true}}
            {"statusUpdate":{"taskId":"r","contextId":"t","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"c","role":"ROLE_AGENT","taskId":"r","contextId":"t","parts":[{"data":{"id":"c","name":"search","input":{"q":1}}}],"metadata":{"kind":"tool_call"}}}}}
            {"statusUpdate":{"taskId":"r","contextId":"t","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"r-result-3-1","role":"ROLE_AGENT","taskId":"r","contextId":"t","parts":[{"data":{"id":"c","content":"found","is_error":false}}],"metadata":{"kind":"tool_result"}}}}}
        "#]],
    );
}
