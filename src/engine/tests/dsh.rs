//! What a dsh session means: Facts and view, from recordings of the shipping host and from events by hand (B2).

mod compaction;

use super::super::{Effect, Engine};
use crate::follow::{Command, CommandId, Generation, Input, Live, OnActive, Options, Outcome, Protocol, ReadId, Wake};
use crate::json::Notes;
use crate::source::dsh::{read_item, read_window};
use crate::thread::Block;
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const TOOL: &str = include_str!("../../../tests/fixtures/dsh/c_tool.jsonl");
const RETRY: &str = include_str!("../../../tests/fixtures/dsh/e_retry_twice.jsonl");
const FATAL: &str = include_str!("../../../tests/fixtures/dsh/e_fatal_http400.jsonl");
const CANCEL: &str = include_str!("../../../tests/fixtures/dsh/f_cancel_text.jsonl");
const KILLED: &str = include_str!("../../../tests/fixtures/dsh/g_kill_restart.jsonl");
const TOKENS: &str = include_str!("../../../tests/fixtures/dsh/n_max_tokens.jsonl");
const APPROVAL: &str = include_str!("../../../tests/fixtures/dsh/o_approval.jsonl");

/// A session, followed by hand.
struct Session {
    engine: Engine,
    generation: u32,
    facts: Vec<String>,
    anomalies: Vec<&'static str>,
    /// How many commands the host was sent.
    requests: u32,
    /// The render keys of all previews, in order of appearance.
    keys: Vec<String>,
}

impl Session {
    fn new() -> Self {
        let options =
            Options { protocol: Protocol::Dsh, thread_id: None, renewable: false, watchdog: false, initial: None };
        let mut session = Self {
            engine: Engine::new(options),
            generation: 0,
            facts: vec![],
            anomalies: vec![],
            requests: 0,
            keys: vec![],
        };
        session.engine.listen(true);
        session.give(Input::Connect);
        session
    }

    /// The first session that the first client of a recording follows, up to its end.
    fn of(recording: &str) -> Self {
        let mut session = Self::new();
        let (mut conn, mut stream) = (None, None);
        for line in recording.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let frame = &line["frame"];
            if line["dir"] == "send" && frame["endpoint"] == "session/follow" && conn.is_none() {
                (conn, stream) = (Some(line["conn"].clone()), Some(frame["streamId"].clone()));
            } else if line["dir"] == "recv"
                && Some(&line["conn"]) == conn.as_ref()
                && Some(&frame["streamId"]) == stream.as_ref()
            {
                session.item(&frame["value"].to_string());
            }
        }
        session
    }

    fn give(&mut self, input: Input) {
        self.engine.handle(input, 1_000_000, 7);
        while let Some(effect) = self.engine.poll() {
            match effect {
                Effect::OpenLive(generation) => self.generation = generation.0,
                Effect::Anomaly(anomaly) => self.anomalies.push(anomaly.code),
                Effect::Request(..) => self.requests += 1,
                Effect::CloseLive(_) | Effect::Knock(_) | Effect::Fetch(_) | Effect::Done(..) => {}
            }
        }
        let events: Vec<Value> =
            self.engine.take_events().map(|events| serde_json::from_str(&events).unwrap()).unwrap_or_default();
        self.facts.extend(events.iter().filter_map(fact));
    }

    fn item(&mut self, value: &str) {
        let (item, notes) = read_item(value).unwrap().unwrap();
        assert_eq!(notes, Notes::default(), "{value}");
        self.give(Input::Live(Generation(self.generation), Live::Dsh(item, notes)));
        let items = self.items();
        for preview in items.iter().filter(|item| item["origin"] == "preview" && item["kind"] == "assistant") {
            let key = preview["key"].as_str().unwrap().to_owned();
            if !self.keys.contains(&key) {
                self.keys.push(key);
            }
        }
    }

    /// Opens a log that is empty so far.
    fn open(&mut self) {
        self.snapshot(-1, &[], &json!({"revision": 0}));
    }

    fn snapshot(&mut self, cursor: i64, events: &[Value], stream: &Value) {
        let records: Vec<Value> = events.iter().map(|event| json!({"type": "event", "event": event})).collect();
        self.item(
            &json!({
                "type": "snapshot", "header": {"version": 4, "id": "s"}, "cursor": cursor, "records": records, "hasMore": false,
                "projections": {"values": {"inbox": {"next-turn": [], "next-step": []}}}, "assistantStream": stream,
            })
            .to_string(),
        );
    }

    fn event(&mut self, event: &Value) {
        self.item(&json!({"type": "event", "event": event}).to_string());
    }

    fn items(&mut self) -> Vec<Value> {
        let whole: Value = serde_json::from_str(&self.engine.whole()).unwrap();
        whole["view"]["items"].as_array().unwrap().clone()
    }

    /// The items of the view, each as its kind and what tells it from others.
    fn view(&mut self) -> Vec<String> {
        self.items().iter().map(line).collect()
    }
}

