//! Rules 2, 3, 5 and 6 of semantics C3: what becomes of a lane.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, call, delta, say, start, think};
use super::world::{Openings, Reading, World, world};
use crate::event::{Coordinate, Epoch, RunId};
use crate::follow::frame::{End, Frame, Outcome};
use crate::follow::{Closed, Input, Live, Protocol, Status};
use crate::json::Notes;

/// The frame of `act`, changed before it arrives.
fn changed(world: &mut World, act: Act, change: impl Fn(&mut Frame)) {
    for mut frame in world.host.act(&act) {
        change(&mut frame);
        world.arrive(&frame);
    }
}

#[test]
fn an_answer_is_shown_as_it_comes_and_its_record_takes_its_place() {
    world()
        .expect("user: hi")
        .start(0)
        .expect("user: hi | live:")
        .delta("Hel")
        .expect("user: hi | live: Hel")
        .delta("lo")
        .expect("user: hi | live: Hello")
        .commit()
        .expect("user: hi | assistant: Hello")
        .end()
        .finish()
        .expect("user: hi | assistant: Hello | ended")
        .expect_counts(0, 0, 1)
        .expect_status(&Status::Live);
}

#[test]
fn after_a_lost_fragment_the_baseline_of_the_next_opening_goes_on_where_the_text_stands() {
    let mut world = world();
    world.start(0).delta("Hel").advance(1000).lose(delta("lo")).delta("!").expect("user: hi | live: Hello!");
    world.expect_counts(1, 0, 1).delta("?").expect("user: hi | live: Hello!?").commit().end().finish();
    world.expect("user: hi | assistant: Hello!? | ended");
    let stats = world.follower.stats();
    assert_eq!((stats.deltas, stats.gaps), (2, 1), "a baseline is no fragment");
    assert_eq!(world.page.resets, 0, "only the rest was new");
}

#[test]
fn reasoning_and_parallel_calls_survive_a_reopening_part_by_part() {
    let mut world = world();
    world
        .start(0)
        .then(think("hm"))
        .then(call("a", "f", "{\"x\""))
        .then(call("b", "g", "["))
        .then(call("a", "f", ":1}"));
    world.advance(1000).lose(call("b", "g", "2]")).then(delta("so"));
    world.expect("user: hi | live: (hm) [{\"x\":1}] [[2]] so").commit().end();
    world.expect("user: hi | assistant: (hm) [{\"x\":1}] [[2]] so");
}

#[test]
fn a_baseline_that_does_not_go_on_what_is_shown_replaces_it_in_one_change() {
    let mut world = world();
    world.start(0).delta("Hel").opens(Openings::Hang).cut().expect("user: hi | unconfirmed: Hel");
    world.lose(Act::Abandon).lose(start(0)).lose(delta("Good")).advance(16_000).opens(Openings::Work);
    world.advance(20_000).expect("user: hi | live: Good").delta(" day").expect("user: hi | live: Good day");
    assert_eq!(world.page.resets, 1);
}

#[test]
fn a_frame_that_comes_twice_is_counted_and_ignored() {
    let mut world = world();
    world.twice(start(0)).twice(delta("a")).twice(delta("a")).twice(Act::Commit).twice(Act::End);
    world.expect("user: hi | assistant: aa").expect_counts(0, 0, 1);
    assert_eq!(world.follower.stats().duplicates, 4);
}

#[test]
fn an_index_below_the_next_is_a_duplicate_though_its_revision_is_new() {
    let mut world = world();
    world.start(0).delta("a");
    changed(&mut world, delta("b"), |frame| {
        if let Frame::Delta(frame) = frame {
            frame.index = 0;
        }
    });
    world.expect("user: hi | live: a").expect_counts(0, 0, 1);
    assert_eq!(world.follower.stats().duplicates, 1);
}

