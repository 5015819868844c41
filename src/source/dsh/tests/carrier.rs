//! The carrier: what is opened, sent and called, and what is told to the engine.

use crate::follow::{
    Answer as Given, Closed, Command, CommandId, Fetch, Generation, Input, Live, OnActive, Outcome, ReadError, ReadId,
};
use crate::source::dsh::{Act, Answer, Carrier, Options, create_session, created, list_sessions, listed};
use crate::thread::Block;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const ONE: Generation = Generation(1);
const TWO: Generation = Generation(2);

fn carrier() -> Carrier {
    Carrier::new(Options { session: "s".to_owned(), max_messages: 50 })
}

/// What is to be done, as lines; texts and bodies as the JSON that they are.
fn acts(carrier: &mut Carrier) -> Vec<String> {
    std::iter::from_fn(|| carrier.poll())
        .map(|act| match act {
            Act::Connect { socket } => format!("connect {socket}"),
            Act::Send { text, .. } => {
                let text: Value = serde_json::from_str(&text).unwrap();
                let endpoint = text["endpoint"].as_str().unwrap_or_default();
                format!("{} {} {endpoint}", text["type"].as_str().unwrap(), text["streamId"].as_str().unwrap())
                    .trim()
                    .to_owned()
            }
            Act::Disconnect { socket } => format!("disconnect {socket}"),
            Act::Post(call) => format!("call {} {}", call.id, call.method),
            Act::Tell(input) => match *input {
                Input::Live(generation, Live::Closed(closed)) => format!("{} closed {closed:?}", generation.0),
                Input::Live(generation, Live::Malformed(_, error)) => format!("{} {}", generation.0, error.code()),
                Input::Live(generation, live) => {
                    let name = format!("{live:?}");
                    format!("{} {}", generation.0, name.split(['(', ' ']).next().unwrap())
                }
                other => format!("{other:?}"),
            },
        })
        .collect()
}

/// A carrier that follows on an open socket.
fn following() -> Carrier {
    let mut carrier = carrier();
    carrier.open(ONE);
    carrier.opened(1, 0);
    acts(&mut carrier);
    carrier
}

fn text(carrier: &mut Carrier, stream: &str, kind: &str, value: &Value) -> Vec<String> {
    let key = if kind == "error" { "error" } else { "value" };
    carrier.text(1, &json!({"type": kind, "streamId": stream, key: value}).to_string(), 5);
    acts(carrier)
}

fn ok(status: u16, body: &str) -> Result<Answer, String> {
    let content_type = if body.starts_with('<') { "text/html" } else { "application/json" }.to_owned();
    Ok(Answer { status, retry_after: None, content_type, body: body.to_owned() })
}

#[test]
fn an_opening_connects_and_follows_under_fresh_ids() {
    let mut carrier = carrier();
    carrier.open(ONE);
    assert_eq!(acts(&mut carrier), ["connect 1"]);
    carrier.opened(1, 0);
    assert_eq!(acts(&mut carrier), ["open events-1 $events", "open follow-2 session/follow", "1 Accepted"]);
    carrier.close(ONE, 10);
    carrier.open(TWO);
    assert_eq!(acts(&mut carrier), ["cancel follow-2", "open follow-3 session/follow", "2 Accepted"]);
    // What is left of the stream that was cancelled is ignored.
    assert!(text(&mut carrier, "follow-2", "item", &json!({"type": "event"})).is_empty());
    carrier.close(TWO, 20_000);
    assert_eq!(acts(&mut carrier), ["cancel follow-3", "disconnect 1"], "a socket that was silent may be half open");
    carrier.open(Generation(3));
    assert_eq!(acts(&mut carrier), ["connect 2"]);
}

