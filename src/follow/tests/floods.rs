//! A host that says more than a page can hold: what it previews is bounded, and the log goes on regardless.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, call, delta, say, start};
use super::world::{World, text, world};
use crate::event::{AgentEvent, AttemptId, Coordinate, Envelope, RunId};
use crate::follow::frame::{End, Frame, Outcome, Start};
use crate::follow::{Input, Live, Protocol};
use crate::json::Notes;

/// As many previews as one side holds.
const LANES: usize = 64;

#[test]
fn a_plain_stream_of_ever_new_responses_leaves_the_newest_ones_alone() {
    let mut world = World::new(Protocol::Plain);
    world.host.act(&say("hi"));
    world.input(Input::Connect).reads(super::world::Reading::Waits);
    for number in 0..1_000 {
        let run_id = RunId::from(format!("r{number}").as_str());
        let coordinate = (number % 2 == 0).then(|| Coordinate { run_id: run_id.clone(), step: 0, response: 0 });
        let kind = AgentEvent::Delta(text("x"));
        world.live(Live::Plain(Envelope { run_id, kind, coordinate }, Notes::default()));
        assert!(world.page.lanes.len() <= LANES, "{} lanes", world.page.lanes.len());
    }
    assert_eq!(world.page.lanes.len(), LANES);
    assert_eq!(world.page.lanes.last().map(|lane| lane.run_id.as_str()), Some("r999"));
    assert!(world.asked.len() <= 2, "{} reads", world.asked.len());
}

#[test]
fn attempts_that_end_with_records_that_never_come_do_not_gather() {
    let mut world = world();
    for number in 0..1_000 {
        let attempt = AttemptId::from(format!("x{number}").as_str());
        let run_id = RunId::from("r1");
        let revision = world.host.revision + 1;
        let started_after = Some(0);
        let start = Start { attempt: attempt.clone(), revision, started_after, run_id, step: number, response: 0 };
        let outcome = Outcome::Committed { seq: 1_000_000 };
        let end = End { attempt, revision: revision + 1, index: 0, outcome };
        world.host.revision += 2;
        world.arrive_all([Frame::Start(start), Frame::End(end)].iter());
        assert!(world.page.lanes.len() <= LANES, "{} lanes", world.page.lanes.len());
    }
    assert_eq!(world.page.lanes.len(), LANES);
}

#[test]
fn an_answer_too_long_for_a_preview_stays_as_it_is_until_it_is_committed() {
    let mut world = world();
    world.start(0);
    let piece = "x".repeat(4 << 20);
    for _ in 0..12 {
        world.then(delta(&piece));
    }
    let shown = |world: &World| world.page.lanes.iter().map(|lane| lane.parts[0].1.len()).sum::<usize>();
    assert_eq!(shown(&world), 9 * piece.len(), "the first fragment beyond 32 MiB is the last one");
    assert_eq!(world.anomalies, ["preview_full"], "told once");
    assert!(world.page.lanes.iter().all(|lane| !lane.confirmed));
    world.commit().end().finish();
    assert!(world.page.lanes.is_empty() && world.page.records.len() == world.host.log.len(), "{:?}", world.anomalies);
    world.then(say("more")).then(start(0)).then(delta("fine"));
    assert_eq!(world.page.lanes.iter().map(|lane| lane.parts[0].1.as_str()).collect::<Vec<_>>(), ["fine"]);
    assert_eq!(world.anomalies.len(), 1);
}

#[test]
fn an_answer_of_ever_new_calls_has_a_thousand_of_them_in_its_preview() {
    let mut world = world();
    world.start(0);
    for number in 0..1_100 {
        world.then(call(&format!("c{number}"), "f", "{}"));
    }
    assert_eq!(world.page.lanes[0].parts.len(), 1024);
    assert_eq!(world.anomalies, ["preview_full"]);
    world.then(Act::Commit).then(Act::End).then(Act::Finish);
    assert!(world.page.lanes.is_empty() && world.page.records.len() == world.host.log.len());
}

#[test]
fn a_plain_stream_that_never_ends_is_shown_as_far_as_a_preview_goes() {
    let mut world = World::new(Protocol::Plain);
    world.host.act(&say("hi"));
    world.input(Input::Connect);
    let kind = AgentEvent::Delta(text(&"x".repeat(4 << 20)));
    for _ in 0..16 {
        let envelope = Envelope { run_id: RunId::from("r1"), kind: kind.clone(), coordinate: None };
        world.live(Live::Plain(envelope, Notes::default()));
    }
    assert_eq!(world.page.lanes.iter().map(|lane| lane.parts[0].1.len()).sum::<usize>(), 36 << 20);
    assert_eq!(world.anomalies, ["preview_full"]);
}
