//! Rules 1, 2 and 4 of semantics C3: what becomes of the log.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, delta, say, start};
use super::world::{Openings, Reading, World, world};
use crate::event::Epoch;
use crate::follow::frame::{Frame, Ping};
use crate::follow::{Closed, Input, Options, Protocol, ReadError, Status};
use crate::thread::Page;

#[test]
fn the_stream_is_opened_before_the_log_is_read() {
    let mut world = World::new(Protocol::Strict);
    world.host.act(&say("hi"));
    world.opens(Openings::Hang).input(Input::Connect);
    assert_eq!((world.opened_at.len(), world.asked.len()), (1, 0));
    world.expect_status(&Status::Connecting);
    let opened = world.host.opened();
    world.reads(Reading::Waits).arrive(&opened);
    assert_eq!(world.asked.len(), 1);
    assert_eq!((world.asked[0].after, world.asked[0].epoch.clone()), (None, Some(Epoch::from("e1"))));
    world.expect_status(&Status::CatchingUp).answer().expect("user: hi").expect_status(&Status::Live);
}

#[test]
fn an_empty_thread_is_live_at_once() {
    let mut world = World::new(Protocol::Strict);
    world.input(Input::Connect).expect("").expect_status(&Status::Live).say("hi").expect("user: hi");
    world.expect_counts(0, 0, 0);
}

#[test]
fn the_first_epoch_is_staged_and_shown_in_one_change() {
    let mut world = World::new(Protocol::Strict);
    for act in [say("hi"), start(0), delta("a"), Act::Commit, Act::End, start(1), delta("b")] {
        world.host.act(&act);
    }
    world.host.page_size = 1;
    world.reads(Reading::Waits).input(Input::Connect).expect("").answer().expect("");
    world.answer().expect("user: hi | assistant: a | live: b");
    assert_eq!(world.page.steps, 1);
}

#[test]
fn another_epoch_is_staged_while_the_old_view_stays_and_goes_in_one_change() {
    let mut world = world();
    world.start(0).delta("old").commit().end().start(1).delta("lane").reads(Reading::Waits).restart(true, 2);
    world
        .lose(say("new"))
        .advance(1000)
        .expect("user: hi | assistant: old | unconfirmed: lane")
        .expect_status(&Status::CatchingUp);
    let steps = world.page.steps;
    world.start(0).delta("a").expect("user: hi | assistant: old | unconfirmed: lane");
    world.answer_all().expect("user: hi | user: new | live: a").expect_status(&Status::Live);
    assert_eq!(world.page.steps, steps + 1);
}

#[test]
fn frames_of_the_staged_epoch_go_to_its_log_and_lane_until_it_is_shown() {
    let mut world = world();
    world.reads(Reading::Waits).restart(true, 0).advance(1000);
    world.say("more").start(0).delta("a").delta("b").expect("user: hi").answer_all();
    world.expect("user: hi | ended Indeterminate | user: more | live: ab");
}

#[test]
fn rows_that_are_announced_while_a_staged_log_is_still_unread_lie_beyond_a_hole() {
    let mut world = World::new(Protocol::Strict);
    world.host.act(&say("one"));
    world.reads(Reading::Waits).input(Input::Connect).then(Act::Finish).say("two").expect("");
    world.answer_all().expect("user: one | ended | user: two");
}

#[test]
fn a_staged_log_that_live_rows_complete_is_shown_then() {
    let mut world = World::new(Protocol::Strict);
    world.host.act(&say("one"));
    world.reads(Reading::Waits).input(Input::Connect);
    world.host.act(&Act::Finish);
    let opened = world.host.opened();
    // The page was asked for before the end, and is answered after an opening that announces it.
    world.arrive(&opened).answer().expect("");
    world.host.log.pop();
    world.finish().expect("user: one | ended").expect_status(&Status::Live);
}