/// A Fact or an amendment, as a line.
fn fact(event: &Value) -> Option<String> {
    let fact = &event["fact"];
    let run = event["run_id"].as_str().unwrap_or("amend");
    let text = |key: &str| fact[key].as_str().unwrap_or("null").to_owned();
    let kind = fact["type"].as_str()?;
    let rest = match kind {
        "tool_call" => format!("{} {}", text("name"), text("disposition")),
        "tool_result" => format!("is_error {}", fact["is_error"]),
        "awaiting" => format!("{} {}", text("reason"), text("pending_tool_use_id")),
        "continuation" => fact["detail"]["cause"].as_str().unwrap_or_default().to_owned(),
        "run_finished" => format!("{} exhausted {}", text("cause"), fact["exhausted"]),
        "run_failed" => format!("{} {}", text("code"), text("message")),
        _ => String::new(),
    };
    Some(format!("{run} {kind} {rest}").trim_end().to_owned())
}

fn line(item: &Value) -> String {
    let text = |key: &str| item[key].as_str().unwrap_or("null").to_owned();
    let parts: Vec<String> = item["parts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|part| match part["type"].as_str() {
            Some("tool_call") => format!("{}({})", part["name"].as_str().unwrap(), part["state"].as_str().unwrap()),
            _ => part["text"].as_str().unwrap_or_default().chars().take(12).collect(),
        })
        .collect();
    let rest = match item["kind"].as_str().unwrap() {
        "attempt" => format!("{} {} {}", text("key"), text("code"), parts.join("|")),
        "retry" => format!("{} of {} {}", item["retry"], item["most"], text("code")),
        "assistant" => {
            let cut = if item["interrupted"] == true { " interrupted" } else { "" };
            format!("{} {}{cut}", text("key"), parts.join("|"))
        }
        "injected" => text("reason"),
        "user" => format!("{} {}", parts.join("|"), item["send"]["state"].as_str().unwrap_or("said")),
        "awaiting" => format!("resolved {}", item["resolved"]),
        "finished" => text("cause"),
        "failed" => text("code"),
        _ => String::new(),
    };
    format!("{} {rest}", text("kind")).trim_end().to_owned()
}

fn event(seq: u64, kind: &str, data: &Value) -> Value {
    json!({"seq": seq, "time": seq, "type": kind, "data": data})
}

fn said(seq: u64, kind: &str, data: &Value) -> Value {
    json!({"seq": seq, "time": seq, "type": kind, "data": data, "surfaceOp": "append"})
}

fn user(seq: u64, id: &str, text: &str) -> Value {
    said(seq, "user/message", &message(id, text))
}

fn message(id: &str, text: &str) -> Value {
    json!({"id": format!("host-{id}"), "role": "user", "content": [{"type": "text", "text": text}],
        "source": {"kind": "user", "rpcId": id}})
}

fn answer(seq: u64, step: u32, content: &Value) -> Value {
    said(
        seq,
        "assistant/message",
        &json!({"turn": 1, "step": step, "message": {"id": format!("a{seq}"), "role": "assistant", "content": content}, "stream": []}),
    )
}

