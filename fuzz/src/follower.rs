//! One page and a world that keeps no rule: whatever happens in whatever order, the changes make the view, positions are
//! told once, and the engine asks for little.
//!
//! The first byte chooses the policy; each choice after it is something that happens.

#[path = "../../tests/model/page.rs"]
mod page;

use super::choices::Choices;
use page::Page;
use serde_json::Value;
use std::collections::BTreeSet;
use threadfold::engine::{Effect, Engine};
use threadfold::follow::{
    Accepted, Answer, Closed, Command, CommandId, Generation, Input, Live, OnActive, Options, Outcome, Protocol,
    ReadError, ReadId, Wake,
};
use threadfold::source::threadfold::{live_event, plain_event, read_page};

pub fn run(data: &[u8]) {
    let mut choices = Choices::new(data);
    let protocol = [Protocol::Strict, Protocol::Plain][choices.below(2)];
    let options = Options {
        protocol,
        thread_id: None,
        renewable: choices.below(2) == 0,
        watchdog: choices.below(2) == 0,
        initial: None,
    };
    let mut world = World {
        plain: protocol == Protocol::Plain,
        engine: Engine::new(options),
        page: Page::new(),
        now: 1_000_000,
        generation: 0,
        reads: Vec::new(),
        commands: 0,
        told: BTreeSet::new(),
    };
    world.engine.listen(true);
    world.engine.set_window(choices.below(4));
    world.tell(Input::Connect);
    let mut steps = 0;
    while !choices.is_over() && steps < 600 {
        steps += 1;
        let input = world.input(&mut choices);
        world.tell(input);
        match choices.below(6) {
            0..=1 => {}
            2 => {
                world.flush();
                world.recall();
            }
            _ => world.flush(),
        }
    }
    world.flush();
    world.recall();
    let whole: Value = serde_json::from_str(&world.engine.whole()).expect("the view is JSON");
    assert_eq!(whole["view"], world.page.view, "the changes make the view");
}

struct World {
    plain: bool,
    engine: Engine,
    page: Page,
    now: u64,
    generation: u32,
    reads: Vec<ReadId>,
    commands: u32,
    /// Positions of the Facts that were told since the last reset.
    told: BTreeSet<(u64, u64)>,
}

impl World {
    fn tell(&mut self, input: Input) {
        self.engine.handle(input, self.now, 0x9E37_79B9_7F4A_7C15);
        let mut effects = 0;
        while let Some(effect) = self.engine.poll() {
            effects += 1;
            assert!(effects < 1000, "one input asks for so much");
            match effect {
                Effect::OpenLive(Generation(generation)) => self.generation = generation,
                Effect::Fetch(fetch) => self.reads.push(fetch.id),
                Effect::CloseLive(_) | Effect::Knock(_) | Effect::Request(..) | Effect::Done(..) => {}
                Effect::Anomaly(anomaly) => assert!(anomaly.message.len() < 1100),
            }
        }
    }

    /// The page looks at what was left out of the changes.
    fn recall(&mut self) {
        self.page.recall(&serde_json::from_str(&self.engine.older()).expect("what was left out is JSON"));
    }

    fn flush(&mut self) {
        if let Some(changes) = self.engine.take_changes() {
            self.page.apply(&changes);
        }
        let Some(events) = self.engine.take_events() else { return };
        let events: Value = serde_json::from_str(&events).expect("events are JSON");
        for event in events.as_array().expect("an array of events") {
            match event["type"].as_str() {
                Some("reset") if event.get("run_id").is_none() => self.told.clear(),
                Some("fact") => {
                    let at = &event["position"];
                    let position = (at["seq"].as_u64().expect("a seq"), at["index"].as_u64().expect("an index"));
                    assert!(self.told.last().is_none_or(|last| *last < position), "{position:?} came again or late");
                    self.told.insert(position);
                }
                _ => {}
            }
        }
    }