#[test]
fn an_index_above_the_next_reopens() {
    let mut world = world();
    world.start(0).delta("a").advance(1000);
    changed(&mut world, delta("b"), |frame| {
        if let Frame::Delta(frame) = frame {
            frame.index = 5;
        }
    });
    world.expect("user: hi | live: ab").expect_counts(1, 0, 1);
    assert_eq!(world.follower.stats().gaps, 1);
}

#[test]
fn fragments_that_swap_places_reopen_once_and_text_is_shown_once() {
    let mut world = world();
    world.start(0).delta("a").advance(1000).swapped(delta("b"), delta("c")).expect("user: hi | live: abc");
    world.expect_counts(1, 0, 1).delta("d").expect("user: hi | live: abcd");
}

#[test]
fn a_start_while_an_attempt_is_open_reopens() {
    let mut world = world();
    world.start(0).delta("a").advance(1000);
    let lost = world.host.active.clone();
    world.lose(Act::Abandon);
    world.host.revision -= 1;
    world.start(0).expect("user: hi | live:").expect_counts(1, 0, 1);
    assert_ne!(lost.map(|attempt| attempt.id), world.host.active.clone().map(|attempt| attempt.id));
    assert!(world.follower.stats().gaps > 0);
}

#[test]
fn frames_of_an_attempt_without_a_lane_are_ignored_and_its_record_comes() {
    let mut world = world();
    world.start(0).delta("a").commit().delta("late").end().expect("user: hi | assistant: a").expect_counts(0, 0, 1);
}

#[test]
fn what_comes_late_of_an_older_stream_changes_nothing() {
    let mut world = world();
    world.start(0).delta("a");
    let old = world.stream().unwrap();
    world.cut().advance(1_000).expect("user: hi | live: a");
    let frame = world.host.clone().act(&delta("b")).remove(0);
    for live in [Live::Frame(frame, Notes::default()), Live::Closed(Closed::Lost)] {
        world.input(Input::Live(old, live)).expect("user: hi | live: a").expect_status(&Status::Live);
    }
    world.delta("c").expect("user: hi | live: ac").expect_counts(0, 1, 2);
}

#[test]
fn a_second_opened_in_one_stream_is_a_new_generation() {
    let mut world = world();
    world.start(0).delta("Hel").lose(delta("lo"));
    let opened = world.host.opened();
    world.arrive(&opened).expect("user: hi | live: Hello").delta("!").expect("user: hi | live: Hello!");
    world.expect_counts(0, 0, 1);
}

#[test]
fn a_start_whose_record_is_known_already_is_history() {
    let mut world = world();
    let lost = world.host.act(&start(0));
    let lost_delta = world.host.act(&delta("a"));
    world.commit().expect("user: hi | assistant: a");
    for frame in lost.iter().chain(&lost_delta) {
        world.arrive(frame);
    }
    world.expect("user: hi | assistant: a").expect_counts(0, 0, 1);
}

#[test]
fn an_active_attempt_whose_record_is_known_already_is_history() {
    let mut world = world();
    world.start(0).delta("a").commit().advance(1000).cut().advance(3000);
    assert!(world.host.active.is_some());
    world.expect("user: hi | assistant: a").end().finish().expect("user: hi | assistant: a | ended");
}

#[test]
fn an_active_attempt_whose_run_has_ended_is_history() {
    let mut world = world();
    world.start(0).delta("a").then(Act::Finish).expect("user: hi | ended").advance(1000).cut().advance(3000);
    world.expect("user: hi | ended");
}

#[test]
fn an_active_attempt_is_no_history_because_another_run_has_ended() {
    let mut world = world();
    world.start(0).delta("a").say("more").finish().advance(1000).cut().advance(3000);
    world
        .expect("user: hi | user: more | ended | live: a")
        .delta("b")
        .expect("user: hi | user: more | ended | live: ab");
}

#[test]
fn an_awaiting_of_before_the_attempt_does_not_drop_its_lane() {
    let mut world = world();
    world.start(0).then(call("c", "f", "{}")).commit().end().then(Act::Await("c")).then(Act::GoOn);
    world.start(1).delta("on").advance(1000).cut().advance(3000);
    world.expect("user: hi | assistant: [{}] | awaiting | live: on");
}

