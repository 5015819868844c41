//! The connection: backoff, watchdog, wakes, and what is hidden or away.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::bounds::refused;
use super::host::{Act, delta};
use super::world::{Openings, Reading, World, world};
use crate::follow::{Closed, Input, Live, Options, Protocol, ReadError, Status, Wake};

#[test]
fn pauses_are_random_up_to_a_bound_that_doubles_and_is_half_a_minute_at_most() {
    let mut longest = [0; 12];
    let mut shortest = [u64::MAX; 12];
    for seed in 0..200 {
        let mut world = world();
        world.advance(1000).seeded(seed).opens(Openings::End(Closed::Lost)).cut();
        for failures in 0..12 {
            let Status::Waiting { retry_at } = *world.follower.status() else { panic!("it waits") };
            let pause = retry_at - world.now;
            longest[failures] = longest[failures].max(pause);
            shortest[failures] = shortest[failures].min(pause);
            world.advance(pause);
        }
    }
    for (failures, (longest, shortest)) in longest.into_iter().zip(shortest).enumerate() {
        let bound = (500 << failures).min(30_000);
        assert!(longest <= bound && longest > bound * 8 / 10, "{failures} failures: {longest} of {bound}");
        assert!(shortest < (bound * 2 / 10).max(201), "{failures} failures: {shortest} of {bound}");
    }
}

#[test]
fn a_stream_is_given_up_after_two_and_a_half_of_the_heartbeats_that_were_seen() {
    for beat in [2_000, 10_000, 20_000] {
        let mut world = world();
        world.heartbeat = beat;
        world.advance(10 * beat);
        world.heartbeat = 0;
        let heard = world.now;
        world.advance(2 * beat).expect_status(&Status::Live);
        assert_eq!(world.follower.stats().openings, 1);
        world.advance(3 * beat);
        assert!(world.follower.stats().openings > 1, "silent since {heard}");
    }
}

#[test]
fn a_heartbeat_that_was_long_once_is_forgotten_by_halves() {
    let mut world = world();
    world.heartbeat = 20_000;
    world.advance(100_000);
    world.heartbeat = 1_000;
    world.advance(30_000);
    world.heartbeat = 0;
    world.advance(6_000);
    assert_eq!(world.follower.stats().openings, 2, "a beat of a second is known by now");
    // One short distance alone halves it: two pings may just have been late and early.
    let mut world = super::world::world();
    world.advance(1_000).ping().advance(1_000).ping().advance(18_700);
    assert_eq!(world.follower.stats().openings, 1);
    world.advance(1_000);
    assert_eq!(world.follower.stats().openings, 2);
}

#[test]
fn a_ping_after_which_the_stream_would_have_been_given_up_teaches_no_heartbeat() {
    let mut world = world();
    world.advance(1_000).ping();
    // The page slept, and no tick came in time.
    world.now += 40_000;
    world.ping().advance(37_400);
    assert_eq!(world.opened_at.len(), 1);
    world.advance(1_000);
    assert_eq!(world.opened_at.len(), 2);
}

#[test]
fn whoever_comes_back_to_a_stream_that_is_late_by_a_fifth_opens_another() {
    for (silence, openings) in [(12_000, 1), (12_001, 2)] {
        let mut world = world();
        world.heartbeat = 10_000;
        world.advance(100_000);
        // A ping has just come, and is the last.
        world.heartbeat = 0;
        world.advance(silence).wake(Wake::Visible).advance(1_000);
        assert_eq!(world.follower.stats().openings, openings, "after {silence} ms");
    }
}

#[test]
fn what_was_given_up_for_good_is_taken_up_by_a_person_alone() {
    let mut world = world();
    world.opens(Openings::End(refused(404, None))).cut().advance(60_000);
    world.expect_status(&Status::Failed { code: "not_found" });
    let openings = world.follower.stats().openings;
    world.opens(Openings::Work).wake(Wake::Visible).wake(Wake::Online).advance(60_000);
    assert_eq!(world.follower.stats().openings, openings);
    world.wake(Wake::User).advance(1_000).expect_status(&Status::Live);
}

#[test]
fn a_read_is_refused_three_times_before_nobody_may_read() {
    for (renewable, reads) in [(true, 3), (false, 1)] {
        let options = Options { protocol: Protocol::Strict, thread_id: None, renewable, watchdog: true, initial: None };
        let mut world = World::with(options);
        world.host.act(&super::host::say("hi"));
        world.reads(Reading::Fails(ReadError::Refused { status: 401, retry_after: None, code: None }, 100));
        world.input(Input::Connect).advance(120_000).expect_status(&Status::Unauthorized);
        assert_eq!(world.follower.stats().reads, reads);
    }
}

