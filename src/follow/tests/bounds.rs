//! Rules 8 and 9 of semantics C3: losses, faults, stops and bounds.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, delta, say, start};
use super::world::{Openings, Reading, World, world};
use crate::event::ThreadId;
use crate::follow::frame::{CONTRACT, Frame, Opened};
use crate::follow::{Closed, Input, Live, Options, Protocol, ReadError, Status, Wake};

/// A world whose requests ask for their headers anew.
fn renewable() -> World {
    let protocol = Protocol::Strict;
    let mut world = World::with(Options { protocol, thread_id: None, renewable: true, watchdog: true, initial: None });
    world.host.act(&say("hi"));
    world.input(Input::Connect);
    world
}

pub fn refused(status: u16, retry_after: Option<u64>) -> Closed {
    Closed::Refused { status, retry_after }
}

#[test]
fn a_lost_stream_leaves_an_unconfirmed_preview_reads_the_log_and_opens_again_without_waiting_for_it() {
    let mut world = world();
    world.start(0).delta("Hel").advance(1000).reads(Reading::Waits).cut().expect("user: hi | unconfirmed: Hel");
    world.expect_counts(0, 1, 2).advance(500);
    assert_eq!((world.opened_at.len(), world.waiting.len()), (2, 1));
    world.delta("lo").expect("user: hi | live: Hello").answer().expect_status(&Status::Live);
}

#[test]
fn a_run_that_ended_while_the_stream_was_away_is_seen_by_the_read() {
    let mut world = world();
    world.start(0).delta("Hel").opens(Openings::Hang);
    world.lose(delta("lo")).lose(Act::Commit).lose(Act::End).lose(Act::Finish);
    world.cut().expect("user: hi | assistant: Hello | ended");
}

#[test]
fn a_bye_is_no_failure_and_the_next_opening_comes_soon() {
    let mut world = world();
    world.advance(1000).then(Act::Bye).cut().expect_status(&Status::CatchingUp).advance(500);
    assert_eq!(world.opened_at.len(), 2);
    world.expect_status(&Status::Live).expect_counts(0, 1, 2);
    assert!(!world.statuses.iter().any(|status| matches!(status, Status::Waiting { .. })));
}

#[test]
fn a_host_that_says_nothing_but_bye_is_given_up() {
    let mut world = world();
    let opened = world.host.opened();
    let bye = world.host.act(&Act::Bye).remove(0);
    world.opens(Openings::Say(vec![opened, bye]));
    world.cut();
    for _ in 0..1000 {
        world.advance(31_000).cut();
    }
    world.expect_status(&Status::Failed { code: "unreachable" });
    assert!(world.opened_at.len() < 30, "{} openings", world.opened_at.len());
}

#[test]
fn a_host_that_is_given_up_is_not_asked_for_anything_any_more() {
    let mut world = world();
    world.opens(Openings::End(Closed::Lost)).cut();
    let given_up = Status::Failed { code: "unreachable" };
    for _ in 0..1000 {
        world.advance(1_000);
        if *world.follower.status() == given_up {
            break;
        }
    }
    world.expect_status(&given_up);
    let (asked, stats) = (world.asked.len() as u64, world.follower.stats().clone());
    // One read when it was opened first, and one after each loss but that with which it was given up.
    assert_eq!((asked, stats.openings), (stats.losses, world.opened_at.len() as u64));
    world.advance(600_000);
    assert_eq!((world.asked.len() as u64, world.opened_at.len() as u64), (asked, stats.openings));
}

#[test]
fn n01_a_host_that_accepts_and_closes_at_once_is_asked_ever_more_rarely_and_then_given_up() {
    for openings in [Openings::End(Closed::Lost), Openings::OpenAndEnd] {
        let mut world = world();
        world.opens(openings).cut().advance(3_600_000).expect("user: hi");
        world.expect_status(&Status::Failed { code: "unreachable" });
        assert!((15..=22).contains(&world.opened_at.len()), "{} openings", world.opened_at.len());
        let reads = world.asked.len();
        world.advance(3_600_000);
        assert_eq!((world.asked.len(), world.follower.deadline()), (reads, None));
    }
}

