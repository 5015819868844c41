//! A thread from opening to end, as the edge drives it.

mod dsh;

use super::{Effect, Engine};
use crate::event::{CallId, MessageId, ThreadId};
use crate::follow::frame::Frame;
use crate::follow::{
    Accepted, Answer, Closed, Command, CommandId, Generation, Input, Live, OnActive, Options, Outcome, Protocol, Wake,
};
use crate::json::{Notes, read};
use crate::source::threadfold::live_event;
use crate::thread::{Block, Page};
use crate::view::Urgency;
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const OPENED: &str = r#"{"contract":"threadfold/1","epoch":"e","frontier":1,"revision":0,"active":null}"#;
const USER: &str =
    r#"{"seq":0,"time":5,"run_id":"r","message":{"id":"u1","role":"User","content":[{"type":"text","text":"hi"}]}}"#;
const RUNNING: &str = r#"{"seq":1,"time":5,"run_id":"r","state":"Running"}"#;
const START: &str = r#"{"attempt":"a","revision":1,"started_after":1,"run_id":"r","step":0,"response":0}"#;
const ANSWER: &str = r#"{"frontier":3,"records":[{"seq":2,"time":6,"run_id":"r","step":0,"response":0,"message":{"id":"r-assistant-0","role":"Assistant","content":[{"type":"text","text":"Hello"}]}},{"seq":3,"time":6,"run_id":"r","state":{"Ended":"NaturalEnd"}}]}"#;

struct Edge {
    engine: Engine,
    now: u64,
    generation: u32,
}

impl Edge {
    fn new() -> Self {
        let options = Options {
            protocol: Protocol::Strict,
            thread_id: Some(ThreadId::from("t")),
            renewable: false,
            watchdog: true,
            initial: None,
        };
        let mut edge = Self { engine: Engine::new(options), now: 1_000_000, generation: 0 };
        edge.give(Input::Connect);
        edge
    }

    fn give(&mut self, input: Input) -> Vec<Effect> {
        self.now += 1;
        self.engine.handle(input, self.now, 7);
        let mut effects = Vec::new();
        while let Some(effect) = self.engine.poll() {
            if let Effect::OpenLive(Generation(generation)) = effect {
                self.generation = generation;
            }
            effects.push(effect);
        }
        effects
    }

    fn frame(&mut self, name: &str, data: &str) -> Vec<Effect> {
        let (frame, notes) = Frame::read(name, data).unwrap().unwrap();
        self.give(Input::Live(Generation(self.generation), Live::Frame(frame, notes)))
    }

    /// Answers the read among the effects with these rows.
    fn serve(&mut self, effects: &[Effect], rows: &[&str], frontier: u64) -> Vec<Effect> {
        let fetch = effects
            .iter()
            .find_map(|effect| match effect {
                Effect::Fetch(fetch) => Some(fetch.clone()),
                _ => None,
            })
            .expect("a read was asked for");
        let (runs, messages): (Vec<&str>, Vec<&str>) = rows.iter().partition(|row| row.contains("\"state\""));
        let page = format!(
            r#"{{"contract":"threadfold/1","thread_id":"t","epoch":"e","frontier":{frontier},"messages":[{}],"runs":[{}]}}"#,
            messages.join(","),
            runs.join(",")
        );
        self.give(Input::Page(fetch.id, Ok((read::<Page>(&page).unwrap(), Notes::default()))))
    }

    fn view(&mut self) -> Value {
        serde_json::from_str(&self.engine.whole()).unwrap()
    }

    fn events(&mut self) -> Vec<Value> {
        self.engine.take_events().map(|events| serde_json::from_str(&events).unwrap()).unwrap_or_default()
    }

    /// A thread whose person said hi, and whose run has begun.
    fn running() -> Self {
        let mut edge = Self::new();
        let effects = edge.frame("opened", OPENED);
        edge.serve(&effects, &[USER, RUNNING], 1);
        edge
    }

    fn delta(&mut self, revision: u64, index: u64, text: &str) {
        let data = format!(
            r#"{{"attempt":"a","revision":{revision},"index":{index},"delta":{{"type":"text_delta","delta":"{text}"}}}}"#
        );
        self.frame("delta", &data);
    }
}