    fn input(&mut self, choices: &mut Choices<'_>) -> Input {
        let generation =
            Generation(if choices.below(8) == 0 { self.generation.wrapping_sub(1) } else { self.generation });
        match choices.below(24) {
            0 => Input::Tick,
            1 => {
                self.now += [1, 100, 1_000, 40_000, 400_000][choices.below(5)];
                Input::Tick
            }
            2 => {
                self.now = self.engine.deadline().unwrap_or(self.now).max(self.now);
                Input::Tick
            }
            3 => Input::Wake([Wake::Visible, Wake::Online, Wake::Pageshow, Wake::User][choices.below(4)]),
            4 => [Input::Hidden, Input::Offline, Input::Connect, Input::Tick][choices.below(4)].clone(),
            5 => Input::Live(generation, Live::Closed(closed(choices))),
            6 => self.command(choices),
            7 => Input::Response(CommandId(u32::from(choices.byte() % 4)), outcome(choices)),
            8 if choices.below(16) == 0 => Input::Close,
            8 => Input::Live(
                generation,
                [Live::Accepted, Live::Activity, Live::Retry(choices.byte().into())][choices.below(3)].clone(),
            ),
            9 => self.live(generation, "delta", &choices.text()),
            10..=13 => self.answer(choices),
            _ => {
                let (name, data) = frame(choices, self.plain);
                self.live(generation, name, &data)
            }
        }
    }

    fn live(&self, generation: Generation, name: &str, data: &str) -> Input {
        Input::Live(generation, if self.plain { plain_event("message", data) } else { live_event(name, data) })
    }

    fn answer(&mut self, choices: &mut Choices<'_>) -> Input {
        let id = self.reads.pop().unwrap_or(ReadId(u32::from(choices.byte())));
        if choices.below(8) == 0 {
            let error = [
                ReadError::Network(String::new()),
                ReadError::Refused { status: 409, retry_after: None, code: Some("epoch_changed".to_owned()) },
                ReadError::Malformed(String::new()),
            ];
            return Input::Page(id, Err(error[choices.below(3)].clone()));
        }
        let rows: Vec<String> = (0..choices.below(5)).map(|_| row(choices)).collect();
        let (runs, messages): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.contains("\"state\""));
        let (epoch, frontier, more) = (choices.of(&["e1", "e1", "e1", "e2"]), choices.number(), choices.below(4) == 0);
        let (runs, messages) = (runs.join(","), messages.join(","));
        let page = format!(
            r#"{{"contract":"threadfold/1","thread_id":"t","epoch":"{epoch}","frontier":{frontier},"has_more":{more},"messages":[{messages}],"runs":[{runs}]}}"#
        );
        Input::Page(id, read_page("application/json", &page))
    }

    fn command(&mut self, choices: &mut Choices<'_>) -> Input {
        self.commands += 1;
        let command = match choices.below(3) {
            0 => Command::Send {
                message_id: format!("m{}", choices.below(3)).as_str().into(),
                content: Vec::new(),
                idempotency_key: "k".to_owned(),
                on_active: OnActive::Reject,
            },
            1 => Command::Cancel { run_id: None },
            _ => Command::Resume {
                run_id: None,
                call_id: Some("c0".into()),
                answer: Answer::GoOn,
                idempotency_key: "k".to_owned(),
            },
        };
        Input::Command(CommandId(self.commands % 4), command)
    }
}

fn closed(choices: &mut Choices<'_>) -> Closed {
    match choices.below(5) {
        0 => Closed::Refused { status: *choices.of(&[401, 404, 503, 204]), retry_after: Some(choices.byte().into()) },
        1 => Closed::NotAStream(choices.text()),
        2 => Closed::TooLarge(1),
        3 => Closed::Failed { code: choices.text(), message: choices.text() },
        _ => Closed::Lost,
    }
}

fn outcome(choices: &mut Choices<'_>) -> Outcome {
    match choices.below(3) {
        0 => Outcome::Accepted(Accepted::default()),
        1 => Outcome::Network(String::new()),
        _ => Outcome::Refused {
            status: *choices.of(&[400, 401, 409, 503]),
            retry_after: None,
            code: "run_active".to_owned(),
            message: String::new(),
        },
    }
}