#[test]
fn the_pause_is_reset_only_after_a_frame_was_applied() {
    let mut world = world();
    world.opens(Openings::End(Closed::Lost)).cut().advance(60_000).opens(Openings::OpenAndEnd).advance(30_000);
    let Status::Waiting { .. } = world.follower.status() else { panic!("an opening alone is no progress") };
    world.opens(Openings::Work).advance(30_000).expect_status(&Status::Live).start(0).cut();
    let Status::Waiting { retry_at } = *world.follower.status() else { panic!("it waits") };
    assert!(retry_at - world.now <= 500);
}

#[test]
fn an_opening_that_shows_that_the_host_has_moved_is_progress() {
    let mut world = world();
    world.opens(Openings::OpenAndEnd).start(0).cut();
    for _ in 0..50 {
        world.lose(delta("a")).advance(31_000).check();
    }
    assert!(!matches!(world.follower.status(), Status::Failed { .. }));
}

#[test]
fn a_read_that_waits_because_the_host_was_away_is_tried_again_when_a_stream_opens() {
    for (retry_after, reads) in [(None, 1), (Some(120_000), 0)] {
        let mut world = world();
        let failing = ReadError::Refused { status: 503, retry_after, code: None };
        world
            .advance(1000)
            .start(0)
            .delta("Hel")
            .opens(Openings::End(Closed::Lost))
            .reads(Reading::Fails(failing, 1000));
        world.cut().lose(delta("lo")).lose(Act::Commit).lose(Act::End).lose(Act::Finish).advance(20_000);
        world.expect("user: hi | unconfirmed: Hel").reads(Reading::Works).opens(Openings::Work);
        let before = world.asked.len();
        let Status::Waiting { retry_at } = *world.follower.status() else { panic!("it waits") };
        world.advance(retry_at - world.now);
        assert_eq!(world.asked.len() - before, reads, "the pause that the host asked for is kept");
    }
}

#[test]
fn the_stream_s_retry_is_the_least_pause() {
    let mut world = world();
    world.advance(1000).live(Live::Retry(5_000)).cut().advance(4_999);
    assert_eq!(world.opened_at.len(), 1);
    world.advance(1);
    assert_eq!(world.opened_at.len(), 2);
}

#[test]
fn a_retry_after_is_kept() {
    let mut world = world();
    world.opens(Openings::End(refused(503, Some(90_000)))).cut().advance(500).opens(Openings::Work).advance(89_000);
    assert_eq!(world.opened_at.len(), 2);
    world.advance(2_000).expect_status(&Status::Live);
}

#[test]
fn openings_keep_their_distance_whatever_happens() {
    let mut world = world();
    for _ in 0..20 {
        world.start(0).lose(delta("a")).delta("b").lose(Act::Abandon).advance(10).wake(Wake::User).advance(10);
    }
    assert!(world.opened_at.len() > 2);
    assert!(world.opened_at.windows(2).all(|pair| pair[1] >= pair[0] + 200), "{:?}", world.opened_at);
}

#[test]
fn a_wake_tries_once_and_at_once() {
    let mut world = world();
    world.opens(Openings::End(Closed::Lost)).cut().advance(120_000);
    let openings = world.opened_at.len();
    world.wake(Wake::Visible).wake(Wake::Pageshow).wake(Wake::Online);
    assert_eq!(world.opened_at.len(), openings + 1);
    assert!(matches!(world.follower.status(), Status::Waiting { .. }));
    world.advance(1000).opens(Openings::Work).wake(Wake::Visible).expect_status(&Status::Live);
}

#[test]
fn a_wake_reads_at_once_what_waits_to_be_read() {
    let mut world = world();
    let busy = ReadError::Refused { status: 503, retry_after: Some(25_000), code: None };
    world.lose(Act::Finish).reads(Reading::Fails(busy, 1)).ping().advance(10_000).expect("user: hi");
    world.wake(Wake::Visible).expect("user: hi | ended").expect_counts(0, 0, 3);
}

#[test]
fn nothing_is_opened_while_the_page_is_hidden_or_the_network_away() {
    for (away, back) in
        [(Input::Hidden, Wake::Visible), (Input::Hidden, Wake::Pageshow), (Input::Offline, Wake::Online)]
    {
        let mut world = world();
        world.start(0).delta("a").input(away).advance(1000).cut().advance(600_000);
        assert_eq!(world.opened_at.len(), 1);
        world.lose(delta("b")).wake(back).expect("user: hi | live: ab").expect_status(&Status::Live);
        assert_eq!(world.opened_at.len(), 2);
    }
}

#[test]
fn nothing_is_read_while_the_network_is_away() {
    let mut world = world();
    world.input(Input::Offline).expect_status(&Status::Offline).cut().advance(600_000).expect_counts(0, 1, 1);
    assert_eq!(world.follower.deadline(), None);
    world.lose(Act::Finish).wake(Wake::Online).expect("user: hi | ended");
}

