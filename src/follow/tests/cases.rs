//! The cases from the field that the follower decides, by their numbers.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, call, delta, say, start, think};
use super::world::{Openings, Reading, World, world};
use crate::follow::{Input, Protocol, Status, Wake};

/// Makes these things happen while nobody looks.
fn meanwhile(world: &mut World, acts: &[Act]) {
    for act in acts {
        world.host.act(act);
    }
}

#[test]
fn r01_a_baseline_that_begins_at_the_start_does_not_stack_on_what_is_shown() {
    let mut world = world();
    world.start(0).then(think("ab")).delta("Hel").advance(1000).cut().advance(1000);
    world.expect("user: hi | live: (ab) Hel").delta("lo").expect("user: hi | live: (ab) Hello");
}

#[test]
fn r02_an_answer_of_the_next_run_stands_beside_the_last_one() {
    let mut world = world();
    world.start(0).delta("one").commit().end().finish();
    world.lose(say("more")).lose(start(0)).lose(delta("two")).advance(1000).cut().advance(1000);
    world.expect("user: hi | assistant: one | ended | user: more | live: two");
}

#[test]
fn r04_a_baseline_that_comes_twice_is_one_copy_and_deltas_go_on() {
    let mut world = world();
    world.start(0).delta("Hello");
    let opened = world.host.opened();
    world.arrive(&opened).arrive(&opened).delta(" world").expect("user: hi | live: Hello world");
}

#[test]
fn r05_a_preview_is_the_same_after_every_reconnect() {
    let mut world = world();
    world.start(0).delta("Hello ").delta("world");
    for _ in 0..7 {
        world.advance(1000).cut().expect("user: hi | unconfirmed: Hello world").advance(31_000);
        world.expect("user: hi | live: Hello world");
    }
}

#[test]
fn r10_what_was_committed_wins_over_the_preview_that_was_left() {
    let mut world = world();
    world.start(0).delta("v2").opens(Openings::Hang);
    meanwhile(&mut world, &[Act::Abandon, start(0), delta("v3"), Act::Commit, Act::End]);
    world.cut().expect("user: hi | assistant: v3");
}

#[test]
fn r12_what_happened_while_the_stream_was_away_is_there_without_replay() {
    let mut world = world();
    world.advance(1000).cut();
    let missed = [start(0), delta("3"), Act::Commit, Act::End, Act::Finish, say("4")];
    meanwhile(&mut world, &missed);
    world.advance(1000).start(0).delta("5").expect("user: hi | assistant: 3 | ended | user: 4 | live: 5");
}

#[test]
fn r14_frames_that_the_log_has_overtaken_are_known() {
    let mut world = world();
    let mut frames = Vec::new();
    for _ in 0..10 {
        frames.extend(world.host.act(&Act::Finish));
        frames.extend(world.host.act(&say("x")));
    }
    world.ping().check();
    let (records, steps) = (world.page.records.len(), world.page.steps);
    world.arrive_all(&frames).check();
    assert_eq!((world.page.records.len(), world.page.steps), (records, steps));
    world.expect_counts(0, 0, 2);
}

#[test]
fn r14_a_host_that_counts_anew_in_the_same_epoch_keeps_its_log() {
    let mut world = world();
    world.start(0).delta("a").commit().end().finish().advance(1000).restart(false, 0).advance(1000);
    world.say("more").start(0).delta("b").expect("user: hi | assistant: a | ended | user: more | live: b");
    assert!(world.page.steps > 0 && world.host.revision < 3);
}

#[test]
fn r15_a_stream_joined_in_the_middle_asks_for_the_beginning() {
    let mut world = World::new(Protocol::Strict);
    meanwhile(&mut world, &[say("hi"), start(0), delta("Hel"), delta("lo")]);
    world.input(Input::Connect).expect("user: hi | live: Hello").delta("!").commit().end().finish();
    world.expect("user: hi | assistant: Hello! | ended");
}

#[test]
fn s01_an_older_read_never_takes_away_what_is_newer() {
    for upto in [Some(1), Some(0), None] {
        let mut world = world();
        world.start(0).delta("a").commit().end().start(1).delta("b").reads(Reading::Stale(upto, 1));
        world.advance(1000).cut().expect("user: hi | assistant: a | unconfirmed: b").advance(1000);
        world.expect("user: hi | assistant: a | live: b").advance(10_000).expect_status(&Status::Live);
    }
}

