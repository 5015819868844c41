//! The wire shapes of C1 and C2, by hand.

use super::*;
use crate::json::{read, write};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn every_frame_is_written_as_it_was_read() {
    for (name, data) in [
        ("opened", r#"{"contract":"threadfold/1","epoch":"e-1","frontier":-1,"revision":0,"active":null}"#),
        (
            "opened",
            r#"{"contract":"threadfold/1","epoch":"e-1","frontier":2,"revision":4,"active":{"attempt":"a1","started_after":2,"run_id":"r1","step":0,"response":0,"next":3,"deltas":[{"type":"text_delta","delta":"Hello"}]}}"#,
        ),
        ("start", r#"{"attempt":"a1","revision":1,"started_after":-1,"run_id":"r1","step":0,"response":0}"#),
        ("delta", r#"{"attempt":"a1","revision":2,"index":0,"delta":{"type":"text_delta","delta":"Hel"}}"#),
        ("end", r#"{"attempt":"a1","revision":3,"index":1,"outcome":{"kind":"committed","seq":3}}"#),
        ("end", r#"{"attempt":"a1","revision":3,"index":1,"outcome":{"kind":"abandoned"}}"#),
        (
            "committed",
            r#"{"frontier":4,"records":[{"seq":3,"time":7,"run_id":"r1","step":0,"response":0,"message":{"id":"r1-assistant-0","role":"Assistant","content":[]}},{"seq":4,"time":7,"run_id":"r1","state":{"Ended":"NaturalEnd"}}]}"#,
        ),
        ("ping", r#"{"epoch":"e-1","frontier":4,"revision":3}"#),
        ("bye", r#"{"reason":"restart"}"#),
    ] {
        let (frame, _) = Frame::read(name, data).unwrap().unwrap();
        assert_eq!(frame.write(), (name, data.to_owned()));
    }
    assert_eq!(Frame::read("later", "{}").unwrap(), None);
}

#[test]
fn each_answer_of_a_resume_is_told_from_the_others() {
    for json in [
        r#"{"correlation_id":"c","idempotency_key":"k","approve":false,"reason":"no"}"#,
        r#"{"correlation_id":"c","idempotency_key":"k","content":[{"type":"text","text":"a"}],"is_error":true}"#,
        r#"{"correlation_id":"c","idempotency_key":"k"}"#,
    ] {
        assert_eq!(write(&read::<ResumeRequest>(json).unwrap()), json);
    }
}
