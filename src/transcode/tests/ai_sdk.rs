//! The rows of the AI SDK's table.

use super::*;
use expect_test::{Expect, expect};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn v6_writes(inputs: &[&str], expected: Expect) {
    expected.assert_eq(&written(v6(), inputs));
}

#[test]
fn a_run_starts_a_message_and_finishes_it() {
    v6_writes(
        &[RUN, FINISHED],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"stop"}
        end
    "#]],
    );
}

#[test]
fn text_is_streamed_and_closed_by_its_fact() {
    v6_writes(
        &[RUN, &live_text(0, "he"), &live_text(0, "l"), &text(2, 0, "hello"), FINISHED],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"he"}
        {"type":"text-delta","id":"r-0-0","delta":"l"}
        {"type":"text-delta","id":"r-0-0","delta":"lo"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"stop"}
        end
    "#]],
    );
}

#[test]
fn a_response_that_was_not_previewed_is_sent_whole() {
    let thinking = said(2, 1, 0, r#"{"type":"assistant_thinking","id":"m","text":"hm"}"#);
    v6_writes(
        &[RUN, &thinking, &text(2, 0, "hello")],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"reasoning-start","id":"r-0-0-reasoning"}
        {"type":"reasoning-delta","id":"r-0-0-reasoning","delta":"hm"}
        {"type":"reasoning-end","id":"r-0-0-reasoning"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"hello"}
        {"type":"text-end","id":"r-0-0"}
    "#]],
    );
}