#[test]
fn s03_what_arrives_while_a_read_is_under_way_is_not_undone_by_it() {
    let mut world = world();
    world.lose(Act::Finish).reads(Reading::Waits).ping();
    let rows = world.host.log.len();
    world.say("two").start(0).delta("a").commit().end().expect("user: hi | live: a");
    world.answer_all().expect("user: hi | ended | user: two | assistant: a");
    assert!(world.page.records.len() > rows);
}

#[test]
fn s05_a_shorter_answer_for_the_same_log_changes_nothing() {
    let mut world = world();
    world.start(0).delta("a").commit().end().finish().reads(Reading::Stale(Some(0), 1)).advance(1000).cut();
    world.expect("user: hi | assistant: a | ended").advance(10_000).expect("user: hi | assistant: a | ended");
}

#[test]
fn s06_a_call_that_a_late_read_leaves_out_stays_until_its_record_comes() {
    let mut world = world();
    world.start(0).then(call("c", "f", "{}")).lose(Act::Commit).reads(Reading::Stale(Some(1), 1)).end();
    world.expect("user: hi | live: [{}]").advance(1000).expect("user: hi | assistant: [{}]");
    world.then(Act::Await("c")).expect("user: hi | assistant: [{}] | awaiting");
}

#[test]
fn s07_a_record_stays_whatever_an_older_opening_says() {
    let mut world = world();
    let older = world.host.opened();
    world.start(0).delta("a").commit().end().arrive(&older).expect("user: hi | assistant: a");
}

#[test]
fn s14_a_hole_in_the_middle_is_told_by_the_frontier_not_by_a_length() {
    let mut world = world();
    world.lose(Act::Finish).lose(say("two")).lose(Act::Finish).reads(Reading::Waits).ping();
    if let Some((_, Ok(page))) = world.waiting.front_mut() {
        page.messages.clear();
    }
    world.answer().check();
    assert!(world.anomalies.contains(&"short_read"));
    world.answer_all().advance(1000).expect("user: hi | ended | user: two | ended");
}

#[test]
fn i01_a_preview_and_its_record_are_one_whatever_their_ids() {
    let mut world = world();
    world.start(0).delta("same text").opens(Openings::Hang).input(Input::Hidden);
    meanwhile(&mut world, &[Act::Commit, Act::End, start(1), delta("same text")]);
    world.cut().opens(Openings::Work).wake(Wake::Visible).advance(1000);
    world.expect("user: hi | assistant: same text | live: same text");
}

#[test]
fn i03_a_record_that_comes_by_stream_and_by_read_is_one() {
    let mut world = world();
    world.start(0).delta("a").reads(Reading::Waits).lose(Act::Commit);
    let rows = world.host.log.clone();
    world.end();
    let frame = crate::follow::frame::Committed { frontier: world.host.frontier(), records: Some(rows) };
    world.arrive(&crate::follow::frame::Frame::Committed(frame)).expect("user: hi | assistant: a").answer_all();
    world.expect("user: hi | assistant: a");
}

#[test]
fn t01_a_thread_in_which_nothing_runs_never_looks_busy() {
    let mut world = World::new(Protocol::Strict);
    meanwhile(&mut world, &[say("hi"), Act::Finish]);
    world.input(Input::Connect).expect("user: hi | ended");
    assert_eq!(world.statuses, [Status::Connecting, Status::CatchingUp, Status::Live]);
}

#[test]
fn t02_after_an_error_the_next_connection_reads_where_the_run_stands() {
    let mut world = world();
    world.start(0).delta("a").opens(Openings::End(crate::follow::Closed::Lost)).cut().advance(3_600_000);
    world.expect_status(&Status::Failed { code: "unreachable" });
    meanwhile(&mut world, &[Act::Commit, Act::End, Act::Finish]);
    world.opens(Openings::Work).wake(Wake::Online).expect("user: hi | assistant: a | ended");
    world.expect_status(&Status::Live);
}

#[test]
fn t04_after_a_long_silence_the_preview_is_unconfirmed_and_the_run_is_read() {
    let mut world = world();
    world.start(0).delta("a").opens(Openings::Hang).advance(90_000).expect("user: hi | unconfirmed: a");
    meanwhile(&mut world, &[Act::Finish]);
    world.opens(Openings::Work).advance(30_000).expect("user: hi | ended").expect_status(&Status::Live);
}