#[test]
fn an_awaiting_after_which_the_attempt_began_at_once_does_not_drop_its_lane() {
    // A host that resumes without a row of its own.
    let mut world = world();
    world.then(Act::Await("c")).start(1).delta("on").expect("user: hi | awaiting | live: on");
    let mut world = super::world::world();
    world.lose(Act::Await("c")).start(1).delta("on").expect("user: hi | awaiting | live: on");
}

#[test]
fn an_awaiting_or_the_end_of_the_run_drops_its_lane_in_the_same_change() {
    let mut world = world();
    world.start(0).delta("a").then(Act::Await("c")).expect("user: hi | awaiting");
    let steps = world.page.steps;
    world.then(Act::Abandon).then(Act::GoOn).start(1).delta("b").finish().expect("user: hi | awaiting | ended");
    assert_eq!(world.page.steps, steps + 4);
}

#[test]
fn a_record_of_before_the_attempt_does_not_settle_it() {
    // Rows 2 and 3 are not read yet when the attempt that began after them is shown.
    let mut world = world();
    world.reads(Reading::Waits).lose(start(0)).lose(delta("a")).lose(Act::Commit).lose(Act::End);
    world.lose(Act::Await("c")).lose(Act::GoOn).lose(start(1)).lose(delta("b")).advance(1000).cut().advance(1000);
    world.expect("user: hi | live: b").answer_all().expect("user: hi | assistant: a | awaiting | live: b");
}

#[test]
fn the_last_record_of_before_the_attempt_does_not_settle_it_though_it_is_of_the_same_response() {
    let mut world = world();
    // A host that answers one response again after it was committed: I1 can't hold for it.
    world.page.best_effort = true;
    world.reads(Reading::Waits).lose(start(0)).lose(delta("a")).lose(Act::Commit).lose(Act::End);
    world
        .advance(1000)
        .start(0)
        .delta("b")
        .expect("user: hi | live: b")
        .answer_all()
        .expect("user: hi | assistant: a | live: b");
}

#[test]
fn a_committed_end_before_its_record_leaves_the_lane_waiting_and_reads() {
    let mut world = world();
    world.start(0).delta("a").reads(Reading::Waits).lose(Act::Commit).end().expect("user: hi | live: a");
    world.expect_counts(0, 0, 2).answer().expect("user: hi | assistant: a");
}

#[test]
fn a_committed_end_after_its_record_leaves_nothing() {
    world().start(0).delta("a").commit().end().expect("user: hi | assistant: a").expect_counts(0, 0, 1);
}

#[test]
fn a_committed_end_of_a_record_that_says_no_coordinate_takes_the_lane_away() {
    let mut world = world();
    world.start(0).delta("a").lose(Act::Commit);
    world.page.best_effort = true;
    if let Some(crate::thread::Record::Message(row)) = world.host.log.last_mut() {
        (row.step, row.response) = (None, None);
    }
    world.end().expect("user: hi | assistant: a");
}

#[test]
fn a_committed_end_whose_record_is_in_the_log_takes_away_what_the_record_did_not_settle() {
    let mut world = world();
    world.start(0).delta("a").lose(Act::Commit);
    if let Some(crate::thread::Record::Message(row)) = world.host.log.last_mut() {
        row.step = Some(9);
    }
    world.ping().expect("user: hi | assistant: a | live: a").end().expect("user: hi | assistant: a");
}

#[test]
fn an_abandoned_end_takes_the_lane_away() {
    let mut world = world();
    world.start(0).delta("a").then(Act::Abandon).expect("user: hi").start(0).delta("b").expect("user: hi | live: b");
    world.expect_counts(0, 0, 1);
}

#[test]
fn an_end_with_another_index_still_waits_for_its_record() {
    let mut world = world();
    world.start(0).delta("a").reads(Reading::Waits).lose(Act::Commit);
    changed(&mut world, Act::End, |frame| {
        if let Frame::End(end) = frame {
            end.index = 7;
        }
    });
    world.expect("user: hi | live: a").answer().expect("user: hi | assistant: a");
    assert!(world.anomalies.contains(&"end_index"));
}