#[test]
fn hidden_reasoning_is_opened_and_closed_alone() {
    let thinking = said(2, 1, 0, r#"{"type":"assistant_thinking","id":"m","text":"hm"}"#);
    let hidden = new_ai_sdk(AiSdkOptions { show_reasoning: false, ..AiSdkOptions::default() });
    let delta = live(0, r#"{"type":"reasoning_delta","delta":"h"}"#);
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"reasoning-start","id":"r-0-0-reasoning"}
        {"type":"reasoning-end","id":"r-0-0-reasoning"}
    "#]]
    .assert_eq(&written(Box::new(hidden), &[RUN, &delta, &thinking]));
}

#[test]
fn a_call_is_streamed_committed_and_answered() {
    let inputs = [RUN, &live_call(0, ""), &live_call(0, "{"), &call(2, 0, "open"), &result(3, Some(2), false)];
    v6_writes(
        &inputs,
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-start","toolCallId":"c","toolName":"search","dynamic":true}
        {"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"tool-output-available","toolCallId":"c","output":"found"}
    "#]],
    );
}

#[test]
fn a_failed_tool_is_an_error_of_its_part() {
    v6_writes(
        &[RUN, &call(2, 0, "executed"), &result(3, Some(2), true)],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"tool-output-error","toolCallId":"c","errorText":"found"}
    "#]],
    );
}

#[test]
fn a_result_without_a_call_is_not_written_and_is_counted() {
    let mut transcoder = v6();
    let inputs = [RUN, &result(3, None, false)].map(|input| read::<Input>(input).unwrap());
    let chunks: Vec<Chunk> = inputs.iter().flat_map(|input| transcoder.take(input)).collect();
    assert_eq!(chunks.len(), 2, "{chunks:?}");
    assert_eq!(transcoder.skipped(), 1);
}

#[test]
fn a_permission_is_asked_for_and_the_message_goes_on_after_it() {
    let awaiting = other(3, Some(2), r#"{"type":"awaiting","pending_tool_use_id":"c","reason":"tool_permission"}"#);
    let inputs = [RUN, &call(2, 0, "open"), &amended(2, "pending_builtin"), &awaiting, &result(4, Some(2), false)];
    v6_writes(
        &inputs,
        expect![[r#"
            {"type":"start","messageId":"r"}
            {"type":"start-step"}
            {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
            {"type":"tool-approval-request","approvalId":"c","toolCallId":"c"}
            {"type":"finish-step"}
            {"type":"finish","finishReason":"tool-calls"}
            end
            {"type":"start","messageId":"r"}
            {"type":"tool-output-available","toolCallId":"c","output":"found"}
        "#]],
    );
}

#[test]
fn only_a_call_that_waits_for_the_client_is_given_to_it() {
    let awaiting = other(3, Some(2), r#"{"type":"awaiting","pending_tool_use_id":"c","reason":"client_execution"}"#);
    let inputs = [RUN, &call(2, 0, "open"), &amended(2, "pending_client"), &awaiting, &result(4, Some(2), false)];
    v6_writes(
        &inputs,
        expect![[r#"
            {"type":"start","messageId":"r"}
            {"type":"start-step"}
            {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
            {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":false}
            {"type":"finish-step"}
            {"type":"finish","finishReason":"tool-calls"}
            end
            {"type":"start","messageId":"r"}
            {"type":"tool-output-available","toolCallId":"c","output":"found","providerExecuted":false}
        "#]],
    );
    // Read late from the log, the call is answered already.
    v6_writes(
        &[RUN, &call(2, 0, "executed"), &awaiting, &result(4, Some(2), false)],
        expect![[r#"
            {"type":"start","messageId":"r"}
            {"type":"start-step"}
            {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
            {"type":"finish-step"}
            {"type":"finish","finishReason":"tool-calls"}
            end
            {"type":"start","messageId":"r"}
            {"type":"tool-output-available","toolCallId":"c","output":"found","providerExecuted":false}
        "#]],
    );
}

#[test]
fn an_unresolved_call_is_an_error_and_the_run_is_aborted() {
    let cancelled = other(3, None, r#"{"type":"run_finished","exhausted":false,"cause":"cancelled"}"#);
    v6_writes(
        &[RUN, &call(2, 0, "open"), &amended(2, "unresolved"), &cancelled],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"tool-output-error","toolCallId":"c","errorText":"The run ended before this call was answered."}
        {"type":"finish-step"}
        {"type":"abort","reason":"cancelled"}
        end
    "#]],
    );
}

#[test]
fn an_exhausted_run_ends_for_its_length() {
    let exhausted = other(3, None, r#"{"type":"run_finished","exhausted":true,"cause":"max_steps"}"#);
    v6_writes(
        &[RUN, &text(2, 0, "a"), &exhausted],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"length"}
        end
    "#]],
    );
}

#[test]
fn a_failed_run_is_an_error_and_nothing_follows() {
    let failed = other(3, None, r#"{"type":"run_failed","code":"indeterminate","message":"nobody knows"}"#);
    v6_writes(
        &[RUN, &failed, &live_text(0, "late"), FINISHED],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"error","errorText":"indeterminate: nobody knows"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"error"}
        end
    "#]],
    );
}

#[test]
fn the_next_step_ends_the_one_before() {
    v6_writes(
        &[RUN, &text(2, 0, "a"), &live_text(1, "b")],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"b"}
    "#]],
    );
}

#[test]
fn what_is_no_text_goes_as_a_part_or_is_named() {
    let content = r#"{"type":"assistant_message","id":"m","content":[{"type":"text","text":"a"},{"type":"redacted"},{"type":"image","source":{"url":"https://e.org/i.png","media_type":"image/png"}},{"type":"image","source":{"file_id":"f"}},{"type":"search_result","source":"https://e.org","title":"E","content":[]},{"type":"search_result","source":"shelf","title":"S","content":[]},{"type":"hologram"}]}"#;
    v6_writes(
        &[RUN, &said(2, 2, 0, content)],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a\n\n[redacted]\n\n[image]"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"file","url":"https://e.org/i.png","mediaType":"image/png"}
        {"type":"source-url","sourceId":"r-0-0-source-4","url":"https://e.org","title":"E"}
        {"type":"source-document","sourceId":"r-0-0-source-5","mediaType":"text/plain","title":"S","filename":"shelf"}
    "#]],
    );
}

#[test]
fn what_was_to_go_on_before_a_wait_goes_on_in_its_step_after_it() {
    let goes_on = other(3, None, r#"{"type":"continuation","steered":false,"detail":{"cause":"max_tokens"}}"#);
    let waits = other(4, None, r#"{"type":"awaiting","pending_tool_use_id":null,"reason":"manual_pause"}"#);
    let resumed = r#"{"type":"fact","position":{"seq":5,"index":0},"run_id":"r","fact":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":null}}}"#;
    let bare = r#"{"type":"delta","run_id":"r","delta":{"type":"text_delta","delta":"b"}}"#;
    v6_writes(
        &[RUN, &text(2, 0, "a"), &goes_on, &waits, resumed, bare],
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"tool-calls"}
        end
        {"type":"start","messageId":"r"}
        {"type":"text-start","id":"r-live-0"}
        {"type":"text-delta","id":"r-live-0","delta":"b"}
    "#]],
    );
}

#[test]
fn version_7_resets_no_step_that_an_earlier_stream_began() {
    let waits = other(3, None, r#"{"type":"awaiting","pending_tool_use_id":null,"reason":"manual_pause"}"#);
    let resumed = waits.replace("\"seq\":3", "\"seq\":4").replace("\"index\":1", "\"index\":0").replace(
        r#"{"type":"awaiting","pending_tool_use_id":null,"reason":"manual_pause"}"#,
        r#"{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":null}}"#,
    );
    let goes_on = other(5, None, r#"{"type":"continuation","steered":false,"detail":{"cause":"max_tokens"}}"#);
    let further = |event: String| event.replace("\"response\":0", "\"response\":1");
    let (wrong, right) = (further(live_text(0, "wrong")), further(text(6, 0, "right")));
    let inputs = [RUN, &text(2, 0, "a"), &waits, &resumed, &goes_on, &wrong, &right];
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"tool-calls"}
        end
        {"type":"start","messageId":"r"}
        {"type":"text-start","id":"r-0-1"}
        {"type":"text-delta","id":"r-0-1","delta":"wrong"}
        {"type":"text-end","id":"r-0-1"}
        cut
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"text-start","id":"r-0-1"}
        {"type":"text-delta","id":"r-0-1","delta":"right"}
        {"type":"text-end","id":"r-0-1"}
    "#]]
    .assert_eq(&written(v7(), &inputs));
}

#[test]
fn version_7_goes_back_over_no_step_that_was_begun_and_taken_back() {
    let goes_on = other(3, None, r#"{"type":"continuation","steered":false,"detail":{"cause":"max_tokens"}}"#);
    let reset = r#"{"type":"reset","run_id":"r","coordinate":{"run_id":"r","step":1,"response":0}}"#;
    let further = text(4, 0, "b").replace("\"response\":0", "\"response\":1");
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"lost"}
        {"type":"text-end","id":"r-1-0"}
        {"type":"reset-step"}
        cut
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"text-start","id":"r-0-1"}
        {"type":"text-delta","id":"r-0-1","delta":"b"}
        {"type":"text-end","id":"r-0-1"}
    "#]]
    .assert_eq(&written(v7(), &[RUN, &text(2, 0, "a"), &goes_on, &live_text(1, "lost"), reset, &further]));
}

#[test]
fn version_7_resets_the_step_and_version_6_cuts_the_stream() {
    let inputs =
        [RUN, &call(2, 0, "executed"), &result(3, Some(2), false), &live_text(1, "wrong"), &text(4, 1, "right")];
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"tool-output-available","toolCallId":"c","output":"found"}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"wrong"}
        {"type":"text-end","id":"r-1-0"}
        {"type":"reset-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"right"}
        {"type":"text-end","id":"r-1-0"}
    "#]].assert_eq(&written(v7(), &inputs));
    v6_writes(
        &inputs,
        expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"tool-output-available","toolCallId":"c","output":"found"}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"wrong"}
        {"type":"text-end","id":"r-1-0"}
        cut
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"tool-output-available","toolCallId":"c","output":"found"}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"right"}
        {"type":"text-end","id":"r-1-0"}
    "#]],
    );
}