#[test]
fn only_refusals_that_another_try_can_not_mend_stop() {
    let cases = [
        (refused(401, None), Some(Status::Unauthorized)),
        (refused(403, None), Some(Status::Unauthorized)),
        (refused(404, None), Some(Status::Failed { code: "not_found" })),
        (refused(204, None), Some(Status::Failed { code: "no_content" })),
        (refused(500, None), None),
        (refused(503, None), None),
        (refused(429, None), None),
        (Closed::NotAStream("text/html".to_owned()), None),
        (Closed::TooLarge(1 << 20), None),
        (Closed::Lost, None),
    ];
    for (closed, stops) in cases {
        let mut world = world();
        world.start(0).delta("a").opens(Openings::End(closed)).cut().advance(500).expect("user: hi | unconfirmed: a");
        match stops {
            Some(status) => {
                world.expect_status(&status).advance(3_600_000);
                assert_eq!((world.opened_at.len(), world.follower.deadline()), (2, None));
                world.opens(Openings::Work).wake(Wake::User).expect("user: hi | live: a").expect_status(&Status::Live);
            }
            None => {
                assert!(matches!(world.follower.status(), Status::Waiting { .. }));
                world.opens(Openings::Work).advance(5_000).expect("user: hi | live: a").expect_status(&Status::Live);
            }
        }
    }
}

#[test]
fn headers_that_are_asked_anew_are_worth_other_tries_but_not_for_ever() {
    let mut world = renewable();
    world.opens(Openings::End(refused(401, None))).cut().advance(1000);
    world.opens(Openings::Work).advance(5_000).expect_status(&Status::Live);
    let openings = world.opened_at.len();
    world.opens(Openings::End(refused(401, None))).cut().advance(60_000).expect_status(&Status::Unauthorized);
    assert_eq!(world.opened_at.len(), openings + 3);
    world.opens(Openings::Work).wake(Wake::Visible).expect_status(&Status::Live);
}

#[test]
fn a_read_that_is_refused_for_want_of_authority_leaves_the_stream_alone_while_headers_may_be_renewed() {
    let unauthorized = ReadError::Refused { status: 401, retry_after: None, code: None };
    let mut world = renewable();
    world.lose(Act::Finish).reads(Reading::Fails(unauthorized.clone(), u32::MAX)).ping().expect_counts(0, 0, 2);
    world.reads(Reading::Works).advance(1_000).expect("user: hi | ended").expect_status(&Status::Live);
    assert_eq!(world.opened_at.len(), 1);
    world.lose(say("more")).reads(Reading::Fails(unauthorized, u32::MAX)).ping().advance(10_000);
    world.expect_status(&Status::Unauthorized).expect("user: hi | ended");
}

#[test]
fn a_foreign_contract_stops_on_the_stream_and_in_a_page() {
    let mut world = world();
    let opened = Opened { contract: "other/9".to_owned(), ..opened_of(&world) };
    world.arrive(&Frame::Opened(opened)).expect("user: hi").expect_status(&Status::Failed { code: "foreign_contract" });
    world.wake(Wake::Visible);
    assert_eq!(world.opened_at.len(), 1, "only the person can ask again");

    let mut world = self::world();
    world.lose(Act::Finish).reads(Reading::Waits).ping();
    if let Some((_, Ok(page))) = world.waiting.front_mut() {
        page.contract = "other/9".to_owned();
    }
    world.answer().expect("user: hi").expect_status(&Status::Failed { code: "foreign_contract" });
}

#[test]
fn a_page_of_another_thread_stops() {
    let protocol = Protocol::Strict;
    let thread_id = Some(ThreadId::from("t2"));
    let mut world = World::with(Options { protocol, thread_id, renewable: false, watchdog: true, initial: None });
    world.host.act(&say("hi"));
    world.input(Input::Connect).expect("").expect_status(&Status::Failed { code: "wrong_thread" });
}