#[test]
fn a_further_opening_of_the_staged_epoch_goes_on_staging() {
    let mut world = world();
    world.host.page_size = 1;
    world.lose(Act::Finish).lose(say("two")).reads(Reading::Waits).restart(true, 0).advance(1000);
    world.answer().answer();
    let asked = world.asked.len();
    world.cut().advance(1000).expect("user: hi").answer_all();
    world.expect("user: hi | ended | user: two | ended Indeterminate");
    let epochs: Vec<_> = world.asked[asked..].iter().map(|fetch| (fetch.after, fetch.epoch.clone())).collect();
    assert!(epochs.iter().all(|(after, epoch)| after.is_some() && *epoch == Some(Epoch::from("e2"))), "{epochs:?}");
}

#[test]
fn an_opening_of_our_own_epoch_ends_the_staging() {
    let mut world = world();
    world.reads(Reading::Waits);
    let ours = world.host.opened();
    let before = world.host.clone();
    world.host.restart(true, 0);
    let other = world.host.opened();
    world.host = before;
    world.arrive(&other).arrive(&ours).answer_all().expect("user: hi").say("more").expect("user: hi | user: more");
    world.expect_status(&Status::Live);
}

#[test]
fn a_read_of_an_epoch_that_is_over_is_dropped_and_the_stream_opened_again() {
    let mut world = world();
    world.advance(1000);
    world.host.with_rows = false;
    // The epoch ends between the frame and the read.
    let frames = world.host.act(&say("more"));
    world.host.restart(true, 0);
    for frame in &frames {
        world.arrive(frame);
    }
    world.expect("user: hi | user: more | ended Indeterminate").expect_counts(1, 0, 3);
    assert!(world.anomalies.contains(&"epoch_over"));
}

#[test]
fn a_page_of_another_epoch_than_was_asked_for_is_dropped() {
    let mut world = world();
    world.advance(1000).reads(Reading::Waits).lose(say("more")).ping();
    world.host.restart(true, 0);
    let (_, answer) = world.waiting.front_mut().unwrap();
    *answer = world.host.page(Some(1), 500, None, None);
    world.answer().expect("user: hi").expect_counts(1, 0, 3);
    assert_eq!(world.anomalies, ["epoch_over"]);
    world.answer_all().expect("user: hi | user: more | ended Indeterminate");
}

#[test]
fn a_read_of_an_epoch_that_is_over_leaves_an_opening_that_is_due_anyway_to_its_pause() {
    let mut world = world();
    world.advance(1000).reads(Reading::Waits).opens(Openings::End(Closed::Lost)).cut();
    let status = world.follower.status().clone();
    assert!(matches!(status, Status::Waiting { .. }));
    let (_, answer) = world.waiting.front_mut().unwrap();
    *answer = Err(ReadError::Refused { status: 409, retry_after: None, code: None });
    world.answer().expect_status(&status).expect_counts(0, 1, 2);
}

#[test]
fn the_log_is_shown_though_the_stream_can_not_be_opened() {
    let mut world = World::new(Protocol::Strict);
    world.host.act(&say("hi"));
    world.opens(Openings::End(Closed::Refused { status: 503, retry_after: None })).input(Input::Connect);
    world.expect("user: hi").finish().opens(Openings::Work).advance(2_000).expect("user: hi | ended");
    world.expect_status(&Status::Live);
    assert_eq!(world.page.steps, 2, "the epoch that the page told goes on");
}

#[test]
fn a_ping_of_another_epoch_opens_the_stream_again() {
    let mut world = world();
    world.advance(1000);
    world.host.restart(true, 0);
    world.ping().expect("user: hi | ended Indeterminate").expect_counts(1, 0, 2);
}

#[test]
fn late_answers_to_reads_of_an_epoch_that_is_over_change_nothing() {
    let mut world = world();
    world.lose(say("lost")).reads(Reading::Waits).ping().restart(true, 2).advance(1000);
    world.answer_all().expect("user: hi | ended Indeterminate");
}

#[test]
fn an_opening_below_our_last_is_only_an_older_cut() {
    let mut world = world();
    let older = world.host.opened();
    world.say("more").reads(Reading::Waits).arrive(&older).expect("user: hi | user: more");
    world.expect_counts(0, 0, 1).finish().expect("user: hi | user: more | ended").expect_status(&Status::Live);
}

#[test]
fn an_opening_above_our_last_is_read_up_to() {
    let mut world = world();
    world.lose(Act::Finish).lose(say("more")).advance(1000);
    let opened = world.host.opened();
    world.arrive(&opened).expect("user: hi | ended | user: more").expect_counts(0, 0, 2);
}

