//! Semantics C4: plain envelopes, best effort.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, delta, say, start};
use super::world::{Openings, Reading, World, text};
use crate::event::{AgentEvent, Coordinate, Envelope, Fact, RunId};
use crate::follow::{Closed, Input, Live, Options, Protocol, ReadError, Status, Wake};
use crate::json::Notes;

/// A page that follows a plain stream of a thread in which somebody has said "hi".
fn plain() -> World {
    let protocol = Protocol::Plain;
    let mut world =
        World::with(Options { protocol, thread_id: None, renewable: false, watchdog: false, initial: None });
    world.host.act(&say("hi"));
    world.input(Input::Connect);
    world
}

fn at(run: &str, step: u32) -> Option<Coordinate> {
    Some(Coordinate { run_id: RunId::from(run), step, response: 0 })
}

impl World {
    /// A Delta of the plain stream.
    fn says(&mut self, run: &str, coordinate: Option<Coordinate>, what: &str) -> &mut Self {
        self.envelope(run, coordinate, AgentEvent::Delta(text(what)))
    }

    /// A Fact of the plain stream.
    fn hints(&mut self, run: &str) -> &mut Self {
        self.envelope(run, None, AgentEvent::Fact(Fact::RunStarted {}))
    }

    fn envelope(&mut self, run: &str, coordinate: Option<Coordinate>, kind: AgentEvent) -> &mut Self {
        let envelope = Envelope { run_id: RunId::from(run), kind, coordinate };
        self.live(Live::Plain(envelope, Notes::default()))
    }
}

#[test]
fn the_log_is_read_on_open_and_deltas_are_shown_by_coordinate() {
    let mut world = plain();
    world.expect("user: hi").expect_status(&Status::Live).says("r1", at("r1", 0), "Hel").says("r1", at("r1", 0), "lo");
    world.says("r1", at("r1", 1), "next").expect("user: hi | live: Hello | live: next");
}

#[test]
fn deltas_without_a_coordinate_are_shown_by_run() {
    let mut world = plain();
    world.reads(Reading::Waits).says("r1", None, "Hel").says("r2", None, "other").says("r1", None, "lo");
    world.expect("user: hi | live: Hello | live: other");
}

#[test]
fn a_live_fact_is_a_hint_to_read_and_nothing_else() {
    let mut world = plain();
    world.hints("r1").expect("user: hi").expect_counts(0, 0, 2);
    world.lose(Act::Finish).hints("r1").expect("user: hi | ended").expect_counts(0, 0, 3);
}

#[test]
fn the_log_is_read_every_three_seconds_while_a_run_works() {
    let mut world = plain();
    world.host.act(&Act::Await("c"));
    world.advance(3_000).expect("user: hi | awaiting").expect_counts(0, 0, 2);
    world.advance(30_000).expect_counts(0, 0, 2);
    world.host.act(&Act::GoOn);
    world.hints("r1").advance(9_000).expect_counts(0, 0, 6);
    world.host.act(&Act::Finish);
    world.advance(3_000).expect("user: hi | awaiting | ended").advance(30_000).expect_counts(0, 0, 7);
}

#[test]
fn a_page_of_another_epoch_is_another_log_and_is_read_from_its_start() {
    let mut world = plain();
    world.host.act(&Act::Finish);
    world.hints("r1").expect("user: hi | ended");
    world.host.restart(true, 100);
    world.host.act(&say("anew"));
    world.hints("r1").advance(1_000).expect("user: anew");
    assert_eq!(world.anomalies, ["epoch_over"]);
}

#[test]
fn a_page_that_nobody_sees_reads_while_it_holds_its_stream_and_not_once_it_has_let_it_go() {
    let mut world = plain();
    world.host.act(&start(0));
    let reads = |world: &World| world.follower.stats().reads;
    world.hints("r1").input(Input::Hidden).advance(6_000);
    let before = reads(&world);
    world.advance(6_000);
    assert_eq!(reads(&world), before + 2, "every three seconds");
    world.advance(400_000);
    let before = reads(&world);
    world.advance(600_000);
    assert_eq!(reads(&world), before, "nobody sees it, and no stream is held");
    world.wake(Wake::Visible).advance(1_000);
    assert!(reads(&world) > before);
}

#[test]
fn the_log_is_read_on_close() {
    let mut world = plain();
    world.says("r1", at("r1", 0), "Hel").opens(Openings::Hang).lose(Act::Finish).cut();
    world.expect("user: hi | ended").expect_counts(0, 1, 2);
}

#[test]
fn r05_a_new_connection_starts_the_preview_anew_however_often() {
    let mut world = plain();
    for _ in 0..4 {
        world.says("r1", at("r1", 0), "Hello ").says("r1", at("r1", 0), "world").expect("user: hi | live: Hello world");
        world.cut().expect("user: hi | unconfirmed: Hello world").advance(1000);
        world.expect("user: hi | unconfirmed: Hello world");
    }
}

