//! The ids of A2.2, by hand.

use super::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn ids_decode_relative_to_their_run() {
    let run = RunId::from("r-1");
    for (id, name) in [
        ("r-1-assistant-0", MessageName::Assistant { step: 0 }),
        ("r-1-assistant-10-truncated-2", MessageName::Truncated { step: 10, response: 2 }),
        ("r-1-continuation-10-2", MessageName::Continuation { step: 10, number: 2 }),
        ("r-1-steer-7", MessageName::Steer { number: 7 }),
        ("tool-call_9", MessageName::Tool { call: "call_9" }),
        ("resume-input-call_9", MessageName::ResumeInput { call: "call_9" }),
        ("agent-thread-report-x-1", MessageName::Report),
        ("r-assistant-0", MessageName::Opaque),
        ("r-11-assistant-0", MessageName::Opaque),
        ("r-1assistant-0", MessageName::Opaque),
        ("r-1-assistant-", MessageName::Opaque),
        ("r-1-assistant-01", MessageName::Opaque),
        ("r-1-assistant-1-truncated-", MessageName::Opaque),
        ("r-1-assistant-1-truncated-1-truncated-2", MessageName::Opaque),
        ("r-1-assistant-4294967296", MessageName::Opaque),
        ("r-1-assistant-４", MessageName::Opaque),
        ("r-1-steer-1-2", MessageName::Opaque),
        ("", MessageName::Opaque),
    ] {
        assert_eq!(MessageName::of(&MessageId::from(id), Some(&run)), name, "{id}");
    }
}

#[test]
fn a_run_whose_id_looks_like_a_message_is_still_the_run() {
    let run = RunId::from("tool-x");
    assert_eq!(MessageName::of(&MessageId::from("tool-x-steer-0"), Some(&run)), MessageName::Steer { number: 0 });
    assert_eq!(MessageName::of(&MessageId::from("tool-x-steer-0"), None), MessageName::Tool { call: "x-steer-0" });
}

#[test]
fn turns_that_the_host_made_are_told_from_what_a_person_said() {
    let run = RunId::from("r");
    let injected = |id: &str| MessageName::of(&MessageId::from(id), Some(&run)).is_injected();
    assert!(["r-steer-0", "r-continuation-0-0", "resume-input-c", "agent-thread-report-1"].into_iter().all(injected));
    assert!(!["r-steer", "q-steer-0", "0b57", "tool-c", "r-assistant-0"].into_iter().any(injected));
}