#[test]
fn rows_that_join_on_are_applied_without_a_read() {
    world().finish().say("more").expect("user: hi | ended | user: more").expect_counts(0, 0, 1);
}

#[test]
fn rows_that_are_known_are_passed_over() {
    let mut world = world();
    world.twice(Act::Finish).twice(say("more")).expect("user: hi | ended | user: more").expect_counts(0, 0, 1);
}

#[test]
fn a_hole_in_the_log_is_one_read_and_touches_neither_lane_nor_stream() {
    let mut world = world();
    world.lose(Act::Finish).reads(Reading::Waits).say("more").start(0).delta("a").expect("user: hi | live: a");
    world.answer_all().expect("user: hi | ended | user: more | live: a").expect_counts(0, 0, 2);
}

#[test]
fn a_host_that_announces_without_rows_is_read_once_for_each_commit() {
    let mut world = world();
    world.host.with_rows = false;
    world.finish().say("more").expect("user: hi | ended | user: more").expect_counts(0, 0, 3);
}

#[test]
fn a_commit_that_can_not_be_read_is_fetched_at_once() {
    let mut world = world();
    world.lose(Act::Finish).live(crate::source::threadfold::live_event("committed", "{")).expect("user: hi | ended");
}

#[test]
fn one_read_is_under_way_and_what_is_wished_for_meanwhile_is_kept() {
    let mut world = world();
    world.host.with_rows = false;
    world.reads(Reading::Waits).finish().say("two").finish().say("three");
    assert_eq!(world.waiting.len(), 1);
    world.answer().expect("user: hi | ended");
    assert_eq!(world.waiting.len(), 1, "the rest is read at once");
    world.answer().expect("user: hi | ended | user: two | ended | user: three").expect_counts(0, 0, 3);
    assert!(!world.anomalies.contains(&"stale_read"));
}

#[test]
fn a_stale_read_changes_nothing_and_is_repeated_with_pauses() {
    let mut world = world();
    world.reads(Reading::Stale(Some(1), 4)).lose(Act::Finish).ping().expect("user: hi");
    world.expect_status(&Status::CatchingUp).advance(50).expect_counts(0, 0, 2);
    world.advance(20_000).expect("user: hi | ended").expect_counts(0, 0, 6).expect_status(&Status::Live);
    assert_eq!(world.anomalies, ["stale_read"; 4]);
}

#[test]
fn a_stale_read_is_not_repeated_once_the_stream_has_brought_the_rest() {
    let mut world = world();
    world.reads(Reading::Stale(Some(1), 1));
    let frames = world.host.act(&Act::Finish);
    world.ping().expect("user: hi");
    for frame in &frames {
        world.arrive(frame);
    }
    world.expect("user: hi | ended").advance(20_000).expect_counts(0, 0, 2);
}

#[test]
fn a_page_that_does_not_go_on_where_the_log_ends_is_repeated_with_a_pause() {
    let mut world = world();
    world.lose(Act::Finish).lose(say("more")).reads(Reading::Waits).ping();
    let (_, answer) = world.waiting.front_mut().unwrap();
    *answer = world.host.page(Some(2), 500, None, None);
    world.answer().expect("user: hi");
    assert_eq!(world.anomalies, ["short_read"]);
    world.reads(Reading::Works).advance(1000).expect("user: hi | ended | user: more");
}

#[test]
fn a_page_of_known_rows_that_says_there_is_more_is_repeated_with_a_pause() {
    let mut world = world();
    world.lose(Act::Finish).reads(Reading::Waits).ping();
    let (_, answer) = world.waiting.front_mut().unwrap();
    let mut page = world.host.page(None, 500, None, Some(1)).unwrap();
    page.has_more = true;
    *answer = Ok(page);
    world.answer().expect("user: hi").expect_counts(0, 0, 2);
    assert_eq!(world.anomalies, ["short_read"]);
    world.reads(Reading::Works).advance(1000).expect("user: hi | ended");
}