#[test]
fn whether_the_socket_is_alive_is_asked_by_an_opening_that_the_host_refuses_at_once() {
    let mut carrier = following();
    carrier.knock(ONE);
    let Some(Act::Send { socket: 1, text: sent }) = carrier.poll() else { panic!("a text") };
    assert_eq!(sent, r#"{"type":"open","streamId":"knock-3","endpoint":"session/follow","payload":{"args":{}}}"#);
    assert!(carrier.poll().is_none());
    // The shipping host's answer.
    let details = json!({"endpoint": "session/follow", "missing": ["request"]});
    let error = json!({"code": "gateway/arguments-invalid", "message": "m", "details": details});
    assert_eq!(text(&mut carrier, "knock-3", "error", &error), ["1 Activity"]);
    // The session's stream goes on, and each question is one of its own.
    assert_eq!(text(&mut carrier, "follow-2", "item", &json!({"type": "weather"})), ["1 Unknown"]);
    carrier.knock(ONE);
    assert_eq!(acts(&mut carrier), ["open knock-4 session/follow"]);
    // Of an opening that is over nothing is asked, and a late answer is one of the socket's all the same.
    carrier.close(ONE, 10);
    carrier.knock(ONE);
    assert_eq!(acts(&mut carrier), ["cancel follow-2"]);
    assert!(text(&mut carrier, "knock-4", "error", &error).is_empty());
    carrier.open(TWO);
    acts(&mut carrier);
    assert_eq!(text(&mut carrier, "knock-4", "error", &error), ["2 Activity"]);
}

#[test]
fn a_socket_that_gave_no_answer_is_not_used_again() {
    let mut carrier = following();
    carrier.knock(ONE);
    acts(&mut carrier);
    carrier.close(ONE, 75_000);
    carrier.open(TWO);
    assert_eq!(acts(&mut carrier), ["cancel follow-2", "disconnect 1", "connect 2"]);
}

#[test]
fn a_socket_that_is_given_up_is_closed_and_the_next_opening_makes_another() {
    let mut carrier = following();
    carrier.disconnect();
    carrier.close(ONE, 10);
    assert_eq!(acts(&mut carrier), ["disconnect 1"]);
    assert!(text(&mut carrier, "follow-2", "item", &json!({"type": "weather"})).is_empty());
    carrier.open(TWO);
    carrier.opened(2, 20);
    assert_eq!(
        acts(&mut carrier),
        ["connect 2", "open events-3 $events", "open follow-4 session/follow", "2 Accepted"]
    );
}

#[test]
fn the_follow_request_is_the_hosts_own() {
    let mut carrier = carrier();
    carrier.open(ONE);
    carrier.opened(1, 0);
    let sent = std::iter::from_fn(|| carrier.poll()).filter_map(|act| match act {
        Act::Send { text, .. } => Some(text),
        _ => None,
    });
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [
            r#"{"type":"open","streamId":"events-1","endpoint":"$events","payload":{"args":{}}}"#,
            r#"{"type":"open","streamId":"follow-2","endpoint":"session/follow","payload":{"args":{"request":{"address":{"kind":"session","sessionId":"s"},"assistantStream":true,"maxMessages":50}}}}"#,
        ]
    );
}