#[test]
fn lanes_that_await_their_records_stay_in_order_beside_the_new_lane() {
    let mut world = world();
    world.start(0).delta("a").reads(Reading::Waits).lose(Act::Commit).end();
    world.start(1).delta("b").lose(Act::Commit).end().start(2).delta("c");
    world.expect("user: hi | live: a | live: b | live: c");
    world.answer().expect("user: hi | assistant: a | live: b | live: c");
    world.answer().expect("user: hi | assistant: a | assistant: b | live: c").expect_counts(0, 0, 3);
}

#[test]
fn a_new_lane_of_a_response_replaces_the_old_one() {
    let mut world = world();
    world.start(0).delta("old").opens(Openings::Hang).cut().expect("user: hi | unconfirmed: old");
    world.lose(Act::Abandon).opens(Openings::Work).advance(16_000 + 30_000).expect("user: hi");
    world.start(0).delta("new").expect("user: hi | live: new");
}

#[test]
fn a_lane_whose_end_the_opening_shows_is_unconfirmed_and_goes_with_the_log() {
    let mut world = world();
    world.start(0).delta("a").reads(Reading::Waits).lose(Act::Commit).lose(Act::End);
    world.advance(1000).cut().advance(1000).expect("user: hi | unconfirmed: a");
    world.answer_all().expect("user: hi | assistant: a").expect_counts(0, 1, 2);
}

#[test]
fn a_lane_that_left_nothing_goes_when_the_log_reaches_the_opening() {
    let mut world = world();
    world.start(0).delta("a").reads(Reading::Waits).lose(Act::Abandon).lose(say("more"));
    world.advance(1000).cut().advance(1000).expect("user: hi | unconfirmed: a");
    world.answer_all().expect("user: hi | user: more");
}

#[test]
fn a_lane_goes_at_once_when_the_log_is_at_the_opening_already() {
    let mut world = world();
    world.start(0).delta("a").lose(Act::Abandon).advance(1000).cut().advance(1000).expect("user: hi");
}

#[test]
fn a_lane_goes_when_the_opening_names_another_attempt_than_the_one_that_fed_it() {
    let mut world = world();
    world.start(0).delta("a").lose(Act::Abandon).lose(start(1)).lose(delta("b")).advance(1000).cut().advance(1000);
    world.expect("user: hi | live: b");
}

#[test]
fn an_opening_of_an_empty_log_takes_away_what_no_attempt_feeds_and_nothing_that_awaits_its_record() {
    // A host that streams before it has committed anything: no row and no later opening would take the lane away.
    let mut world = World::new(Protocol::Strict);
    world.input(Input::Connect);
    let frames = [world.host.attempt(0, 0), world.host.act(&delta("a"))].concat();
    world.arrive_all(&frames).expect("live: a").advance(1000);
    let active = world.host.opened();
    world.arrive(&active).expect("live: a");
    world.host.active = None;
    let opened = world.host.opened();
    world.arrive(&opened).expect("");
    let frames = [world.host.attempt(1, 0), world.host.act(&delta("b"))].concat();
    let attempt = world.host.active.take().unwrap().id;
    let revision = world.host.revision + 1;
    let end = Frame::End(End { attempt, revision, index: 1, outcome: Outcome::Committed { seq: 7 } });
    world.arrive_all(&frames).arrive(&end).arrive(&opened);
    assert_eq!(world.page.visible(), "live: b", "its record was announced");
}

#[test]
fn an_attempt_id_means_nothing_across_openings() {
    // The host began anew in the same epoch: its attempt ids and revisions repeat.
    let mut world = world();
    world.start(0).delta("old").finish().say("again").advance(1000).restart(false, 0).advance(3000);
    world.host.act(&say("third"));
    let shown = "user: hi | ended | user: again | ended Indeterminate";
    world.expect(shown).ping().expect(&format!("{shown} | user: third"));
    world.start(0).delta("new").expect(&format!("{shown} | user: third | live: new"));
    assert_eq!(world.host.active.as_ref().map(|attempt| attempt.id.as_str()), Some("a1"));
}