#[test]
fn a_log_of_many_pages_is_read_page_after_page() {
    let mut world = world();
    world.host.page_size = 1;
    for _ in 0..5 {
        world.lose(Act::Finish).lose(say("x"));
    }
    world.ping().check();
    assert_eq!(world.page.records.len(), world.host.log.len());
    assert_eq!(world.settled(), Ok(()));
}

#[test]
fn a_failed_read_is_repeated_with_pauses_that_grow_and_a_retry_after_is_kept() {
    let mut world = world();
    let refused = ReadError::Refused { status: 503, retry_after: Some(7_000), code: None };
    world.lose(Act::Finish).reads(Reading::Fails(refused, u32::MAX)).ping().advance(6_999).expect_counts(0, 0, 2);
    world.reads(Reading::Fails(ReadError::Network("reset".to_owned()), u32::MAX)).advance(1).expect_counts(0, 0, 3);
    world.expect_status(&Status::CatchingUp).expect("user: hi");
    world.advance(600_000).check();
    let reads = world.follower.stats().reads;
    assert!((20..80).contains(&reads), "{reads} reads in ten minutes");
    world.reads(Reading::Works).advance(40_000).expect("user: hi | ended").expect_status(&Status::Live);
}

#[test]
fn an_epoch_that_nobody_asked_for_can_not_be_over() {
    let mut world = World::new(Protocol::Strict);
    let over = ReadError::Refused { status: 409, retry_after: None, code: None };
    world.reads(Reading::Fails(over, 50)).opens(Openings::Hang).input(Input::Connect).cut().advance(10_000);
    assert!(world.asked.len() < 15, "{} reads in ten seconds", world.asked.len());
    assert_eq!(world.anomalies.first(), Some(&"read_refused"));
}

#[test]
fn a_read_that_is_never_answered_counts_as_lost() {
    let mut world = world();
    world.reads(Reading::Waits).lose(Act::Finish).ping().advance(29_000).expect_counts(0, 0, 2);
    world.heartbeat = 10_000;
    world.reads(Reading::Works);
    world.waiting.clear();
    world.advance(2_000).expect("user: hi | ended").expect_counts(0, 0, 3);
}

#[test]
fn an_initial_page_is_shown_before_anything_is_asked_for_and_gone_on_from() {
    let mut host = super::host::Host::default();
    host.act(&say("hi"));
    let page = host.page(None, 500, None, None).unwrap();
    let mut world = from_page(page);
    world.host = host;
    world.expect("user: hi").expect_status(&Status::Idle);
    world.host.act(&Act::Finish);
    world.input(Input::Connect).expect("user: hi | ended").expect_counts(0, 0, 1);
    assert_eq!(world.asked[0].after, Some(1));
}

#[test]
fn an_initial_page_of_an_epoch_that_is_over_is_replaced_in_one_change() {
    let mut host = super::host::Host::default();
    host.act(&say("hi"));
    let page = host.page(None, 500, None, None).unwrap();
    let mut world = from_page(page);
    host.restart(true, 1);
    world.host = host;
    world.input(Input::Connect).check();
    assert_eq!(world.settled(), Ok(()));
    assert_eq!(world.page.steps, 2);
}

#[test]
fn a_ping_ahead_of_the_log_is_one_read() {
    let mut world = world();
    world.lose(Act::Finish).ping().expect("user: hi | ended").ping().ping().expect_counts(0, 0, 2);
}

#[test]
fn a_ping_ahead_of_the_lane_opens_the_stream_again() {
    let mut world = world();
    world.start(0).delta("a").advance(1000).lose(delta("b")).ping().expect("user: hi | live: ab");
    world.expect_counts(1, 0, 1);
    assert_eq!(world.follower.stats().gaps, 1);
}

#[test]
fn a_ping_behind_says_nothing() {
    let mut world = world();
    let ping = Ping { epoch: Epoch::from("e1"), frontier: Some(0), revision: 0 };
    world.start(0).delta("a").arrive(&Frame::Ping(ping)).expect("user: hi | live: a").expect_counts(0, 0, 1);
}

fn from_page(page: Page) -> World {
    let protocol = Protocol::Strict;
    World::with(Options { protocol, thread_id: None, renewable: false, watchdog: true, initial: Some(page) })
}