#[test]
fn r07_a_tail_that_is_said_again_without_ids_does_not_stand_twice() {
    let mut world = plain();
    world.says("r1", None, "Hello ").says("r1", None, "world").cut().advance(1000).says("r1", None, "world");
    world.expect("user: hi | live: world");
}

#[test]
fn text_is_never_deduplicated() {
    let mut world = plain();
    world.says("r1", None, "ha").says("r1", None, "ha").expect("user: hi | live: haha");
}

#[test]
fn a_record_settles_the_lane_of_its_coordinate() {
    let mut world = plain();
    for act in [start(0), delta("Hello"), Act::Commit] {
        world.host.act(&act);
    }
    world.says("r1", at("r1", 0), "Hel").says("r1", at("r1", 1), "next").hints("r1");
    world.expect("user: hi | assistant: Hello | live: next");
}

#[test]
fn a_record_settles_the_lane_of_its_run_where_deltas_name_no_coordinate() {
    let mut world = plain();
    world.says("r1", None, "Hel");
    for act in [start(0), delta("Hello"), Act::Commit] {
        world.host.act(&act);
    }
    world.hints("r1").expect("user: hi | assistant: Hello");
}

#[test]
fn awaiting_and_the_end_of_a_run_drop_all_its_lanes() {
    let mut world = plain();
    world.says("r1", at("r1", 0), "a").says("r1", at("r1", 1), "b");
    world.host.act(&Act::Await("call"));
    world.hints("r1").expect("user: hi | awaiting");
    world.host.act(&Act::GoOn);
    world.says("r1", at("r1", 2), "d").hints("r1").expect("user: hi | awaiting | live: d");
    world.host.act(&say("more"));
    world.hints("r2").says("r2", at("r2", 0), "e").expect("user: hi | awaiting | user: more | live: d | live: e");
    world.host.act(&Act::Finish);
    world.hints("r2").expect("user: hi | awaiting | user: more | ended | live: d");
}

#[test]
fn a_late_delta_of_a_response_that_is_committed_or_of_a_run_that_is_over_is_ignored() {
    let mut world = plain();
    for act in [start(0), delta("Hello"), Act::Commit] {
        world.host.act(&act);
    }
    world.hints("r1").says("r1", at("r1", 0), "lo").expect("user: hi | assistant: Hello");
    world.host.act(&Act::Finish);
    world.hints("r1").says("r1", at("r1", 0), "lo").says("r1", None, "lo").says("r1", at("r1", 5), "x");
    world.expect("user: hi | assistant: Hello | ended");
}

#[test]
fn another_epoch_is_read_anew_and_shown_in_one_change() {
    let mut world = plain();
    let steps = world.page.steps;
    world.host.restart(true, 2);
    world.host.act(&say("new"));
    world.hints("r1").advance(2_000).expect("user: new").expect_status(&Status::Live);
    assert_eq!(world.page.steps, steps + 1);
}

#[test]
fn deltas_before_the_first_page_are_shown_with_it() {
    let mut world = World::new(Protocol::Plain);
    world.host.act(&say("hi"));
    world.reads(Reading::Waits).input(Input::Connect).says("r1", at("r1", 0), "Hel").expect("");
    world.answer().expect("user: hi | live: Hel").expect_counts(0, 0, 1);
}

#[test]
fn e04_whatever_ends_a_plain_stream_only_the_log_ends_the_run() {
    for last in [None, Some("[DONE]"), Some("{}"), Some("{\"type\":\"ru")] {
        let mut world = plain();
        world.says("r1", at("r1", 0), "Hello");
        if let Some(data) = last {
            world.live(crate::source::threadfold::plain_event("message", data));
        }
        world.opens(Openings::Hang).cut().expect("user: hi | unconfirmed: Hello");
        for act in [start(0), delta("Hello"), Act::Commit, Act::Finish] {
            world.host.act(&act);
        }
        world.advance(3_000).expect("user: hi | assistant: Hello | ended");
    }
}

#[test]
fn a_plain_stream_that_closes_at_once_is_given_up_and_an_accepted_command_revives_it() {
    let mut world = plain();
    world.opens(Openings::End(Closed::Refused { status: 204, retry_after: None })).cut().advance(1_000);
    world.expect_status(&Status::Failed { code: "no_content" }).opens(Openings::Work);
    let cancel = crate::follow::Command::Cancel { run_id: None };
    world.command(1, cancel).respond(1, crate::follow::Outcome::Accepted(crate::follow::Accepted::default()));
    world.expect_status(&Status::Live);
}

#[test]
fn a_frame_of_the_contract_on_a_plain_stream_is_told_and_ignored() {
    let mut world = plain();
    let opened = world.host.opened();
    world.arrive(&opened).expect("user: hi");
    assert_eq!(world.anomalies, ["wrong_protocol"]);
}