#[test]
fn a_turn_is_a_run_and_its_calls_meet_their_results_across_steps() {
    let mut session = Session::of(TOOL);
    assert_eq!(
        session.facts,
        [
            "turn-1 run_started",
            "turn-1 assistant_thinking",
            "turn-1 assistant_message",
            "turn-1 tool_call bash open",
            "amend tool_call bash executed",
            "turn-1 tool_result is_error false",
            "turn-1 assistant_message",
            "turn-1 run_finished natural_end exhausted false",
            "turn-2 run_started",
            "turn-2 assistant_message",
            "turn-2 tool_call read open",
            "turn-2 tool_call glob open",
            "amend tool_call read executed",
            "turn-2 tool_result is_error false",
            "amend tool_call glob executed",
            "turn-2 tool_result is_error false",
            "turn-2 assistant_message",
            "turn-2 run_finished natural_end exhausted false",
        ]
    );
    assert_eq!(
        session.view(),
        [
            "system",
            "user [[script:too said",
            "injected runtime-context",
            "injected time-context",
            "assistant assistant:turn-1/1/0 I need a too|I will run a|bash(output)",
            "assistant assistant:turn-1/2/0 The tool fin",
            "finished natural_end",
            "user [[script:too said",
            "assistant assistant:turn-2/1/0 I will run a|read(output)|glob(output)",
            "assistant assistant:turn-2/2/0 The tool fin",
            "finished natural_end",
        ]
    );
    assert!(session.anomalies.is_empty());
}

#[test]
fn failed_attempts_stay_with_the_retries_between_them_and_are_no_facts() {
    let mut session = Session::of(RETRY);
    let expected =
        ["turn-1 run_started", "turn-1 assistant_message", "turn-1 run_finished natural_end exhausted false"];
    assert_eq!(session.facts, expected);
    assert_eq!(
        session.view()[4..],
        [
            "attempt assistant:turn-1/1/0 TRANSPORT This attempt",
            "retry 1 of 5 TRANSPORT",
            "attempt assistant:turn-1/1/1 TRANSPORT This attempt",
            "retry 2 of 5 TRANSPORT",
            "assistant assistant:turn-1/1/2 Attempt 3 su",
            "finished natural_end",
        ]
    );
}

