//! What a dsh log means for a thread (B2): the turn that a window begins in, questions, what is put in the place of other
//! messages, and the messages that wait.

use super::super::*;
use super::world::World;
use crate::event::{CallId, MessageId};
use crate::json::Raw;
use crate::thread::{Block, Record, RunState, Target};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

impl World {
    /// The log's next event, which comes to the follower too.
    fn logs(&mut self, surface: Surface, body: Body) -> &mut Self {
        let event = Event { seq: self.log.len() as u64, time: 0, surface, body };
        self.log.push(event.clone());
        self.deliver(event)
    }

    /// The log's next event, which the follower reads with a window.
    fn has_logged(&mut self, body: Body) -> &mut Self {
        self.log.push(Event { seq: self.log.len() as u64, time: 0, surface: Surface::None, body });
        self
    }

    /// An opening is answered with these messages waiting, where the host says so.
    fn opens_with(&mut self, inbox: Option<Vec<Queued>>) -> &mut Self {
        let mut snapshot = self.opened();
        snapshot.inbox = inbox;
        self.item(Item::Snapshot(Box::new(snapshot)));
        self
    }

    fn records(&self) -> Vec<&Record> {
        self.follower.log().iter().flat_map(|log| log.records().iter().map(|record| &**record)).collect()
    }
}

fn waits(id: &str) -> Queued {
    Queued { steers: false, id: MessageId::from(id), content: Vec::new() }
}

fn steers(id: &str) -> Queued {
    Queued { steers: true, ..waits(id) }
}

fn put(at: usize, message: Queued) -> Body {
    Body::Spliced(Splice { steers: message.steers, start: at, removed: 0, inserted: vec![message] })
}

fn taken(steers: bool) -> Body {
    Body::Spliced(Splice { steers, start: 0, removed: 1, inserted: Vec::new() })
}

fn said(id: &str) -> Body {
    let content = vec![Block::Text { text: id.to_owned() }];
    Body::Said(Said { turn: None, is_system: false, id: MessageId::from(id), content, injected: None })
}

#[test]
fn what_is_said_in_a_window_that_begins_inside_a_turn_is_of_that_turn() {
    let mut world = World::at(12);
    world.play("restart 12");
    let mut snapshot = world.opened();
    // It begins behind the turn's start, and its first events name no turn.
    let bodies = [Body::Other("note".to_owned()), said("u"), Body::StepEnd { turn: 7, step: 1 }, said("v")];
    let events = bodies.into_iter().zip(12..);
    snapshot.events = events.map(|(body, seq)| Event { seq, time: 0, surface: Surface::None, body }).collect();
    snapshot.cursor = Some(15);
    world.item(Item::Snapshot(Box::new(snapshot)));
    let runs: Vec<_> = world.records().iter().map(|record| record.run_id().map(|run| run.as_str())).collect();
    assert_eq!(runs, [Some("turn-7"), Some("turn-7")]);
}