/// A row of a small log.
pub fn row(choices: &mut Choices<'_>) -> String {
    let (seq, run, step) = (choices.number(), choices.below(2), choices.below(2));
    let state = *choices.of(&[
        "\"Running\"",
        "\"Awaiting\"",
        "{\"Ended\":\"NaturalEnd\"}",
        "{\"Ended\":\"Indeterminate\"}",
        "\"Later\"",
    ]);
    match choices.below(3) {
        0 => format!(r#"{{"seq":{seq},"time":1,"run_id":"r{run}","state":{state}}}"#),
        1 => {
            let (role, block) = (choices.of(&["User", "Assistant", "Tool", "System"]), block(choices));
            format!(
                r#"{{"seq":{seq},"time":1,"run_id":"r{run}","step":{step},"response":0,"message":{{"id":"m{seq}","role":"{role}","content":[{block}]}}}}"#
            )
        }
        _ => {
            format!(r#"{{"seq":{seq},"time":1,"message":{{"id":"m{}","role":"User","content":[]}}}}"#, choices.below(3))
        }
    }
}

fn block(choices: &mut Choices<'_>) -> String {
    let call = choices.below(2);
    match choices.below(4) {
        0 => format!(r#"{{"type":"text","text":{}}}"#, Value::from(choices.text())),
        1 => format!(r#"{{"type":"tool_use","id":"c{call}","name":"f","input":{{}}}}"#),
        2 => format!(r#"{{"type":"tool_result","tool_use_id":"c{call}","content":[]}}"#),
        _ => format!(r#"{{"type":"thinking","thinking":{}}}"#, Value::from(choices.text())),
    }
}

/// A Delta of any kind.
pub fn delta(choices: &mut Choices<'_>) -> String {
    let text = Value::from(choices.text());
    match choices.below(4) {
        0 => format!(r#"{{"type":"reasoning_delta","delta":{text}}}"#),
        1 => format!(r#"{{"type":"tool_call_delta","id":"c{}","name":"f","args_delta":{text}}}"#, choices.below(3)),
        2 => format!(
            r#"{{"type":"text_delta","delta":"{}"}}"#,
            choices.of(&["\\ud83d", "\\ude00", "x\\ud83d", "\\ude00x"])
        ),
        _ => format!(r#"{{"type":"text_delta","delta":{text}}}"#),
    }
}

fn frame(choices: &mut Choices<'_>, plain: bool) -> (&'static str, String) {
    let (epoch, attempt) = (choices.of(&["e1", "e1", "e1", "e2"]), choices.below(2));
    let (frontier, revision, index) = (choices.number(), choices.number(), choices.number());
    let (run, step) = (choices.below(2), choices.below(2));
    if plain {
        let delta = delta(choices);
        let envelope = format!(r#"{{"run_id":"r{run}","tier":"delta","event":{delta}}}"#);
        return ("message", envelope);
    }
    match choices.below(8) {
        0 => {
            let active = match choices.below(3) {
                0 => "null".to_owned(),
                _ => format!(
                    r#"{{"attempt":"a{attempt}","started_after":{frontier},"run_id":"r{run}","step":{step},"response":0,"next":{index},"deltas":[{}]}}"#,
                    delta(choices)
                ),
            };
            (
                "opened",
                format!(
                    r#"{{"contract":"threadfold/1","epoch":"{epoch}","frontier":{frontier},"revision":{revision},"active":{active}}}"#
                ),
            )
        }
        1 => (
            "start",
            format!(
                r#"{{"attempt":"a{attempt}","revision":{revision},"started_after":{frontier},"run_id":"r{run}","step":{step},"response":0}}"#
            ),
        ),
        2 => {
            let outcome = match choices.below(2) {
                0 => format!(r#"{{"type":"committed","seq":{frontier}}}"#),
                _ => r#"{"type":"abandoned"}"#.to_owned(),
            };
            ("end", format!(r#"{{"attempt":"a{attempt}","revision":{revision},"index":{index},"outcome":{outcome}}}"#))
        }
        3 | 4 => {
            let rows: Vec<String> = (0..choices.below(4)).map(|_| row(choices)).collect();
            ("committed", format!(r#"{{"frontier":{frontier},"records":[{}]}}"#, rows.join(",")))
        }
        5 => ("ping", format!(r#"{{"epoch":"{epoch}","frontier":{frontier},"revision":{revision}}}"#)),
        6 => ("bye", "{}".to_owned()),
        _ => (
            "delta",
            format!(r#"{{"attempt":"a{attempt}","revision":{revision},"index":{index},"delta":{}}}"#, delta(choices)),
        ),
    }
}
