//! The wire shapes of C1 and C2, by hand.

use super::*;
use crate::follow::{Command, Fetch, Live, Outcome, ReadError, ReadId};
use crate::json::{read, write};
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
    for (command, path, body) in [
        (
            Command::Send {
                message_id: "m1".into(),
                content: vec![Block::Text { text: "hello".to_owned() }],
                idempotency_key: key(),
                on_active: OnActive::Queue,
            },
            "runs",
            Some(
                r#"{"input":{"message_id":"m1","content":[{"type":"text","text":"hello"}]},"idempotency_key":"k","on_active":"queue"}"#,
            ),
        ),
        (
            Command::Resume {
                run_id: Some("r 1/..".into()),
                call_id: Some("c1".into()),
                answer: Answer::Approve { approve: true, reason: None },
                idempotency_key: key(),
            },
            "runs/r%201%2F../resume",
            Some(r#"{"correlation_id":"c1","idempotency_key":"k","approve":true}"#),
        ),
        (
            Command::Resume { run_id: Some("r1".into()), call_id: None, answer: Answer::GoOn, idempotency_key: key() },
            "runs/r1/resume",
            Some(r#"{"correlation_id":"pause","idempotency_key":"k"}"#),
        ),
        (Command::Cancel { run_id: Some("r1".into()) }, "runs/r1/cancel", None),
    ] {
        let expected = HttpRequest { method: "POST", path: path.to_owned(), body: body.map(str::to_owned) };
        assert_eq!(request(&command), expected);
    }
}

#[test]
fn a_success_that_is_no_answer_of_the_contract_is_no_success() {
    let accepted = Accepted { run_id: "r1".into(), message_id: "m1".into(), seq: Some(3) };
    let Outcome::Accepted(all) = response(202, None, &write(&accepted)) else { panic!("refused") };
    assert_eq!((all.run_id, all.message_id, all.seq), (Some("r1".into()), Some("m1".into()), Some(3)));
    assert_eq!(response(202, None, ""), Outcome::Accepted(Default::default()));
    assert_eq!(response(202, None, "{}"), Outcome::Accepted(Default::default()));
    assert!(matches!(response(200, None, "<!doctype html>"), Outcome::Network(_)));
}

#[test]
fn a_refused_command_says_what_the_host_said() {
    let body = r#"{"error":{"code":"run_active","message":"A run is active."}}"#;
    assert_eq!(
        response(409, Some(500), body),
        Outcome::Refused {
            status: 409,
            retry_after: Some(500),
            code: "run_active".to_owned(),
            message: "A run is active.".to_owned(),
        }
    );
    let silent = Outcome::Refused { status: 503, retry_after: None, code: String::new(), message: String::new() };
    assert_eq!(response(503, None, "<html>"), silent);
}

#[test]
fn a_committed_read_asks_for_what_it_lacks() {
    let fetch = |after, epoch: Option<&str>| {
        fetch_query(&Fetch { id: ReadId(1), after, limit: 200, epoch: epoch.map(Into::into), through: None })
    };
    assert_eq!(fetch(None, None), "committed?after=-1&limit=200");
    assert_eq!(fetch(Some(58), Some("e&1")), "committed?after=58&limit=200&epoch=e%261");
}

#[test]
fn what_is_no_page_is_told_from_a_page() {
    let page = r#"{"contract":"threadfold/1","thread_id":"t1","epoch":"e-1","frontier":-1,"has_more":false,"messages":[],"runs":[]}"#;
    assert!(read_page(200, None, "application/json; charset=utf-8", page).is_ok());
    let html = read_page(200, None, "text/html; charset=utf-8", "<!doctype html>");
    assert!(matches!(html, Err(ReadError::Malformed(said)) if said.starts_with("the answer is text/html")));
    assert!(matches!(read_page(200, None, "application/json", "{"), Err(ReadError::Malformed(_))));
    let refused = read_page(404, None, "application/json", r#"{"error":{"code":"no_thread","message":""}}"#);
    let expected = ReadError::Refused { status: 404, retry_after: None, code: Some("no_thread".to_owned()) };
    assert_eq!(refused, Err(expected));
    let busy = ReadError::Refused { status: 503, retry_after: Some(2000), code: None };
    assert_eq!(read_page(503, Some(2000), "text/html", "busy"), Err(busy));
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

#[test]
fn addresses_and_headers_are_read_and_made_with_care() {
    assert_eq!(thread_address("/v1/", "a/b ü"), "/v1/threads/a%2Fb%20%C3%BC");
    let fault = [("fault".to_owned(), "cut:9".to_owned()), ("n".to_owned(), "1".to_owned())];
    assert_eq!(with_query("/live".to_owned(), &fault), "/live?fault=cut%3A9&n=1");
    assert_eq!(with_query("/committed?after=1".to_owned(), &fault[1..]), "/committed?after=1&n=1");
    assert!(is_event_stream("text/event-stream; charset=utf-8") && is_event_stream("Text/Event-Stream"));
    assert!(!is_event_stream("text/html") && !is_event_stream(""));
    assert_eq!((retry_after(" 3 "), retry_after("Wed, 21 Oct 2026 07:28:00 GMT")), (Some(3000), None));
}