#[test]
fn t08_a_run_that_rests_closes_every_preview_of_it() {
    let mut world = world();
    world.start(0).then(call("c", "f", "{}")).reads(Reading::Waits);
    meanwhile(&mut world, &[Act::Commit, Act::End, Act::Await("c")]);
    world.advance(1000).cut().expect("user: hi | unconfirmed: [{}]").answer_all();
    world.expect("user: hi | assistant: [{}] | awaiting").advance(1000).then(Act::GoOn).start(1).delta("b");
    world.expect("user: hi | assistant: [{}] | awaiting | live: b");
}

#[test]
fn e01_the_end_of_a_stream_is_not_the_end_of_a_run() {
    let mut world = world();
    world.start(0).delta("Hello").opens(Openings::Hang).cut().expect("user: hi | unconfirmed: Hello");
    world.expect_counts(0, 1, 2);
}

#[test]
fn e03_a_last_frame_that_is_always_cut_is_one_read_and_no_loop() {
    let mut world = world();
    world.start(0).delta("Hello").commit().end().lose(Act::Finish);
    world.live(crate::source::threadfold::live_event("committed", "{\"frontier\":3,\"rec"));
    world.expect("user: hi | assistant: Hello | ended").cut().advance(1000).expect_counts(0, 1, 3);
    world.heartbeat = 15_000;
    world.advance(600_000).expect_counts(0, 1, 3).expect_status(&Status::Live);
}

#[test]
fn e05_a_stream_that_ends_inside_arguments_leaves_them_unconfirmed_and_the_log_decides() {
    let mut world = world();
    world.start(0).then(call("c", "f", "{\"a\":[1,")).opens(Openings::Hang).cut();
    world.expect("user: hi | unconfirmed: [{\"a\":[1,]");
    meanwhile(&mut world, &[Act::Finish]);
    world.opens(Openings::Work).advance(20_000).expect("user: hi | ended");
}

#[test]
fn e09_fields_and_events_of_a_newer_host_are_passed_over_and_counted() {
    let mut world = world();
    let (name, data) = world.host.act(&start(0)).remove(0).write();
    let data = data.replacen('{', "{\"colour\":\"blue\",", 1);
    world.live(crate::source::threadfold::live_event(name, &data));
    world.live(crate::source::threadfold::live_event("hologram", "{}")).delta("a").expect("user: hi | live: a");
    assert_eq!((world.anomalies.clone(), world.follower.stats().unknown), (vec!["unknown_key", "unknown_event"], 2));
}

#[test]
fn e11_a_frame_without_its_body_is_refused_and_moves_nothing() {
    let mut world = world();
    world.lose(Act::Finish);
    world.live(crate::source::threadfold::live_event("committed", "{\"records\":[{\"seq\":2}]}"));
    world.expect("user: hi | ended");
    assert_eq!(world.follower.stats().malformed, 1);
}

#[test]
fn n03_an_idle_stream_that_is_ended_again_and_again_is_opened_ever_more_rarely() {
    let mut world = world();
    world.opens(Openings::OpenAndEnd).cut().advance(120_000);
    assert!(world.opened_at.len() < 20, "{} openings in two minutes", world.opened_at.len());
}

#[test]
fn n17_a_page_that_closes_lets_the_run_go_on_and_another_follows_it() {
    let mut world = world();
    world.start(0).delta("Hel").input(Input::Close).advance(60_000);
    let mut other = World::new(Protocol::Strict);
    other.host = world.host.clone();
    other.input(Input::Connect).expect("user: hi | live: Hel").delta("lo").expect("user: hi | live: Hello");
    assert_eq!(world.opened_at.len(), 1);
}

#[test]
fn h01_a_reload_shows_what_a_run_waits_for() {
    let mut world = World::new(Protocol::Strict);
    meanwhile(&mut world, &[say("hi"), start(0), call("c", "f", "{}"), Act::Commit, Act::End, Act::Await("c")]);
    world.input(Input::Connect).expect("user: hi | assistant: [{}] | awaiting");
}

#[test]
fn h04_a_run_that_waits_is_seen_though_there_is_no_message() {
    let mut world = World::new(Protocol::Strict);
    meanwhile(&mut world, &[say("hi"), Act::Await("c")]);
    world.host.log.remove(0);
    if let Some(crate::thread::Record::Run(row)) = world.host.log.first_mut() {
        row.seq = 0;
    }
    if let Some(crate::thread::Record::Run(row)) = world.host.log.last_mut() {
        row.seq = 1;
    }
    world.input(Input::Connect).expect("awaiting");
}