#[test]
fn an_opening_asks_for_no_fewer_messages_than_came_so_far() {
    let asked = |carrier: &mut Carrier| {
        let sent = std::iter::from_fn(|| carrier.poll()).filter_map(|act| match act {
            Act::Send { text, .. } => {
                serde_json::from_str::<Value>(&text).unwrap().pointer("/payload/args/request/maxMessages").cloned()
            }
            _ => None,
        });
        sent.last().unwrap()
    };
    let said = |seq: u64| {
        let data = json!({"id": "m", "role": "user", "content": []});
        json!({"type": "event", "event": {"type": "user/message", "seq": seq, "time": 1, "data": data, "surfaceOp": "append"}})
    };
    let noted =
        json!({"type": "event", "event": {"type": "step/start", "seq": 2, "time": 1, "data": {"turn": 1, "step": 1}}});
    let mut carrier = Carrier::new(Options { session: "s".to_owned(), max_messages: 2 });
    carrier.open(ONE);
    carrier.opened(1, 0);
    assert_eq!(asked(&mut carrier), 2);
    let snapshot =
        json!({"type": "snapshot", "header": {"id": "s", "version": 4}, "cursor": 1, "records": [said(0), said(1)]});
    let message = json!({"id": "m", "role": "assistant", "content": []});
    let data = json!({"turn": 1, "step": 1, "message": message, "stream": []});
    let answered = json!({"type": "event", "event": {"type": "assistant/message", "seq": 5, "time": 1, "data": data, "surfaceOp": "append"}});
    let data = json!({"turn": 1, "step": 1, "stream": []});
    let failed = json!({"type": "event", "event": {"type": "assistant/attempt", "seq": 6, "time": 1, "data": data}});
    for (seq, item) in [snapshot, noted, said(3), said(4), answered, failed].iter().enumerate() {
        assert!(!text(&mut carrier, "follow-2", "item", item).is_empty(), "{seq}");
    }
    carrier.close(ONE, 5);
    carrier.open(TWO);
    assert_eq!(asked(&mut carrier), 5, "an answer is a message, and the trace of a failure is none");
    // What a page brings counts as well.
    carrier.fetch(&Fetch { id: ReadId(1), after: None, limit: 500, epoch: None, through: Some(4) });
    let records: Vec<Value> = (0..9).map(said).collect();
    carrier.answered(0, ok(200, &json!({"result": {"ok": true, "value": {"records": records}}}).to_string()));
    carrier.close(TWO, 5);
    carrier.open(Generation(3));
    assert_eq!(asked(&mut carrier), 9);
}

