//! The rules for all protocols.

use super::super::{Framing, frame};
use super::*;
use expect_test::expect;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn half_a_character_waits_for_the_other_and_is_never_sent() {
    let inputs = [RUN, &live_text(0, r"a\ud83d"), &live_text(0, r"\ude00b"), &text(2, 0, "a😀b")];
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-delta","id":"r-0-0","delta":"😀b"}
        {"type":"text-end","id":"r-0-0"}
    "#]]
    .assert_eq(&written(v6(), &inputs));
}

#[test]
fn a_reused_call_id_is_another_call_on_the_wire() {
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"tool-input-start","toolCallId":"c#2","toolName":"search","dynamic":true}
        {"type":"tool-input-delta","toolCallId":"c#2","inputTextDelta":"{}"}
        {"type":"tool-input-available","toolCallId":"c#2","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
    "#]].assert_eq(&written(v7(), &[RUN, &call(2, 0, "open"), &live_call(1, "{}"), &call(3, 1, "open")]));
}

#[test]
fn a_preview_of_a_later_response_waits_for_the_facts_before_it() {
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-delta","id":"r-0-0","delta":"b"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"bc"}
        {"type":"text-delta","id":"r-1-0","delta":"d"}
        {"type":"text-end","id":"r-1-0"}
    "#]]
    .assert_eq(&written(
        v6(),
        &[RUN, &live_text(0, "a"), &live_text(1, "b"), &text(2, 0, "ab"), &live_text(1, "c"), &text(3, 1, "bcd")],
    ));
}

#[test]
fn a_reset_takes_back_what_was_written() {
    let reset = r#"{"type":"reset","run_id":"r","coordinate":{"run_id":"r","step":0,"response":0}}"#;
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"gone"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"reset-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"b"}
        {"type":"text-end","id":"r-0-0"}
    "#]]
    .assert_eq(&written(v7(), &[RUN, &live_text(0, "gone"), reset, &live_text(0, "b"), &text(2, 0, "b")]));
}

#[test]
fn a_previewed_call_that_was_never_committed_is_withdrawn_and_is_no_failure() {
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"tool-input-start","toolCallId":"c","toolName":"search","dynamic":true}
        {"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"reset-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"stop"}
        end
    "#]]
    .assert_eq(&written(v7(), &[RUN, &live_text(0, "a"), &live_call(0, "{"), &text(2, 0, "a"), FINISHED]));
}

#[test]
fn a_replaced_log_cuts_the_stream_and_begins_another() {
    expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TEXT_MESSAGE_START","messageId":"r-0-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-0-0","delta":"a"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-0-0"}
        {"type":"STEP_FINISHED","stepName":"step-0"}
        cut
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"MESSAGES_SNAPSHOT","messages":[]}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TEXT_MESSAGE_START","messageId":"r-0-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-0-0","delta":"b"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-0-0"}
    "#]]
    .assert_eq(&written(ag_ui(), &[RUN, &live_text(0, "a"), r#"{"type":"reset"}"#, RUN, &text(2, 0, "b")]));
}

#[test]
fn joining_in_the_middle_opens_what_is_joined() {
    expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-2"}
        {"type":"TEXT_MESSAGE_START","messageId":"r-2-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-2-0","delta":"in the middle"}
    "#]]
    .assert_eq(&written(ag_ui(), &[&live_text(2, "in the middle")]));
}

#[test]
fn a_preview_without_a_coordinate_keeps_its_id_when_it_is_committed() {
    let bare = r#"{"type":"delta","run_id":"r","delta":{"type":"text_delta","delta":"a"}}"#;
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-live-0"}
        {"type":"text-delta","id":"r-live-0","delta":"a"}
        {"type":"text-delta","id":"r-live-0","delta":"b"}
        {"type":"text-end","id":"r-live-0"}
    "#]]
    .assert_eq(&written(v6(), &[RUN, bare, &text(2, 0, "ab")]));
}

#[test]
fn finish_closes_what_is_open_and_is_no_success() {
    let mut transcoder = ag_ui();
    for input in [RUN, &live_text(0, "a")] {
        transcoder.take(&read::<Input>(input).unwrap());
    }
    let closed: Vec<String> = transcoder.finish().iter().map(|chunk| frame(chunk, Framing::Bare)).collect();
    expect![[r#"
        data: {"type":"TEXT_MESSAGE_END","messageId":"r-0-0"}

        data: {"type":"STEP_FINISHED","stepName":"step-0"}

    "#]]
    .assert_eq(&closed.concat());
}

#[test]
fn frames_have_one_line_of_data_and_each_protocol_its_end() {
    assert_eq!(frame(&Chunk::Event("{}".to_owned()), Framing::Done), "data: {}\n\n");
    assert_eq!(frame(&Chunk::End, Framing::Done), "data: [DONE]\n\n");
    assert_eq!(frame(&Chunk::End, Framing::Bare), "");
    assert_eq!(frame(&Chunk::Cut, Framing::Done), "");
}
