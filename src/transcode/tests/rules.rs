//! The rules for all protocols.

use super::super::same_json::same_json;
use super::super::{Framing, TranscodeOptions, frame, transcoder};
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
fn r09_joining_in_the_middle_opens_what_is_joined() {
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
fn c10_finish_closes_what_is_open_and_is_no_success() {
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
    assert_eq!(frame(&Chunk::Event("{}".to_owned()), Framing::Named), "event: message\ndata: {}\n\n");
    assert_eq!(frame(&Chunk::Event("{}".to_owned()), Framing::Lines), "{}\n");
    assert_eq!(frame(&Chunk::Cut, Framing::Done), "");
}

#[test]
fn a_step_stays_open_across_a_wait_so_that_a_call_of_its_batch_still_reaches_the_client() {
    let second = |disposition: &str| {
        format!(r#"{{"type":"tool_call","id":"d","name":"look","input":{{}},"disposition":"{disposition}"}}"#)
    };
    let waits = other(3, Some(2), r#"{"type":"awaiting","pending_tool_use_id":"c","reason":"tool_permission"}"#);
    let resumed = r#"{"type":"fact","position":{"seq":4,"index":0},"run_id":"r","fact":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":"c"}}}"#;
    let now_the_client_s =
        format!(r#"{{"type":"amend","position":{{"seq":2,"index":4}},"fact":{}}}"#, second("pending_client"));
    let inputs = [
        RUN,
        &call(2, 0, "open"),
        &said(2, 4, 0, &second("open")),
        &amended(2, "pending_builtin"),
        &waits,
        resumed,
        &result(5, Some(2), false),
        &now_the_client_s,
    ];
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"tool-input-available","toolCallId":"d","toolName":"look","input":{},"dynamic":true,"providerExecuted":true}
        {"type":"tool-approval-request","approvalId":"c","toolCallId":"c"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"tool-calls"}
        end
        {"type":"start","messageId":"r"}
        {"type":"tool-output-available","toolCallId":"c","output":"found"}
        {"type":"tool-input-available","toolCallId":"d","toolName":"look","input":{},"dynamic":true,"providerExecuted":false}
    "#]].assert_eq(&written(v6(), &inputs));
}

#[test]
fn a_run_that_failed_or_whose_outcome_nobody_knows_and_a_stream_that_stops_are_no_success_on_any_wire() {
    // Each client's word for an error, and for a success.
    let wires: [(&str, Option<u64>, &str, &str); 6] = [
        ("ai-sdk", Some(6), r#""type":"error","errorText":"#, r#""finishReason":"stop""#),
        ("ai-sdk", Some(7), r#""type":"error","errorText":"#, r#""finishReason":"stop""#),
        ("ag-ui", None, r#""type":"RUN_ERROR""#, r#""type":"success""#),
        ("managed-agents", None, r#""type":"session.error""#, r#""type":"end_turn""#),
        ("acp", None, r#""error":{"#, r#""stopReason""#),
        ("a2a", None, "TASK_STATE_FAILED", "TASK_STATE_COMPLETED"),
    ];
    for (name, version, error, success) in wires {
        let new = || transcoder(name, &TranscodeOptions { version, ..TranscodeOptions::default() }).unwrap().0;
        for code in ["indeterminate", "overloaded"] {
            let failed = other(9, None, &format!(r#"{{"type":"run_failed","code":"{code}","message":"no"}}"#));
            let told = written(new(), &[RUN, &live_text(0, "hal"), &failed]);
            assert!(told.contains(error) && told.contains(code) && !told.contains(success), "{name}: {told}");
        }
        let mut stops = new();
        let mut chunks = Vec::new();
        for input in [RUN, &live_text(0, "hal")] {
            chunks.append(&mut stops.take(&read(input).unwrap()));
        }
        chunks.append(&mut stops.finish());
        assert_eq!(chunks.last(), Some(&Chunk::Cut), "{name}");
        let told = chunks.iter().any(|chunk| matches!(chunk, Chunk::Event(json) if json.contains(success)));
        assert!(!told && !chunks.contains(&Chunk::End), "{name}: {chunks:?}");
    }
}

#[test]
fn inputs_are_the_same_when_they_are_the_same_values() {
    for (one, other) in [
        (r#"{"a":1,"b":[2]}"#, "{ \"b\": [2.0], \"a\": 1e0 }"),
        ("10", "1.0E+1"),
        ("-0.10", "-1e-1"),
        ("0", "-0.0"),
        ("1200", "12e2"),
        (r#""é""#, r#""\u00e9""#),
    ] {
        assert!(same_json(one, other) && same_json(other, one), "{one} and {other}");
    }
    for (one, other) in [
        ("1", "1.1"),
        ("1", "-1"),
        ("12815844532926915242", "12815844532926915243"),
        ("1", "\"1\""),
        ("1e99999999999999999999", "1e99999999999999999998"),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        ("[1,2]", "[2,1]"),
    ] {
        assert!(!same_json(one, other), "{one} and {other}");
    }
}

#[test]
fn what_is_read_late_leaves_the_preview_behind_it_alone() {
    let resumed = r#"{"type":"fact","position":{"seq":4,"index":0},"run_id":"r","fact":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":null}}}"#;
    let inputs = [
        RUN,
        &call(2, 0, "open"),
        &live_text(1, "Hel"),
        &result(3, Some(2), false),
        &live_text(1, "l"),
        resumed,
        &live_text(1, "o"),
        &text(5, 1, "Hello"),
    ];
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"Hel"}
        {"type":"tool-output-available","toolCallId":"c","output":"found"}
        {"type":"text-delta","id":"r-1-0","delta":"l"}
        {"type":"text-delta","id":"r-1-0","delta":"o"}
        {"type":"text-end","id":"r-1-0"}
    "#]].assert_eq(&written(v6(), &inputs));
    expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-0-0"}
        {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"q\":1}"}
        {"type":"TOOL_CALL_END","toolCallId":"c"}
        {"type":"STEP_FINISHED","stepName":"step-0"}
        {"type":"STEP_STARTED","stepName":"step-1"}
        {"type":"TEXT_MESSAGE_START","messageId":"r-1-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-1-0","delta":"Hel"}
        {"type":"TOOL_CALL_RESULT","messageId":"r-result-3-1","toolCallId":"c","content":"found"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-1-0","delta":"l"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-1-0","delta":"o"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-1-0"}
    "#]]
    .assert_eq(&written(ag_ui(), &inputs));
    // What was said outside of the preview is not said again when it is taken back.
    let other = [RUN, &call(2, 0, "open"), &live_text(1, "Hel"), &result(3, Some(2), false), &text(5, 1, "other")];
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"Hel"}
        {"type":"tool-output-available","toolCallId":"c","output":"found"}
        {"type":"text-end","id":"r-1-0"}
        {"type":"reset-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"other"}
        {"type":"text-end","id":"r-1-0"}
    "#]].assert_eq(&written(v7(), &other));
    expect![[r#"
        {"type":"RUN_STARTED","threadId":"t","runId":"r"}
        {"type":"STEP_STARTED","stepName":"step-0"}
        {"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"search","parentMessageId":"r-0-0"}
        {"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"q\":1}"}
        {"type":"TOOL_CALL_END","toolCallId":"c"}
        {"type":"STEP_FINISHED","stepName":"step-0"}
        {"type":"STEP_STARTED","stepName":"step-1"}
        {"type":"TEXT_MESSAGE_START","messageId":"r-1-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-1-0","delta":"Hel"}
        {"type":"TOOL_CALL_RESULT","messageId":"r-result-3-1","toolCallId":"c","content":"found"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-1-0"}
        {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"r-0-0","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"search","arguments":"{\"q\":1}"}}]},{"id":"r-result-3-1","role":"tool","toolCallId":"c","content":"found"}]}
        {"type":"TEXT_MESSAGE_START","messageId":"r-1-0","role":"assistant"}
        {"type":"TEXT_MESSAGE_CONTENT","messageId":"r-1-0","delta":"other"}
        {"type":"TEXT_MESSAGE_END","messageId":"r-1-0"}
    "#]].assert_eq(&written(ag_ui(), &other));
}

#[test]
fn a_wait_that_is_read_late_puts_the_preview_off_and_costs_none_of_it() {
    let waits = other(3, Some(2), r#"{"type":"awaiting","pending_tool_use_id":"c","reason":"tool_permission"}"#);
    let resumed = r#"{"type":"fact","position":{"seq":4,"index":0},"run_id":"r","fact":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":"c"}}}"#;
    let inputs = [
        RUN,
        &call(2, 0, "open"),
        &live_text(1, "Hel"),
        &amended(2, "pending_builtin"),
        &live_text(1, "l"),
        &waits,
        resumed,
        &live_text(1, "o"),
        &result(5, Some(2), false),
        &text(6, 1, "Hello"),
    ];
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"tool-input-available","toolCallId":"c","toolName":"search","input":{"q":1},"dynamic":true,"providerExecuted":true}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"Hel"}
        {"type":"text-end","id":"r-1-0"}
        {"type":"reset-step"}
        {"type":"tool-approval-request","approvalId":"c","toolCallId":"c"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"Hell"}
        {"type":"text-end","id":"r-1-0"}
        {"type":"reset-step"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"tool-calls"}
        end
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"Hell"}
        {"type":"text-delta","id":"r-1-0","delta":"o"}
        {"type":"tool-output-available","toolCallId":"c","output":"found"}
        {"type":"text-end","id":"r-1-0"}
    "#]].assert_eq(&written(v7(), &inputs));
}

#[test]
fn a_run_of_which_the_log_never_said_how_it_ended_is_cut_when_the_next_begins() {
    let next = r#"{"type":"fact","position":{"seq":5,"index":0},"run_id":"s","fact":{"type":"run_started"}}"#;
    let finished = r#"{"type":"fact","position":{"seq":6,"index":1},"run_id":"s","fact":{"type":"run_finished","exhausted":false,"cause":"natural_end"}}"#;
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"hal"}
        {"type":"text-end","id":"r-0-0"}
        cut
        {"type":"start","messageId":"s"}
        {"type":"start-step"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"stop"}
        end
    "#]]
    .assert_eq(&written(v6(), &[RUN, &live_text(0, "hal"), next, finished]));
}

#[test]
fn a_fact_of_the_run_before_is_never_lost_to_a_preview_of_the_next() {
    let next = r#"{"type":"delta","run_id":"s","coordinate":{"run_id":"s","step":0,"response":0},"delta":{"type":"text_delta","delta":"b"}}"#;
    let begins = r#"{"type":"fact","position":{"seq":10,"index":0},"run_id":"s","fact":{"type":"run_started"}}"#;
    let waits = other(3, None, r#"{"type":"awaiting","pending_tool_use_id":null,"reason":"manual_pause"}"#);
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
        {"type":"finish-step"}
        {"type":"finish","finishReason":"stop"}
        end
        {"type":"start","messageId":"s"}
        {"type":"start-step"}
        {"type":"text-start","id":"s-0-0"}
        {"type":"text-delta","id":"s-0-0","delta":"bb"}
        {"type":"text-delta","id":"s-0-0","delta":"b"}
    "#]]
    .assert_eq(&written(v6(), &[RUN, next, &text(2, 0, "a"), &waits, next, FINISHED, begins, next]));
    // Nor to one that came before the whole log.
    expect![[r#"
        {"type":"start","messageId":"s"}
        {"type":"start-step"}
        {"type":"text-start","id":"s-0-0"}
        {"type":"text-delta","id":"s-0-0","delta":"b"}
        {"type":"text-end","id":"s-0-0"}
        cut
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"finish","finishReason":"stop"}
        end
        {"type":"start","messageId":"s"}
        {"type":"start-step"}
        {"type":"text-start","id":"s-0-0"}
        {"type":"text-delta","id":"s-0-0","delta":"b"}
    "#]]
    .assert_eq(&written(v6(), &[next, RUN, &text(2, 0, "a"), FINISHED, begins]));
}

#[test]
fn a_step_that_was_left_for_a_preview_is_written_again_where_version_7_can_t_open_it() {
    let more = r#"{"type":"fact","position":{"seq":3,"index":2},"run_id":"r","message_id":"m3","coordinate":{"run_id":"r","step":0,"response":1},"fact":{"type":"assistant_message","id":"m3","content":[{"type":"text","text":"b"}]}}"#;
    expect![[r#"
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"c"}
        {"type":"text-end","id":"r-1-0"}
        cut
        {"type":"start","messageId":"r"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-0-0"}
        {"type":"text-delta","id":"r-0-0","delta":"a"}
        {"type":"text-end","id":"r-0-0"}
        {"type":"text-start","id":"r-0-1"}
        {"type":"text-delta","id":"r-0-1","delta":"b"}
        {"type":"text-end","id":"r-0-1"}
        {"type":"finish-step"}
        {"type":"start-step"}
        {"type":"text-start","id":"r-1-0"}
        {"type":"text-delta","id":"r-1-0","delta":"c"}
        {"type":"text-end","id":"r-1-0"}
    "#]]
    .assert_eq(&written(v7(), &[RUN, &text(2, 0, "a"), &live_text(1, "c"), more, &text(4, 1, "c")]));
}

#[test]
fn what_was_taken_back_leaves_its_id_to_no_other_response() {
    let bare = r#"{"type":"delta","run_id":"r","delta":{"type":"text_delta","delta":"x"}}"#;
    let reset = r#"{"type":"reset","run_id":"r"}"#;
    let written = written(v7(), &[RUN, bare, reset, bare, &text(2, 0, "x")]);
    assert!(written.contains(r#""id":"r-live-0""#) && written.contains(r#""text-end","id":"r-live-1""#), "{written}");
}