#[test]
fn a_late_delta_of_a_run_that_waits_is_taken_out_by_the_next_read() {
    let mut world = plain();
    world.says("r1", at("r1", 0), "Hel").lose(Act::Await("c")).hints("r1").expect("user: hi | awaiting");
    world.says("r1", at("r1", 0), "lo").expect("user: hi | awaiting").expect_counts(0, 0, 3);
    // A Delta may also be the first sign that the run goes on.
    world.lose(Act::GoOn).says("r1", at("r1", 1), "more").expect("user: hi | awaiting | live: more");
}

#[test]
fn a_delta_of_a_run_that_the_log_never_had_is_taken_out_by_the_next_read() {
    let mut world = plain();
    world.says("lost", None, "of another log").expect("user: hi").expect_counts(0, 0, 2);
}

#[test]
fn a_delta_of_a_lost_run_while_a_log_is_read_unseen_is_taken_out_by_the_next_read() {
    for (rows, reads) in [(1, 3), (100, 2)] {
        let mut world = World::new(Protocol::Plain);
        world.host.act(&say("hi"));
        world.host.act(&Act::Finish);
        world.host.page_size = rows;
        world.reads(Reading::Waits).input(Input::Connect).says("lost", None, "of another log").expect("");
        for _ in 2..reads {
            world.answer().expect("");
        }
        world.answer().expect("user: hi | ended | live: of another log");
        world.answer().expect("user: hi | ended").expect_counts(0, 0, reads);
    }
}

#[test]
fn what_comes_of_a_plain_stream_is_counted_and_what_is_usual_is_no_anomaly() {
    let mut world = plain();
    for act in [start(0), delta("Hello"), Act::Commit] {
        world.host.act(&act);
    }
    world.says("r1", at("r1", 0), "Hel").hints("r1").says("r1", at("r1", 0), "lo").says("r1", at("r1", 1), "next");
    let stats = world.follower.stats();
    assert_eq!((stats.frames, stats.deltas, stats.duplicates, stats.anomalies), (4, 2, 1, 0));
}

#[test]
fn a_read_that_began_before_a_delta_does_not_tell_that_it_was_late() {
    let mut world = plain();
    world.reads(Reading::Waits).hints("r1").says("r2", None, "Hel").lose(say("more"));
    world.answer().expect("user: hi | live: Hel").answer().expect("user: hi | user: more | live: Hel");
}

#[test]
fn the_log_counts_as_behind_while_a_read_that_failed_is_repeated() {
    let mut world = plain();
    world.expect_status(&Status::Live);
    world.reads(Reading::Fails(ReadError::Network("reset".to_owned()), 1)).hints("r1");
    world.expect_status(&Status::CatchingUp).advance(1_000).expect_status(&Status::Live);
}

#[test]
fn refusals_for_want_of_authority_count_in_a_row_alone() {
    let options =
        Options { protocol: Protocol::Plain, thread_id: None, renewable: true, watchdog: false, initial: None };
    let mut world = World::with(options);
    world.host.act(&say("hi"));
    world.host.act(&Act::Finish);
    world.input(Input::Connect);
    for _ in 0..3 {
        world.reads(Reading::Fails(ReadError::Refused { status: 401, retry_after: None, code: None }, 2)).hints("r1");
        world.advance(5_000).expect_status(&Status::Live);
    }
}

#[test]
fn a_page_of_another_epoch_that_comes_unasked_is_another_log_too() {
    let mut world = plain();
    world.reads(Reading::Waits).hints("r1");
    world.host.restart(true, 100);
    world.host.act(&say("anew"));
    // A host that does not look at the epoch that it is asked for.
    let (_, answer) = world.waiting.front_mut().unwrap();
    *answer = world.host.page(Some(1), 500, None, None);
    world.answer().expect("user: hi");
    assert_eq!(world.anomalies, ["epoch_over"]);
    world.reads(Reading::Works).advance(1_000).expect("user: anew").expect_status(&Status::Live);
}

#[test]
fn a_response_stays_committed_when_another_run_ends() {
    let mut world = plain();
    for act in [start(0), delta("Hello"), Act::Commit, Act::End, say("more"), Act::Finish] {
        world.host.act(&act);
    }
    let shown = "user: hi | assistant: Hello | user: more | ended";
    world.hints("r1").expect(shown).says("r1", at("r1", 0), "lo").expect(shown);
}

#[test]
fn a_follower_that_is_not_connected_wants_to_be_called_for_nothing() {
    let mut host = super::host::Host::default();
    host.act(&say("hi"));
    let initial = host.page(None, 500, None, None).ok();
    let options = Options { protocol: Protocol::Plain, thread_id: None, renewable: false, watchdog: false, initial };
    let mut world = World::with(options);
    world.host = host;
    world.input(Input::Tick);
    assert_eq!(world.follower.deadline(), None);
    world.input(Input::Connect).lose(Act::Finish).advance(3_000).expect("user: hi | ended");
}

#[test]
fn an_event_that_cannot_be_read_may_have_been_a_hint() {
    let mut world = plain();
    world
        .lose(Act::Finish)
        .live(crate::source::threadfold::plain_event("message", "{\"run_id\":"))
        .expect("user: hi | ended");
}