#[test]
fn a_question_shows_the_arguments_of_the_call_that_it_is_about() {
    let call = |id: &str, args: &str| {
        let (id, name, input) = (CallId::from(id), "run".to_owned(), Raw::parse(args).unwrap());
        Block::ToolUse { id, name, input }
    };
    let content = vec![call("c1", r#"{"a":1}"#), call("c2", r#"{"b":2}"#)];
    let kind = SettlementKind::Message { id: MessageId::from("m"), interrupted: false, content };
    let mut world = World::at(12);
    world.play("snap").logs(Surface::Append, Body::Settlement(Settlement { turn: 2, step: 1, kind }));
    let (id, call, tool) = ("q".to_owned(), Some(CallId::from("c2")), "run".to_owned());
    world.logs(Surface::None, Body::Asked { id, call, tool, reason: None });
    let records = world.records();
    let Some(Record::Run(row)) = records.last() else { panic!("the run waits") };
    assert_eq!(row.state, RunState::Awaiting);
    let Some(Target::ToolCall { tool: Some(tool), .. }) = row.resume_ticket.as_ref().map(|ticket| &ticket.target)
    else {
        panic!("{row:?} waits for a call")
    };
    assert_eq!(tool.arguments.as_str(), r#"{"b":2}"#);
}

#[test]
fn what_is_put_in_the_place_of_others_covers_them_in_a_window_and_live() {
    let mut world = World::at(12);
    world.play("snap");
    for id in ["a", "b", "c"] {
        world.logs(Surface::Append, said(id));
    }
    world.logs(Surface::Replace { start: 13, end: 14 }, said("d"));
    assert_eq!(world.covered(), [13, 14]);
    world.play("cut · wait 1000 · snap");
    assert_eq!(world.covered(), [13, 14], "a window tells it too");
}

#[test]
fn the_messages_that_wait_are_told_with_the_window_those_that_steer_first() {
    let mut world = World::at(12);
    world.opens_with(Some(vec![waits("a"), steers("s")]));
    assert_eq!(world.queues(), ["s a"]);
    world.play("note13 · cut · wait 1000").opens_with(Some(vec![waits("a")]));
    assert_eq!(world.queues(), ["a"]);
    // A host that does not say who waits: as far as the window tells, nobody does.
    world.play("cut · wait 1000").opens_with(None);
    assert_eq!(world.queues(), [""]);
}

#[test]
fn a_message_that_a_turn_takes_waits_until_it_is_said() {
    let mut world = World::at(12);
    world.opens_with(Some(vec![waits("a"), waits("b")])).play("turn/end13 · turn/start14");
    assert_eq!(world.queues(), ["a b"], "turns that take nothing change nothing");
    world.logs(Surface::None, taken(false)).logs(Surface::None, said("other"));
    assert_eq!(world.queues(), ["a b"], "what was said did not wait");
    world.logs(Surface::None, said("a"));
    assert_eq!(world.queues(), ["b"]);
}

#[test]
fn a_message_that_was_taken_and_never_said_waits_until_the_step_or_the_turn_ends() {
    for end in ["step/end16", "turn/end16"] {
        let mut world = World::at(12);
        world.opens_with(Some(vec![waits("a"), waits("b")])).play("turn/end13 · turn/start14");
        world.logs(Surface::None, taken(false));
        assert_eq!(world.queues(), ["a b", "a b"]);
        world.play(end);
        assert_eq!(world.queues(), ["b"], "{end}");
    }
}

#[test]
fn a_message_that_waits_is_there_once_after_a_hole_is_mended() {
    let mut world = World::at(12);
    world.opens_with(Some(vec![waits("a")])).logs(Surface::None, put(1, waits("b")));
    assert_eq!(world.queues(), ["a", "a b"]);
    world.play("lost note14 · note15 · page");
    assert_eq!(world.queues(), ["a b"], "the page holds the change that was seen");
    // What came behind a settlement that is held was not seen, and is made of the page.
    world.play("start A · m16 one").logs(Surface::None, put(2, waits("c")));
    assert!(world.queues().is_empty());
    world.play("lost note18 · note19 · page");
    assert_eq!(world.queues(), ["a b c"]);
}

#[test]
fn a_change_that_a_mended_hole_hid_is_seen_and_one_that_was_seen_is_not_repeated() {
    let mut world = World::at(12);
    world.opens_with(Some(Vec::new())).logs(Surface::None, put(0, waits("a")));
    world.has_logged(put(1, waits("b"))).play("note15 · page");
    assert_eq!(world.queues(), ["", "a", "a b"]);
}

#[test]
fn what_a_step_has_taken_is_found_behind_messages_of_before_the_window() {
    // One message waited before the window; a second joins it, and two steps take one each.
    let mut world = World::at(12);
    world.has_logged(put(1, steers("s"))).has_logged(taken(true));
    world.has_logged(Body::StepEnd { turn: 2, step: 1 }).has_logged(Body::StepStart { turn: 2, step: 2 });
    world.has_logged(taken(true)).opens_with(Some(Vec::new()));
    assert_eq!(world.queues(), ["s"]);
}