#[test]
fn a_first_frame_that_is_not_opened_is_a_fault_and_the_next_opening_waits() {
    let mut world = world();
    world.advance(1000);
    let wrong = world.host.act(&start(0));
    world.opens(Openings::Say(wrong)).cut().advance(500);
    assert_eq!(world.anomalies, ["first_frame"]);
    assert!(matches!(world.follower.status(), Status::Waiting { .. }));
    world.opens(Openings::Work).advance(1000).expect("user: hi | live:").expect_status(&Status::Live);
}

#[test]
fn after_three_faults_only_the_log_is_followed_until_a_quiet_minute_is_over() {
    let mut world = world();
    world.start(0).delta("a");
    let wrong = world.host.act(&delta("b"));
    world.opens(Openings::Say(wrong)).cut().advance(8_000).expect("user: hi | unconfirmed: a");
    let openings = world.opened_at.len();
    assert_eq!(openings, 1 + 4, "the fourth fault waits for the end of the minute");
    let reads = world.asked.len();
    world.advance(20_000);
    assert!(matches!(world.follower.status(), Status::Waiting { .. }));
    assert_eq!((world.opened_at.len(), world.asked.len()), (openings, reads + 4), "a read every five seconds");
    world.opens(Openings::Work).lose(Act::Commit).lose(Act::End).advance(5_000).expect("user: hi | assistant: ab");
    world.advance(40_000).expect_status(&Status::Live);
    assert_eq!(world.opened_at.len(), openings + 1);
}

#[test]
fn a_host_that_is_given_up_for_its_faults_leaves_the_preview_unconfirmed_and_is_asked_for_nothing() {
    let mut world = world();
    world.start(0).delta("a").advance(1000);
    let wrong = world.host.act(&Act::Ping);
    world.opens(Openings::Say(wrong)).lose(delta("b")).then(delta("c")).expect("user: hi | live: a");
    for _ in 0..200 {
        world.advance(61_000);
    }
    world.expect_status(&Status::Failed { code: "unreachable" }).expect("user: hi | unconfirmed: a");
    let reads = world.asked.len();
    world.advance(600_000);
    assert_eq!((world.asked.len(), world.follower.deadline()), (reads, None));
}

#[test]
fn a_late_answer_shows_nothing_of_a_host_that_is_given_up() {
    let mut world = world();
    world.advance(1000).reads(Reading::Waits).opens(Openings::End(Closed::Lost)).cut();
    for _ in 0..2_000 {
        world.advance(1_000);
        let late = world.waiting.len().saturating_sub(1);
        world.waiting.drain(..late);
    }
    world.expect_status(&Status::Failed { code: "unreachable" });
    world.host.act(&Act::Finish);
    let (_, answer) = world.waiting.back_mut().unwrap();
    *answer = world.host.page(None, 500, None, None);
    world.answer().expect("user: hi");
}

#[test]
fn commits_that_join_on_show_that_the_stream_works() {
    let mut world = world();
    for _ in 0..5 {
        let ahead = ahead(&world);
        world.advance(1000).arrive(&ahead).then(Act::GoOn);
    }
    world.expect_counts(5, 0, 1).expect_status(&Status::Live);
}

#[test]
fn while_only_the_log_is_followed_frames_are_ignored_and_commits_and_pings_read() {
    let mut world = log_only();
    let reads = world.asked.len();
    world.start(0).delta("a").expect("user: hi").commit().expect("user: hi | assistant: a");
    world.lose(Act::End).lose(Act::Finish).ping().expect("user: hi | assistant: a | ended");
    assert_eq!(world.asked.len(), reads + 2);
    world.advance(30_000);
    assert_eq!(world.asked.len(), reads + 2, "no run is under way");
}

