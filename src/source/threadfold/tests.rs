//! The wire shapes of C1 and C2, by hand.

use super::*;
use crate::follow::{Command, Live, Outcome, ReadError};
use crate::json::{Writer, read, write};
use crate::thread::Block;
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

#[test]
fn every_command_is_the_request_of_the_contract() {
    let key = || "k".to_owned();
    for (command, expected) in [
        (
            Command::Send {
                message_id: "m1".into(),
                content: vec![Block::Text { text: "hello".to_owned() }],
                idempotency_key: key(),
                on_active: OnActive::Queue,
            },
            r#"["send",{"input":{"message_id":"m1","content":[{"type":"text","text":"hello"}]},"idempotency_key":"k","on_active":"queue"}]"#,
        ),
        (
            Command::Resume {
                run_id: Some("r1".into()),
                call_id: Some("c1".into()),
                answer: Answer::Approve { approve: true, reason: None },
                idempotency_key: key(),
            },
            r#"["resume",{"correlation_id":"c1","idempotency_key":"k","approve":true},"r1"]"#,
        ),
        (
            Command::Resume { run_id: Some("r1".into()), call_id: None, answer: Answer::GoOn, idempotency_key: key() },
            r#"["resume",{"correlation_id":"pause","idempotency_key":"k"},"r1"]"#,
        ),
        (Command::Cancel { run_id: Some("r1".into()) }, r#"["cancel",{},"r1"]"#),
    ] {
        let mut w = Writer::new();
        w.array(|w| request(&command, w));
        assert_eq!(w.finish(), expected);
    }
}

#[test]
fn a_success_that_is_no_answer_of_the_contract_is_no_success() {
    let accepted = Accepted { run_id: "r1".into(), message_id: "m1".into(), seq: Some(3) };
    let Outcome::Accepted(all) = response(&write(&accepted)) else { panic!("refused") };
    assert_eq!((all.run_id, all.message_id, all.seq), (Some("r1".into()), Some("m1".into()), Some(3)));
    assert_eq!(response(""), Outcome::Accepted(Default::default()));
    assert_eq!(response("{}"), Outcome::Accepted(Default::default()));
    assert!(matches!(response("<!doctype html>"), Outcome::Network(_)));
}

#[test]
fn what_is_no_page_is_told_from_a_page() {
    let page = r#"{"contract":"threadfold/1","thread_id":"t1","epoch":"e-1","frontier":-1,"has_more":false,"messages":[],"runs":[]}"#;
    assert!(read_page("application/json", page).is_ok());
    let html = read_page("text/html", "<!doctype html>");
    assert!(matches!(html, Err(ReadError::Malformed(said)) if said.starts_with("the answer is text/html")));
    assert!(matches!(read_page("", "{"), Err(ReadError::Malformed(_))));
}

#[test]
fn events_are_read_by_the_protocol_of_their_stream() {
    assert!(matches!(live_event("bye", "{}"), Live::Frame(Frame::Bye(_), _)));
    assert!(matches!(live_event("later", "{}"), Live::Unknown(name) if name == "later"));
    assert!(matches!(live_event("ping", "{"), Live::Malformed(name, _) if name == "ping"));
    let envelope = r#"{"run_id":"r1","kind":{"tier":"delta","event":{"type":"text_delta","delta":"a"}}}"#;
    assert!(matches!(plain_event("message", envelope), Live::Plain(..)));
    assert!(matches!(plain_event("message", "a"), Live::Malformed(..)));
    assert!(matches!(plain_event("opened", envelope), Live::Unknown(_)));
}