fn kinds(events: &[Value]) -> Vec<String> {
    events
        .iter()
        .map(|event| match event["type"].as_str().unwrap() {
            "fact" => event["fact"]["type"].as_str().unwrap().to_owned(),
            other => other.to_owned(),
        })
        .collect()
}

#[test]
fn a_run_is_live_first_and_committed_then_under_the_same_key() {
    let mut edge = Edge::running();
    edge.frame("start", START);
    edge.delta(2, 0, "Hel");
    edge.delta(3, 1, "lo");
    let live = edge.view();
    let items = live["view"]["items"].as_array().unwrap();
    assert_eq!(items[1]["origin"], "preview");
    assert_eq!(items[1]["parts"][0]["text"], "Hello");
    let key = items[1]["key"].clone();
    edge.frame("committed", ANSWER);
    let committed = edge.view();
    let items = committed["view"]["items"].as_array().unwrap();
    assert_eq!((&items[1]["key"], &items[1]["origin"]), (&key, &Value::from("committed")));
    assert_eq!(items[1]["parts"][0]["text"], "Hello");
    assert_eq!(items.len(), 3, "the person, the answer, the end: {committed:#}");
}

#[test]
fn p02_text_may_wait_for_a_frame_but_its_beginning_and_its_commit_may_not() {
    let mut edge = Edge::running();
    edge.engine.take_changes();
    assert_eq!(edge.engine.urgency(), Urgency::None);
    edge.frame("start", START);
    edge.delta(2, 0, "Hel");
    assert_eq!(edge.engine.urgency(), Urgency::Now);
    edge.engine.take_changes();
    edge.delta(3, 1, "lo");
    assert_eq!(edge.engine.urgency(), Urgency::Frame);
    edge.frame("committed", ANSWER);
    assert_eq!(edge.engine.urgency(), Urgency::Now);
}

#[test]
fn events_are_facts_once_per_position_and_deltas_joined_while_nobody_takes_them() {
    let mut edge = Edge::running();
    edge.engine.listen(true);
    edge.frame("start", START);
    edge.delta(2, 0, "Hel");
    edge.delta(3, 1, "lo");
    let events = edge.events();
    assert_eq!(kinds(&events), ["delta"]);
    assert_eq!(events[0]["delta"]["delta"], "Hello");
    edge.frame("committed", ANSWER);
    assert_eq!(kinds(&edge.events()), ["assistant_message", "run_finished"]);
    assert_eq!(edge.engine.take_events(), None);
}

#[test]
fn who_begins_to_listen_late_is_told_all_facts_and_what_the_lanes_show() {
    let mut edge = Edge::running();
    edge.frame("start", START);
    edge.delta(2, 0, "Hel");
    let history: Vec<Value> = serde_json::from_str(&edge.engine.history()).unwrap();
    assert_eq!(kinds(&history), ["said", "run_started", "delta"]);
    assert_eq!(history[0]["message"]["id"], "u1");
    assert_eq!(history[2]["delta"]["delta"], "Hel");
}