#[test]
fn what_is_shown_of_an_attempt_that_still_streams_stays_while_only_the_log_is_followed() {
    let mut world = world();
    world.start(0).delta("a");
    let wrong = vec![world.host.opened(), ahead(&world)];
    world
        .advance(1000)
        .opens(Openings::Say(wrong))
        .cut()
        .advance(600)
        .opens(Openings::Work)
        .advance(3_000)
        .expect_status(&Status::CatchingUp)
        .expect("user: hi | unconfirmed: a");
    world.lose(delta("b")).lose(Act::Commit).ping().expect("user: hi | assistant: ab");
}

#[test]
fn a_wake_ends_the_following_of_the_log_only() {
    let mut world = log_only();
    world.lose(start(0)).lose(delta("a")).advance(1000).wake(Wake::Visible);
    world.expect("user: hi | live: a").expect_status(&Status::Live).delta("b").expect("user: hi | live: ab");
}

#[test]
fn losses_and_byes_are_no_faults() {
    let mut world = world();
    for _ in 0..10 {
        world.start(0).lose(Act::Abandon).advance(1000).cut().advance(1000);
        world.start(0).lose(Act::Abandon).advance(1000).then(Act::Bye).cut().advance(1000);
    }
    world.start(0).delta("a").expect("user: hi | live: a").expect_status(&Status::Live);
}

#[test]
fn p07_after_close_nothing_more_is_asked_for() {
    let mut world = world();
    world.start(0).delta("a").lose(Act::Commit).reads(Reading::Waits).ping();
    let generation = world.stream();
    world.input(Input::Close).expect("user: hi | unconfirmed: a").expect_status(&Status::Closed);
    assert_eq!((world.stream(), world.follower.deadline()), (None, None));
    let (openings, reads, steps, statuses) =
        (world.opened_at.len(), world.asked.len(), world.page.steps, world.statuses.len());
    world.answer_all();
    let late = Live::Frame(world.host.opened(), crate::json::Notes::default());
    for input in [
        Input::Live(generation.unwrap(), late),
        Input::Connect,
        Input::Tick,
        Input::Wake(Wake::User),
        Input::Hidden,
        Input::Offline,
        Input::Wake(Wake::Online),
        Input::Close,
    ] {
        world.input(input).advance(60_000);
    }
    assert_eq!(world.follower.deadline(), None);
    assert_eq!(
        (world.opened_at.len(), world.asked.len(), world.page.steps, world.statuses.len()),
        (openings, reads, steps, statuses)
    );
}

#[test]
fn reads_are_at_most_commits_reopens_losses_and_two() {
    let mut world = world();
    for round in 0..60 {
        world.host.with_rows = round % 3 != 0;
        world.start(0).delta("a").advance(300);
        match round % 5 {
            0 => world.lose(delta("b")).delta("c"),
            1 => world.cut().advance(1000),
            2 => world.twice(delta("b")),
            3 => world.then(Act::Bye).cut().advance(1000),
            _ => world.ping(),
        };
        world.commit().end().finish().say("more");
        assert_eq!(world.reads_are_bounded(), Ok(()), "round {round}");
    }
    world.quiet();
    assert_eq!((world.settled(), world.reads_are_bounded()), (Ok(()), Ok(())));
}

/// A world in which only the log is followed, over a stream that works by now.
fn log_only() -> World {
    let mut world = world();
    let wrong = vec![Frame::Opened(Opened { active: None, ..opened_of(&world) }), ahead(&world)];
    world.advance(1000).opens(Openings::Say(wrong)).cut().advance(500).opens(Openings::Work).advance(3_000);
    world.expect_status(&Status::CatchingUp);
    world
}

/// A ping that shows frames that never came.
fn ahead(world: &World) -> Frame {
    let mut host = world.host.clone();
    host.revision += 5;
    host.act(&Act::Ping).remove(0)
}

fn opened_of(world: &World) -> Opened {
    match world.host.opened() {
        Frame::Opened(opened) => Opened { contract: CONTRACT.to_owned(), ..opened },
        _ => panic!("a host opens with `opened`"),
    }
}