#[test]
fn what_a_preview_was_called_its_settlement_is_called() {
    for recording in [TOOL, RETRY, FATAL, CANCEL, TOKENS, APPROVAL] {
        let mut session = Session::of(recording);
        let committed: Vec<String> = session
            .items()
            .iter()
            .filter(|item| item["kind"] == "assistant" || item["kind"] == "attempt")
            .map(|item| item["key"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(session.keys, committed);
    }
}

#[test]
fn a_failure_of_the_provider_is_told_by_its_code_and_words() {
    let mut session = Session::of(FATAL);
    assert_eq!(session.facts, ["turn-1 run_started", "turn-1 run_failed INVALID_REQUEST fake 400"]);
    assert_eq!(session.view()[4..], ["attempt assistant:turn-1/1/0 INVALID_REQUEST", "failed INVALID_REQUEST"]);
}

#[test]
fn every_end_of_a_turn_says_how_it_ended_and_what_is_not_known_is_no_success() {
    assert_eq!(Session::of(TOKENS).facts.last().unwrap(), "turn-1 run_finished max_steps exhausted true");
    let mut cancelled = Session::of(CANCEL);
    assert_eq!(cancelled.facts[2], "turn-1 run_finished cancelled exhausted false");
    assert_eq!(cancelled.view()[4], "assistant assistant:turn-1/1/0 A partial an interrupted");
    for (reason, fact) in [
        (json!({"kind": "completed"}), "run_finished natural_end exhausted false"),
        (json!({"kind": "aborted", "reason": {"kind": "user"}}), "run_finished cancelled exhausted false"),
        (json!({"kind": "interrupted"}), "run_failed indeterminate execution outcome could not be determined"),
        (json!({"kind": "asleep"}), "run_failed indeterminate execution outcome could not be determined"),
        (json!("odd"), "run_failed indeterminate execution outcome could not be determined"),
        (json!({"kind": "blocked"}), "run_failed blocked"),
        (json!({"kind": "error", "error": {"message": "m", "code": "SERVER", "status": 500}}), "run_failed SERVER m"),
    ] {
        let mut session = Session::new();
        session.open();
        session.event(&event(0, "turn/start", &json!({"turn": 1})));
        session.event(&event(1, "turn/end", &json!({"turn": 1, "reason": reason})));
        assert_eq!(session.facts.last().unwrap(), &format!("turn-1 {fact}"));
    }
}

#[test]
fn an_approval_is_awaited_and_its_decision_goes_on_within_one_turn() {
    let mut session = Session::of(APPROVAL);
    let from = session.facts.iter().position(|fact| fact == "turn-2 run_started").unwrap();
    assert_eq!(
        session.facts[from..],
        [
            "turn-2 run_started",
            "turn-2 assistant_message",
            "turn-2 tool_call write open",
            "amend tool_call write pending_builtin",
            "turn-2 awaiting tool_permission call_fake_97_0",
            "turn-2 continuation resumed",
            "amend tool_call write open",
            "amend tool_call write executed",
            "turn-2 tool_result is_error false",
            "turn-2 assistant_message",
            "turn-2 run_finished natural_end exhausted false",
        ]
    );
    assert!(session.view().contains(&"awaiting resolved true".to_owned()));
}

#[test]
fn two_approvals_are_awaited_one_after_the_other_and_other_results_do_not_answer_them() {
    let mut session = Session::new();
    session.open();
    let call = |id: &str| json!({"type": "tool-call", "id": id, "name": "write", "arguments": "{}"});
    let asked = |id: &str, call: &str| json!({"id": id, "toolName": "write", "callId": call, "reason": "because"});
    session.event(&event(0, "turn/start", &json!({"turn": 1})));
    session.event(&answer(1, 1, &json!([call("a"), call("b"), call("c")])));
    session.event(&event(2, "approval/asked", &asked("q1", "a")));
    session.event(&event(3, "approval/asked", &asked("q2", "b")));
    let result = json!({"turn": 1, "step": 1, "message": {"role": "tool", "toolCallId": "c", "content": [], "isError": false, "id": "r"}});
    session.event(&said(4, "tool/result", &result));
    assert_eq!(session.view()[1], "awaiting resolved false");
    assert_eq!(session.items()[1]["detail"], "because");
    session.event(&event(5, "approval/decided", &json!({"id": "q1", "outcome": "rejected"})));
    session.event(&event(6, "approval/decided", &json!({"id": "q2", "outcome": "allowed-once"})));
    assert_eq!(
        session.facts[4..],
        [
            "amend tool_call write pending_builtin",
            "turn-1 awaiting tool_permission a",
            "amend tool_call write executed",
            "turn-1 tool_result is_error false",
            "turn-1 continuation resumed",
            "amend tool_call write open",
            "amend tool_call write pending_builtin",
            "turn-1 awaiting tool_permission b",
            "turn-1 continuation resumed",
            "amend tool_call write open",
        ]
    );
}

#[test]
fn a_killed_host_leaves_its_turn_running_until_it_is_back_and_says_otherwise() {
    let mut session = Session::of(KILLED);
    assert_eq!(session.facts.last().unwrap(), "turn-2 run_started");
    session.give(Input::Live(Generation(session.generation), Live::Closed(crate::follow::Closed::Lost)));
    assert_eq!(session.items().last().unwrap()["origin"], "unconfirmed");
    assert!(session.view().last().unwrap().starts_with("assistant assistant:turn-2/1/0 A partial an"));
}

#[test]
fn a_message_that_waits_is_shown_as_queued_and_keeps_its_key_when_it_is_said() {
    let mut session = Session::new();
    session.open();
    let content = vec![Block::Text { text: "mine".to_owned() }];
    let command =
        Command::Send { message_id: "m1".into(), content, idempotency_key: "k".to_owned(), on_active: OnActive::Queue };
    session.give(Input::Command(CommandId(1), command));
    assert_eq!(session.view(), ["user mine sending"]);
    let splice = |seq: u64, list: &str, removed: u64, inserted: Value| {
        event(
            seq,
            "agent/inbox/spliced",
            &json!({"target": list, "start": 0, "removedCount": removed, "inserted": inserted}),
        )
    };
    session.event(&event(0, "turn/start", &json!({"turn": 1})));
    session.event(&event(1, "step/start", &json!({"turn": 1, "step": 1})));
    session.event(&splice(2, "next-turn", 0, json!([message("m1", "mine")])));
    session.event(&splice(3, "next-step", 0, json!([message("m2", "theirs")])));
    session.event(&splice(4, "next-turn", 0, json!([message("m3", "never")])));
    assert_eq!(session.view(), ["user mine queued", "user theirs queued", "user never queued"]);
    let keys: Vec<Value> = session.items().iter().map(|item| item["key"].clone()).collect();
    // What somebody takes back goes; what a step takes stays until it is said.
    session.event(&splice(5, "next-turn", 1, json!([])));
    assert_eq!(session.view(), ["user mine queued", "user theirs queued"]);
    session.event(&splice(6, "next-step", 1, json!([])));
    assert_eq!(session.view(), ["user mine queued", "user theirs queued"]);
    session.event(&user(7, "m2", "theirs"));
    assert_eq!(session.view(), ["user theirs said", "user mine queued"]);
    session.event(&event(8, "turn/end", &json!({"turn": 1, "reason": {"kind": "completed"}})));
    session.event(&event(9, "turn/start", &json!({"turn": 2})));
    session.event(&splice(10, "next-turn", 1, json!([])));
    session.event(&event(11, "step/start", &json!({"turn": 2, "step": 1})));
    assert_eq!(session.view(), ["user theirs said", "finished natural_end", "user mine queued"]);
    session.event(&user(12, "m1", "mine"));
    assert_eq!(session.view(), ["user theirs said", "finished natural_end", "user mine said"]);
    let items = session.items();
    assert_eq!([&items[2]["key"], &items[0]["key"]], [&keys[0], &keys[1]]);
}

#[test]
fn a_message_that_came_to_wait_behind_a_held_answer_waits_on_when_a_hole_is_read() {
    let mut session = Session::new();
    session.open();
    let inserted = json!([message("m1", "later")]);
    let log = [
        event(0, "turn/start", &json!({"turn": 1})),
        event(1, "step/start", &json!({"turn": 1, "step": 1})),
        answer(2, 1, &json!([{"type": "text", "text": "hi"}])),
        event(3, "agent/inbox/spliced", &json!({"target": "next-turn", "start": 0, "inserted": inserted})),
        event(4, "x/lost", &json!({})),
        event(5, "x/behind", &json!({})),
    ];
    session.event(&log[0]);
    session.event(&log[1]);
    let start = json!({"type": "start", "attemptId": "a", "revision": 1, "startedAfterSeq": 1, "turn": 1, "step": 1});
    session.item(&json!({"type": "assistant-stream", "frame": start}).to_string());
    for event in [&log[2], &log[3], &log[5]] {
        session.event(event);
    }
    assert_eq!(session.view(), ["assistant assistant:turn-1/1/0"], "the answer waits for its attempt's end");
    let records: Vec<Value> = log.iter().map(|event| json!({"type": "event", "event": event})).collect();
    let window = read_window(&json!({"records": records, "hasMore": false}).to_string()).unwrap();
    session.give(Input::Window(ReadId(0), Ok(window)));
    assert_eq!(session.view(), ["assistant assistant:turn-1/1/0 hi", "user later queued"]);
}

#[test]
fn a_send_that_may_not_wait_is_refused_while_a_turn_runs_and_one_that_steers_goes_out() {
    let mut session = Session::new();
    session.open();
    session.event(&event(0, "turn/start", &json!({"turn": 1})));
    for (id, on_active) in [(1, OnActive::Reject), (2, OnActive::Steer)] {
        let (message_id, idempotency_key) = (["", "m1", "m2"][id as usize].into(), "k".to_owned());
        let content = vec![Block::Text { text: "more".to_owned() }];
        let command = Command::Send { message_id, content, idempotency_key, on_active };
        session.give(Input::Command(CommandId(id), command));
    }
    assert_eq!(
        (session.view(), session.requests),
        (vec!["user more failed".to_owned(), "user more sending".to_owned()], 1)
    );
    assert_eq!(session.items()[0]["send"]["code"], "run_active");
}

#[test]
fn what_a_restarted_host_forgot_is_told_to_whoever_sent_it() {
    let mut session = Session::new();
    session.open();
    let content = vec![Block::Text { text: "mine".to_owned() }];
    let (message_id, idempotency_key) = ("m1".into(), "k".to_owned());
    session.give(Input::Command(
        CommandId(1),
        Command::Send { message_id, content, idempotency_key, on_active: OnActive::Queue },
    ));
    let inserted = json!([message("m1", "mine"), message("m2", "theirs")]);
    session.event(&event(0, "agent/inbox/spliced", &json!({"target": "next-turn", "start": 0, "inserted": inserted})));
    session.snapshot(-1, &[], &json!({"revision": 0}));
    assert_eq!(session.view(), ["user mine failed"]);
    assert_eq!(session.items()[0]["send"]["code"], "lost");
}

#[test]
fn what_a_turn_has_taken_and_not_said_yet_is_seen_by_who_comes_then() {
    let inserted = |seq: u64, id: &str, start: u64| {
        let splice = json!({"target": "next-turn", "start": start, "inserted": [message(id, id)]});
        event(seq, "agent/inbox/spliced", &splice)
    };
    let removed = |seq: u64| {
        event(
            seq,
            "agent/inbox/spliced",
            &json!({"target": "next-turn", "start": 0, "removedCount": 1, "inserted": []}),
        )
    };
    let mut session = Session::new();
    // One waited before the window begins; it is the one that the first turn takes.
    let window = [
        inserted(40, "m1", 1),
        event(41, "turn/start", &json!({"turn": 1})),
        removed(42),
        event(43, "step/end", &json!({"turn": 1, "step": 1})),
        event(44, "turn/end", &json!({"turn": 1, "reason": {"kind": "completed"}})),
        inserted(45, "m2", 1),
        event(46, "turn/start", &json!({"turn": 2})),
        removed(47),
    ];
    let inbox = json!({"values": {"inbox": {"next-turn": [message("m2", "m2")], "next-step": []}}});
    let records: Vec<Value> = window.iter().map(|event| json!({"type": "event", "event": event})).collect();
    let snapshot = json!({
        "type": "snapshot", "header": {"version": 4, "id": "s"}, "cursor": 47, "records": records, "hasMore": true,
        "projections": inbox, "assistantStream": {"revision": 0},
    });
    session.item(&snapshot.to_string());
    assert_eq!(session.view(), ["finished natural_end", "user m1 queued", "user m2 queued"]);
    session.event(&user(48, "m1", "m1"));
    assert_eq!(session.view(), ["finished natural_end", "user m1 said", "user m2 queued"]);
}

#[test]
fn a_send_of_which_nothing_is_known_is_not_said_twice() {
    let mut session = Session::new();
    session.open();
    let content = vec![Block::Text { text: "mine".to_owned() }];
    let (message_id, idempotency_key) = ("m1".into(), "k".to_owned());
    session.give(Input::Command(
        CommandId(1),
        Command::Send { message_id, content, idempotency_key, on_active: OnActive::Queue },
    ));
    session.give(Input::Response(CommandId(1), Outcome::Network("cut".to_owned())));
    assert_eq!(session.view(), ["user mine failed"]);
    assert_eq!(session.requests, 1, "it is not repeated");
    session.event(&event(0, "turn/start", &json!({"turn": 1})));
    session.event(&user(1, "m1", "mine"));
    session.give(Input::Wake(Wake::User));
    assert_eq!((session.view(), session.requests), (vec!["user mine said".to_owned()], 1));
}

#[test]
fn a_window_that_begins_inside_a_turn_is_of_that_turn_and_starts_no_run() {
    let mut session = Session::new();
    let window = [
        user(40, "m", "hello"),
        answer(41, 3, &json!([{"type": "text", "text": "hi"}])),
        event(42, "turn/end", &json!({"turn": 1, "reason": {"kind": "completed"}})),
        event(43, "turn/start", &json!({"turn": 2})),
    ];
    session.snapshot(43, &window, &json!({"revision": 9}));
    assert_eq!(session.items()[0]["run_id"], "turn-1");
    assert_eq!(
        session.facts,
        ["turn-1 assistant_message", "turn-1 run_finished natural_end exhausted false", "turn-2 run_started"]
    );
}

#[test]
fn arguments_that_are_no_json_are_kept_as_written_and_marked() {
    let mut session = Session::new();
    session.open();
    session.event(&event(0, "turn/start", &json!({"turn": 1})));
    let call =
        |id: &str, arguments: &str| json!({"type": "tool-call", "id": id, "name": "bash", "arguments": arguments});
    session.event(&answer(
        1,
        1,
        &json!([call("a", "{\"x\": oops"), call("b", " "), call("c", "{\"n\":12345678901234567890}")]),
    ));
    let items = session.items();
    let parts = items[0]["parts"].as_array().unwrap();
    assert_eq!((parts[0]["args"].as_str(), &parts[0]["invalid"]), (Some("\"{\\\"x\\\": oops\""), &json!(true)));
    assert_eq!((&parts[1]["args"], &parts[1]["invalid"]), (&json!("{}"), &Value::Null));
    assert_eq!(parts[2]["args"], "{\"n\":12345678901234567890}");
}