#[test]
fn a_page_that_is_hidden_and_offline_waits_for_both() {
    let mut world = world();
    world.input(Input::Offline).input(Input::Hidden).cut().wake(Wake::Visible).advance(60_000);
    assert_eq!(world.opened_at.len(), 1);
    world.wake(Wake::Online).expect_status(&Status::Live);
}

#[test]
fn n10_p05_a_page_out_of_sight_holds_its_stream_for_five_minutes_and_takes_it_up_when_it_is_seen() {
    let mut world = world();
    world.heartbeat = 15_000;
    world.start(0).delta("a").input(Input::Hidden).advance(299_000).delta("b").expect("user: hi | live: ab");
    world.advance(2_000).expect("user: hi | unconfirmed: ab");
    assert_eq!(world.stream(), None);
    world.lose(delta("c")).advance(3_600_000).expect_counts(0, 0, 1);
    assert_eq!(world.follower.deadline(), None);
    // The same text goes on: nothing is begun twice, and nothing is posted.
    world.wake(Wake::Visible).expect("user: hi | live: abc").expect_status(&Status::Live).expect_counts(0, 0, 1);
    assert_eq!((world.page.resets, world.requests.len(), world.opened_at.len()), (0, 0, 2));
}

#[test]
fn a_page_that_is_seen_again_in_time_keeps_its_stream() {
    let mut world = world();
    world.heartbeat = 15_000;
    for _ in 0..10 {
        world.input(Input::Hidden).advance(200_000).wake(Wake::Visible).advance(1_000);
    }
    assert_eq!(world.opened_at.len(), 1);
}

#[test]
fn t06_a_silent_stream_is_recycled_after_two_and_a_half_heartbeats() {
    let mut world = world();
    world.start(0).delta("a").advance(37_400);
    assert_eq!(world.opened_at.len(), 1);
    world.opens(Openings::Hang).advance(100).expect("user: hi | unconfirmed: a").expect_counts(0, 1, 2);
    assert_eq!(world.anomalies, ["half_open"]);
    world.opens(Openings::Work).advance(20_000).expect("user: hi | live: a").expect_status(&Status::Live);
}

#[test]
fn t06_the_heartbeat_is_learned_from_pings() {
    let mut world = world();
    for _ in 0..20 {
        world.advance(1000).ping();
    }
    world.advance(2_400);
    assert_eq!(world.opened_at.len(), 1);
    world.advance(700);
    assert_eq!(world.opened_at.len(), 2);
}

#[test]
fn a_ping_that_a_sleeping_page_hears_late_does_not_blind_the_watchdog() {
    let mut world = world();
    world.advance(1000).ping();
    world.now += 3_600_000;
    world.ping().advance(37_400);
    assert_eq!(world.opened_at.len(), 1);
    world.advance(1_000);
    assert_eq!(world.opened_at.len(), 2);
}

#[test]
fn pings_that_come_in_a_bunch_cost_one_opening_at_most() {
    let mut world = world();
    for _ in 0..10 {
        world.ping().advance(10);
    }
    world.quiet().expect_status(&Status::Live);
    assert!(world.opened_at.len() <= 2, "{} openings", world.opened_at.len());
}

#[test]
fn any_sign_of_life_keeps_a_stream() {
    let mut world = world();
    for _ in 0..100 {
        world.advance(30_000).live(Live::Activity);
    }
    world.expect_counts(0, 0, 1).expect_status(&Status::Live);
}

#[test]
fn silence_says_nothing_where_it_can_not_be_told_from_a_quiet_thread() {
    let protocol = Protocol::Strict;
    let mut world =
        World::with(Options { protocol, thread_id: None, renewable: false, watchdog: false, initial: None });
    world.input(Input::Connect).advance(600_000).expect_counts(0, 0, 0).ping().advance(600_000);
    assert!(world.opened_at.len() > 1, "a ping shows that pings come");
}

#[test]
fn an_opening_that_never_says_opened_is_given_up_though_bytes_come() {
    let mut world = world();
    world.opens(Openings::Hang).cut().advance(500);
    for _ in 0..6 {
        world.advance(10_000).live(Live::Activity);
    }
    assert_eq!(world.anomalies, ["half_open"]);
}

#[test]
fn t06_on_a_wake_a_silent_stream_is_recycled_at_once_and_a_fresh_one_is_not() {
    let mut world = world();
    world.advance(10_000).wake(Wake::Visible);
    assert_eq!(world.opened_at.len(), 1);
    world.advance(10_000).wake(Wake::Visible);
    assert_eq!(world.opened_at.len(), 2);
    world.expect("user: hi").expect_status(&Status::Live).expect_counts(1, 0, 1);
}