#[test]
fn s12_a_step_that_streams_and_is_read_too_is_there_once_among_all_steps() {
    let mut world = world();
    for step in 0..12 {
        world.start(step).delta("x").commit().end();
    }
    world.start(12).delta("last").lose(Act::Commit).cut().advance(1_000);
    assert_eq!((world.page.lanes.len(), world.page.records.len()), (0, 15));
    world.lose(Act::End).advance(1_000).check();
    let last = world.page.visible();
    assert!(last.ends_with("assistant: x | assistant: last"), "{last}");
}

#[test]
fn p02_what_was_missed_comes_in_one_change() {
    let mut world = world();
    world.start(0).delta("a").opens(Openings::Hang).cut();
    let mut acts = vec![delta("b"); 500];
    acts.extend([Act::Commit, Act::End]);
    for step in 1..10 {
        acts.extend([start(step), delta("x"), Act::Commit, Act::End]);
    }
    acts.extend([start(10), delta("now")]);
    meanwhile(&mut world, &acts);
    let steps = world.page.steps;
    world.opens(Openings::Work).wake(Wake::User).wake(Wake::User).quiet();
    assert_eq!(world.page.records.len(), 12);
    assert!(world.page.steps - steps <= 4, "{} changes", world.page.steps - steps);
}

#[test]
fn c03_text_of_a_producer_that_sends_all_of_it_again_is_put_right_by_the_commit() {
    let mut world = world();
    world.start(0).delta("A").delta("AB").delta("ABC").expect("user: hi | live: AABABC");
    let coordinate = world.host.active.as_ref().unwrap().coordinate.clone();
    let row = world.host.answer(&coordinate, "r1-assistant-0", vec![super::host::text_block("ABC")]);
    let frames = world.host.settle_with(vec![row]);
    world.arrive_all(&frames).end().expect("user: hi | assistant: ABC");
}

#[test]
fn c05_c07_fragments_go_to_the_call_that_they_name_however_they_interleave() {
    let mut world = world();
    world.start(0).then(call("A", "f", "")).then(call("B", "g", ""));
    for (id, args) in [("A", "{\"target\":"), ("B", "{\"target\":"), ("B", "\"B\"}"), ("A", "\"A\"}")] {
        world.then(call(id, "", args));
    }
    world.expect("user: hi | live: [{\"target\":\"A\"}] [{\"target\":\"B\"}]").commit();
    world.expect("user: hi | assistant: [{\"target\":\"A\"}] [{\"target\":\"B\"}]");
}

#[test]
fn c09_the_order_of_calls_is_that_of_the_committed_message() {
    let mut world = world();
    world.start(0).then(call("second", "f", "{\"n\":2}")).then(call("first", "f", "{\"n\":1}"));
    let coordinate = world.host.active.as_ref().unwrap().coordinate.clone();
    let call = |id: &str, input: &str| crate::thread::Block::ToolUse {
        id: id.into(),
        name: "f".to_owned(),
        input: crate::json::Raw::parse(input).unwrap(),
    };
    let content = vec![call("first", "{\"n\":1}"), call("second", "{\"n\":2}")];
    let row = world.host.answer(&coordinate, "r1-assistant-0", content);
    let frames = world.host.settle_with(vec![row]);
    world.arrive_all(&frames).expect("user: hi | assistant: [{\"n\":1}] [{\"n\":2}]");
}

#[test]
fn i05_the_answer_that_streams_keeps_its_place_and_text_when_another_message_is_removed() {
    let mut world = world();
    world.start(0).delta("one").commit().end().finish().say("more").start(0).delta("two");
    // The host takes the first answer out of its log: another epoch, in which the run goes on.
    world.host.crash(true, 0);
    world.host.log.truncate(2);
    world.host.commits = vec![1];
    let run = world.host.next_run();
    world.host.begin(run, "u2", vec![super::host::text_block("more")]);
    world.host.attempt(0, 0);
    world.host.act(&delta("two"));
    let steps = world.page.steps;
    world.cut().advance(1_000).expect("user: hi | user: more | live: two");
    assert!(world.page.steps - steps <= 2, "the swap is one change");
}