#[test]
fn the_end_of_an_attempt_that_was_never_seen_still_tells_of_its_record() {
    let mut world = world();
    let coordinate = Coordinate { run_id: RunId::from("r1"), step: 0, response: 0 };
    world.lose(start(0)).lose(delta("a")).lose(Act::Commit);
    world.host.revision = 0;
    let seq = world.host.frontier().unwrap();
    let attempt = world.host.active.take().unwrap().id;
    world.arrive(&Frame::End(End { attempt, revision: 1, index: 1, outcome: Outcome::Committed { seq } }));
    world.expect("user: hi | assistant: a");
    assert_eq!(world.host.said.last().map(|(of, _)| of), Some(&coordinate));
}

#[test]
fn a_start_after_commits_that_were_lost_shows_that_the_log_is_behind() {
    let mut world = world();
    world.lose(Act::Finish).lose(say("more")).start(0).delta("a").expect("user: hi | ended | user: more | live: a");
    world.expect_counts(0, 0, 2);
}

#[test]
fn a_frame_that_can_not_be_read_is_as_good_as_lost() {
    let mut world = world();
    world.start(0).delta("a").advance(1000).lose(delta("b"));
    world.live(crate::source::threadfold::live_event("delta", "{\"attempt\":")).expect("user: hi | live: a");
    world.delta("c").expect("user: hi | live: abc").expect_counts(1, 0, 1);
}

#[test]
fn a_first_frame_that_can_not_be_read_is_a_fault() {
    let mut world = world();
    world.advance(1000).opens(Openings::Hang).cut().advance(500).opens(Openings::Work);
    world.live(crate::source::threadfold::live_event("opened", "{\"epoch\":")).expect_counts(1, 1, 2);
    world.advance(2000).expect_status(&Status::Live);
}

#[test]
fn halves_of_a_character_meet_across_a_reopening() {
    let mut world = world();
    let half = |json: &str| Act::Delta(crate::json::read(json).unwrap());
    world.start(0).then(half(r#"{"type":"text_delta","delta":"a\ud83d"}"#)).expect("user: hi | live: a");
    world.advance(1000).close(Closed::Lost).advance(3000);
    world.then(half(r#"{"type":"text_delta","delta":"\ude00b"}"#)).expect("user: hi | live: a😀b");
}

#[test]
fn what_a_lane_shows_of_another_epoch_is_not_touched() {
    let mut world = world();
    world.start(0).delta("old").reads(Reading::Waits).restart(true, 1);
    assert_eq!(world.host.epoch, Epoch::from("e2"));
    world.lose(say("new")).advance(1000).then(start(0)).then(delta("fresh")).expect("user: hi | unconfirmed: old");
    world.answer_all().expect("user: hi | user: new | live: fresh");
}

#[test]
fn a_name_that_was_told_is_kept_where_a_baseline_leaves_it_out_and_taken_where_it_brings_it() {
    use crate::event::{CallId, Delta};
    for (shown, baseline, name) in [("tool", "", "tool"), ("", "tool", "tool"), ("", "", "")] {
        let mut world = world();
        world.start(0).then(call("c", shown, "{")).cut();
        if let Some(attempt) = &mut world.host.active {
            attempt.deltas =
                vec![Delta::ToolCallDelta { id: CallId::from("c"), name: baseline.to_owned(), args_delta: "{".into() }];
        }
        let steps = world.page.steps;
        world.advance(1_000).expect("user: hi | live: [{]");
        let lane = world.page.lanes[0].id;
        let content = world.follower.lane(lane).unwrap();
        let crate::preview::Part::Call { name: known, .. } = &content.parts()[0] else { panic!() };
        assert_eq!(known, name);
        assert!(world.page.steps > steps, "the name that came is told");
    }
}