#[test]
fn an_abandoned_attempt_is_reset_for_whoever_listens() {
    let mut edge = Edge::running();
    edge.engine.listen(true);
    edge.frame("start", START);
    edge.delta(2, 0, "Hel");
    edge.frame("end", r#"{"attempt":"a","revision":3,"index":1,"outcome":{"kind":"abandoned"}}"#);
    let events = edge.events();
    assert!(kinds(&events).starts_with(&["delta".to_owned(), "reset".to_owned()]));
    assert_eq!(edge.view()["view"]["items"].as_array().unwrap().len(), 1);
}

#[test]
fn what_the_person_said_is_seen_at_once_and_its_commit_takes_its_place() {
    let mut edge = Edge::new();
    let opened = r#"{"contract":"threadfold/1","epoch":"e","frontier":-1,"revision":0,"active":null}"#;
    edge.frame("opened", opened);
    let send = Command::Send {
        message_id: MessageId::from("u1"),
        content: vec![Block::Text { text: "hi".to_owned() }],
        idempotency_key: "k".to_owned(),
        on_active: OnActive::Reject,
    };
    let effects = edge.give(Input::Command(CommandId(1), send));
    assert!(matches!(effects.as_slice(), [Effect::Request(CommandId(1), Command::Send { .. })]));
    let before = edge.view();
    assert_eq!(before["view"]["items"][0]["send"]["state"], "sending");
    edge.frame("committed", &format!(r#"{{"frontier":1,"records":[{USER},{RUNNING}]}}"#));
    let after = edge.view();
    assert_eq!(after["view"]["items"][0]["key"], before["view"]["items"][0]["key"]);
    assert_eq!(after["view"]["items"][0]["origin"], "committed");
    let accepted = Accepted { seq: Some(0), ..Accepted::default() };
    let effects = edge.give(Input::Response(CommandId(1), Outcome::Accepted(accepted)));
    assert!(matches!(effects.as_slice(), [Effect::Done(CommandId(1), Ok(_))]));
    assert_eq!(edge.view()["view"]["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_send_that_failed_stays_and_is_sent_again_when_asked() {
    let mut edge = Edge::running();
    let send = Command::Send {
        message_id: MessageId::from("u2"),
        content: vec![Block::Text { text: "more".to_owned() }],
        idempotency_key: "k".to_owned(),
        on_active: OnActive::Reject,
    };
    edge.give(Input::Command(CommandId(1), send.clone()));
    let refused =
        Outcome::Refused { status: 409, retry_after: None, code: "run_active".to_owned(), message: "busy".to_owned() };
    let effects = edge.give(Input::Response(CommandId(1), refused));
    assert!(matches!(effects.as_slice(), [Effect::Done(CommandId(1), Err(error))] if error.code == "run_active"));
    let view = edge.view();
    assert_eq!(view["view"]["items"][1]["send"]["state"], "failed");
    assert_eq!(view["view"]["items"][1]["send"]["code"], "run_active");
    let effects = edge.give(Input::Wake(Wake::User));
    let again: Vec<&Command> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Request(_, command) => Some(command),
            _ => None,
        })
        .collect();
    assert_eq!(again, [&send], "the same key, so that it is carried out once");
    assert_eq!(edge.view()["view"]["items"][1]["send"]["state"], "sending");
}

#[test]
fn a_resume_finds_the_run_that_waits_and_one_that_nobody_waits_for_is_refused() {
    let mut edge = Edge::running();
    let ticket =
        r#"{"target":{"ToolCall":{"reason":"Permission","call_id":"c1","tool":{"tool_id":"rm","arguments":{}}}}}"#;
    let awaiting = format!(r#"{{"seq":2,"time":6,"run_id":"r","state":"Awaiting","resume_ticket":{ticket}}}"#);
    edge.frame("committed", &format!(r#"{{"frontier":2,"records":[{awaiting}]}}"#));
    let resume = |call: &str| Command::Resume {
        run_id: None,
        call_id: Some(CallId::from(call)),
        answer: Answer::Approve { approve: true, reason: None },
        idempotency_key: "k".to_owned(),
    };
    let effects = edge.give(Input::Command(CommandId(1), resume("c1")));
    let Some(Effect::Request(_, Command::Resume { run_id, .. })) = effects.first() else { panic!("{effects:?}") };
    assert_eq!(run_id.as_ref().unwrap().as_str(), "r");
    let effects = edge.give(Input::Command(CommandId(2), resume("c9")));
    assert!(matches!(effects.as_slice(), [Effect::Done(_, Err(error))] if error.code == "nothing_pending"));
}

/// A stream with what can go wrong in it: a name that is not known, a fragment twice, one that can't be read, a hole.
const STREAM: [(&str, &str); 15] = [
    ("start", START),
    ("delta", r#"{"attempt":"a","revision":2,"index":0,"delta":{"type":"text_delta","delta":"Hel"}}"#),
    ("delta", r#"{"attempt":"a","revision":3,"index":1,"delta":{"type":"text_delta","delta":"lo"}}"#),
    ("later", "{}"),
    ("delta", r#"{"attempt":"a","revision":3,"index":1,"delta":{"type":"text_delta","delta":"lo"}}"#),
    ("delta", r#"{"attempt":"a","revision":4,"index":2,"delta":{"type":"text_delta","delta":"!"},"odd":1}"#),
    ("delta", r#"{"attempt":"a","revision":5,"index":3,"delta":{"type":"text_delta","delta":"?"}}"#),
    ("committed", ANSWER),
    ("end", r#"{"attempt":"a","revision":6,"index":4,"outcome":{"kind":"committed","seq":2}}"#),
    ("start", r#"{"attempt":"b","revision":7,"started_after":3,"run_id":"s","step":0,"response":0}"#),
    ("delta", r#"{"attempt":"b","revision":8,"index":0,"delta":{"type":"reasoning_delta","delta":"Hm"}}"#),
    ("delta", r#"{"attempt":"b","revision":9,"index":1,"delta":{"#),
    ("delta", r#"{"attempt":"b","revision":9,"index":1,"delta":{"type":"text_delta","delta":"So"}}"#),
    ("delta", r#"{"attempt":"b","revision":11,"index":3,"delta":{"type":"text_delta","delta":"lost"}}"#),
    ("delta", r#"{"attempt":"b","revision":12,"index":4,"delta":{"type":"text_delta","delta":"late"}}"#),
];

#[test]
fn what_comes_of_the_stream_at_once_does_what_it_would_do_one_by_one() {
    let told = |edge: &mut Edge| (edge.view(), edge.events(), edge.engine.stats(), edge.engine.deadline());
    let after = |pieces: &[usize], at_once: bool| {
        let mut edge = Edge::running();
        edge.engine.listen(true);
        let (mut effects, mut rest) = (Vec::new(), STREAM.as_slice());
        for size in pieces {
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            rest = after;
            for (name, data) in piece {
                let live = Input::Live(Generation(edge.generation), live_event(name, data));
                if at_once {
                    edge.engine.stream(live, 1_000_100, 7);
                } else {
                    edge.engine.handle(live, 1_000_100, 7);
                }
            }
            edge.engine.streamed(1_000_100);
            effects.extend(std::iter::from_fn(|| edge.engine.poll()).map(|effect| format!("{effect:?}")));
        }
        (told(&mut edge), effects)
    };
    let singly = after(&[1; STREAM.len()], false);
    assert!(singly.1.iter().any(|effect| effect.contains("CloseLive")), "the hole is noticed: {:?}", singly.1);
    for first in 1..=STREAM.len() {
        for size in 1..=STREAM.len() {
            let mut pieces = vec![size; STREAM.len()];
            pieces[0] = first;
            assert_eq!(after(&pieces, true), singly, "{first} and then {size} at once");
        }
    }
}

#[test]
fn fragments_that_come_at_once_are_one_step_and_the_next_input_tells_them_at_the_latest() {
    let mut edge = Edge::running();
    edge.frame("start", START);
    for index in 0..3 {
        let data = format!(
            r#"{{"attempt":"a","revision":{},"index":{index},"delta":{{"type":"text_delta","delta":"x"}}}}"#,
            index + 2
        );
        edge.engine.stream(Input::Live(Generation(edge.generation), live_event("delta", &data)), edge.now, 7);
    }
    edge.give(Input::Tick);
    assert_eq!(edge.view()["view"]["items"][1]["parts"][0]["text"], "xxx");
    edge.engine.streamed(edge.now);
    assert_eq!(edge.engine.take_changes(), None);
}

#[test]
fn the_end_of_a_stream_ends_no_run() {
    let mut edge = Edge::running();
    edge.frame("start", START);
    edge.delta(2, 0, "Hello");
    let generation = Generation(edge.generation);
    let effects = edge.give(Input::Live(generation, Live::Closed(Closed::Lost)));
    let view = edge.view();
    assert_eq!(view["view"]["items"][1]["origin"], "unconfirmed");
    assert_eq!(view["view"]["run"]["state"], "running");
    let rows = [r#"{"seq":2,"time":6,"run_id":"r","state":{"Ended":"Indeterminate"}}"#];
    edge.serve(&effects, &rows, 2);
    let view = edge.view();
    assert_eq!(view["view"]["run"]["state"], "failed");
    assert_eq!(view["view"]["items"][1]["code"], "indeterminate", "the preview is gone: {view:#}");
    assert!(view["view"]["items"].as_array().unwrap().iter().all(|item| item["origin"] == "committed"));
}