#[test]
fn an_end_an_error_and_a_lost_socket_end_the_opening_by_name() {
    let gone = json!({"code": "session/not-found", "message": "m"});
    let other = json!({"code": "gateway/input-invalid", "message": "m"});
    for (kind, value, told) in [
        ("end", Value::Null, "1 closed Lost"),
        ("error", gone, "1 closed Refused { status: 404, retry_after: None }"),
        ("error", other, r#"1 closed Failed { code: "gateway/input-invalid", message: "m" }"#),
    ] {
        assert_eq!(text(&mut following(), "follow-2", kind, &value), [told]);
    }
    for (code, told) in [(1006, "1 closed Lost"), (1008, r#"1 closed Failed { code: "policy", message: "why" }"#)] {
        let mut carrier = following();
        carrier.closed(1, code, "why");
        assert_eq!(acts(&mut carrier), [told]);
    }
    let mut carrier = following();
    carrier.text(1, "<html>", 5);
    carrier.text(1, r#"{"type":"item"}"#, 5);
    assert_eq!(acts(&mut carrier), ["1 json_syntax", "1 json_missing_key"]);
    assert_eq!(text(&mut carrier, "follow-2", "item", &json!({"type": "weather"})), ["1 Unknown"]);
}

#[test]
fn why_a_socket_could_not_be_opened_is_asked_by_a_call() {
    for (answer, told) in [
        (ok(401, ""), Closed::Refused { status: 401, retry_after: None }),
        (ok(503, ""), Closed::Refused { status: 503, retry_after: None }),
        (ok(200, "<html>"), Closed::NotAStream("text/html".to_owned())),
        (ok(404, "<html>"), Closed::NotAStream("text/html".to_owned())),
        (ok(200, "{}"), Closed::Lost),
        (Err("no network".to_owned()), Closed::Lost),
    ] {
        let mut carrier = carrier();
        carrier.open(ONE);
        acts(&mut carrier);
        carrier.closed(1, 1006, "");
        assert_eq!(acts(&mut carrier), ["call 0 session/projections"]);
        carrier.answered(0, answer);
        assert_eq!(acts(&mut carrier), [format!("1 closed {told:?}")]);
    }
}

#[test]
fn a_read_asks_for_the_newest_rows_up_to_a_seq_and_its_answer_is_a_window() {
    let fetch = Fetch { id: ReadId(4), after: None, limit: 500, epoch: None, through: Some(9) };
    let mut carrier = following();
    carrier.fetch(&fetch);
    let Some(Act::Post(call)) = carrier.poll() else { panic!("a call") };
    assert_eq!(
        call.body,
        r#"{"type":"client-request","rpcId":"call-0","method":"session/page","payload":{"args":{"request":{"address":{"kind":"session","sessionId":"s"},"throughSeq":9,"maxMessages":500}}}}"#
    );
    carrier.answered(call.id, ok(200, r#"{"result":{"ok":true,"value":{"records":[],"hasMore":true}}}"#));
    let Some(Act::Tell(input)) = carrier.poll() else { panic!("an input") };
    assert!(matches!(*input, Input::Window(ReadId(4), Ok((ref window, _))) if window.has_more));
    for (answer, status) in [
        (ok(403, ""), Some(403)),
        (ok(200, r#"{"result":{"ok":false,"error":{"code":"session/not-found"}}}"#), Some(404)),
        (ok(200, "<html>"), None),
        (Err("cut".to_owned()), None),
    ] {
        carrier.fetch(&fetch);
        let Some(Act::Post(call)) = carrier.poll() else { panic!("a call") };
        carrier.answered(call.id, answer);
        let Some(Act::Tell(input)) = carrier.poll() else { panic!("an input") };
        let Input::Window(_, Err(error)) = *input else { panic!("{input:?}") };
        let found = match error {
            ReadError::Refused { status, .. } => Some(status),
            ReadError::Network(_) | ReadError::Malformed(_) => None,
        };
        assert_eq!(found, status);
    }
}

fn send(on_active: OnActive) -> Command {
    let content = vec![Block::Text { text: "hello".to_owned() }];
    Command::Send { message_id: "m1".into(), content, idempotency_key: "k".to_owned(), on_active }
}

#[test]
fn a_send_is_a_prompt_and_a_cancel_before_it_is_a_call_of_its_own() {
    let mut carrier = following();
    carrier.request(CommandId(1), &send(OnActive::Queue));
    let Some(Act::Post(call)) = carrier.poll() else { panic!("a call") };
    assert_eq!(
        call.body,
        r#"{"type":"client-request","rpcId":"call-0","method":"session/prompt","payload":{"args":{"request":{"requestId":"m1","sessionId":"s","mode":"queue","content":[{"type":"text","text":"hello"}]}}}}"#
    );
    carrier.answered(0, ok(200, r#"{"result":{"ok":true,"value":{"accepted":true}}}"#));
    assert!(
        matches!(carrier.poll(), Some(Act::Tell(input)) if matches!(*input, Input::Response(_, Outcome::Accepted(_))))
    );
    carrier.request(CommandId(4), &send(OnActive::Steer));
    let Some(Act::Post(call)) = carrier.poll() else { panic!("a call") };
    assert!(call.body.contains(r#""mode":"steer""#), "{}", call.body);
    carrier.request(CommandId(2), &send(OnActive::Cancel));
    assert_eq!(acts(&mut carrier), ["call 2 session/cancel"]);
    // Nothing was there to cancel.
    carrier.answered(2, ok(200, r#"{"result":{"ok":false,"error":{"code":"session/not-found"}}}"#));
    assert_eq!(acts(&mut carrier), ["call 3 session/prompt"]);
    carrier.answered(3, ok(200, r#"{"result":{"ok":false,"error":{"code":"gateway/bad-request","message":"m"}}}"#));
    let Some(Act::Tell(input)) = carrier.poll() else { panic!("an input") };
    assert!(
        matches!(*input, Input::Response(CommandId(2), Outcome::Refused { ref code, .. }) if code == "gateway/bad-request")
    );
    carrier.answered(3, ok(200, "{}"));
    assert!(carrier.poll().is_none(), "an answer that nobody waits for is ignored");
}

#[test]
fn sessions_are_made_and_listed_as_the_recordings_show() {
    let call = create_session(3, "/project");
    assert_eq!(
        (call.method, &*call.body),
        (
            "session/create",
            r#"{"type":"client-request","rpcId":"call-3","method":"session/create","payload":{"args":{"request":{"cwd":"/project"}}}}"#
        )
    );
    let answer = ok(
        200,
        r#"{"type":"server-response","result":{"ok":true,"value":{"sessionId":"s","agentPreset":"standard"}}}"#,
    );
    assert_eq!(created(&answer.unwrap()).unwrap(), "s");
    let call = list_sessions(4);
    assert!(call.body.ends_with(r#""method":"session/list","payload":{"args":{"_request":{}}}}"#), "{}", call.body);
    let answer = ok(
        200,
        r#"{"result":{"ok":true,"value":{"items":[{"sessionId":"s","updatedAt":5,"running":true,"cwd":"/p","projections":{}}]}}}"#,
    );
    let sessions = listed(&answer.unwrap()).unwrap();
    assert_eq!((sessions.len(), &*sessions[0].sessionId, sessions[0].running), (1, "s", true));
    for (body, code) in [
        (r#"{"result":{"ok":false,"error":{"code":"gateway/bad-request","message":"m"}}}"#, "gateway/bad-request"),
        ("<html>", "json_syntax"),
        (r#"{"result":{"ok":true,"value":{}}}"#, "json_missing_key"),
    ] {
        assert_eq!(created(&ok(200, body).unwrap()).unwrap_err().code, code);
    }
}

#[test]
fn an_approval_answers_the_question_that_the_host_asked_this_client() {
    let resume = |call: Option<&str>, answer: Given| Command::Resume {
        run_id: None,
        call_id: call.map(Into::into),
        answer,
        idempotency_key: "k".to_owned(),
    };
    let yes = || Given::Approve { approve: true, reason: None };
    let no = || Given::Approve { approve: false, reason: None };
    let mut carrier = following();
    text(&mut carrier, "events-1", "item", &json!({"type": "ready", "clientId": "me", "host": {}}));
    for (event, agent, call) in [("e1", "other", "c1"), ("e2", "s", "c1"), ("e3", "s", "c2")] {
        let question = json!({"type": "waterfall", "event": "approval/request", "eventId": event, "agentId": agent, "request": {"callId": call}});
        text(&mut carrier, "events-1", "item", &question);
    }
    carrier.request(CommandId(1), &resume(Some("c1"), yes()));
    let Some(Act::Post(call)) = carrier.poll() else { panic!("a call") };
    assert_eq!(
        call.body,
        r#"{"type":"client-request","rpcId":"call-0","method":"$events/result","payload":{"args":{"clientId":"me","eventId":"e2","outcome":{"kind":"result","value":"allowed-once"}}}}"#
    );
    carrier.answered(0, ok(200, r#"{"result":{"ok":true}}"#));
    assert!(
        matches!(carrier.poll(), Some(Act::Tell(input)) if matches!(*input, Input::Response(_, Outcome::Accepted(_))))
    );
    carrier.request(CommandId(2), &resume(None, no()));
    let Some(Act::Post(call)) = carrier.poll() else { panic!("a call") };
    assert!(call.body.contains(r#""eventId":"e3","outcome":{"kind":"result","value":"rejected"}"#), "{}", call.body);
    for (command, code) in
        [(resume(Some("c1"), yes()), "nothing_pending"), (resume(None, Given::GoOn), "unsupported_answer")]
    {
        carrier.request(CommandId(3), &command);
        let Some(Act::Tell(input)) = carrier.poll() else { panic!("an input") };
        assert!(matches!(*input, Input::Response(_, Outcome::Refused { code: ref found, .. }) if found == code));
    }
}
