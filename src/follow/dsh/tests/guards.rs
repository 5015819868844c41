//! The rows of B4 one by one where no golden interleaving goes, and the guards: missing ends, regressed and rewritten
//! logs, endless reopening, bad baselines and bad snapshots.

use super::super::*;
use super::world::{World, text};
use crate::event::AttemptId;
use crate::follow::{Closed, Input, Live, Status};
use crate::json::Notes;
use crate::thread::EndCause;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn failed(world: &World) -> &'static str {
    match world.follower.status() {
        Status::Failed { code } => code,
        _ => "",
    }
}

#[test]
fn an_event_or_a_frame_before_the_snapshot_fails_by_name_and_what_is_shown_stays() {
    for first in ["note13", "start A"] {
        let mut world = World::at(12);
        world.play("snap · start A · chunk A one · m13 one · end A · cut · wait 1000");
        let first = if first == "note13" { "note14" } else { first };
        world.play(&format!("open · {first}")).shows("13:one");
        assert_eq!((failed(&world), world.anomalies.as_slice()), ("protocol", ["first_frame"].as_slice()));
        world.attempt = None;
        world.play("wake · wait 200 · snap").shows("13:one").is_settled();
    }
}

#[test]
fn a_frame_and_an_event_that_come_twice_count_once() {
    let mut world = World::at(12);
    world.play("snap · twice start A · twice chunk A one · twice m13 one · twice end A").shows("13:one").reopens(0);
    assert_eq!(world.follower.stats().duplicates, 4);
    world.is_settled();
}

#[test]
fn a_frame_of_the_last_revision_that_says_something_else_reopens() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one");
    world.revision -= 1;
    world.play("chunk A two").reopens(1).play("wait 200 · snap").shows("+onetwo");
}

#[test]
fn a_frame_of_a_kind_that_is_not_known_is_passed_in_its_order() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one");
    world.revision += 1;
    let later = format!(r#"{{"type":"later","attemptId":"A","revision":{},"index":1}}"#, world.revision);
    for frame in [later.as_str(), r#"{"type":"uncounted"}"#] {
        world.item(Item::Frame(crate::json::read(frame).unwrap()));
    }
    world.play("chunk A two · m13 onetwo · end A").shows("13:onetwo").reopens(0).is_settled();
}

#[test]
fn a_lost_frame_costs_one_reopen_and_the_baseline_is_the_text() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · lost chunk A two · chunk A three").shows("+one").reopens(1);
    world.play("chunk A four").reopens(1);
    world.play("wait 200 · snap").shows("+onetwothreefour");
    world.play("m13 onetwothreefour · end A").shows("13:onetwothreefour").reopens(1).is_settled();
}

#[test]
fn an_attempt_whose_start_was_missed_is_published_by_its_settlement() {
    let mut world = World::at(12);
    let other = AttemptId::from("X");
    world.play("snap");
    world.revision += 1;
    let chunk = Frame::Chunk { attemptId: other, revision: world.revision, index: 4, time: 0, chunk: text("x") };
    world.item(Item::Frame(chunk));
    world.play("m13 x · end X").shows("13:x").reopens(0).is_settled();
}

#[test]
fn frames_of_another_attempt_than_the_one_that_streams_are_ignored() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one");
    for index in [0, 9] {
        world.revision += 1;
        let (attempt, revision) = (AttemptId::from("X"), world.revision);
        world.item(Item::Frame(Frame::Chunk { attemptId: attempt, revision, index, time: 0, chunk: text("x") }));
    }
    world.shows("+one").play("m13 one · end A").shows("13:one").reopens(0).is_settled();
}

#[test]
fn an_index_that_is_not_next_reopens() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one");
    world.revision += 1;
    let frame =
        Frame::Chunk { attemptId: AttemptId::from("A"), revision: world.revision, index: 5, time: 0, chunk: text("x") };
    world.item(Item::Frame(frame));
    world.shows("+one").reopens(1).play("wait 200 · snap").shows("+one");
}

#[test]
fn an_end_that_counts_other_chunks_reopens_and_what_is_held_is_shown() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one");
    world.attempt.as_mut().unwrap().chunks.push(text("more"));
    world.play("end A").shows("13:one").reopens(1).play("wait 200 · snap").shows("13:one").is_settled();
}

#[test]
fn an_end_of_another_type_than_the_settlement_reopens() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one");
    world.revision += 1;
    world.item(Item::Frame(Frame::End {
        attemptId: AttemptId::from("A"),
        revision: world.revision,
        index: 1,
        outcome: Outcome::Committed { eventType: "assistant/attempt".to_owned(), seq: 13 },
    }));
    world.shows("13:one").reopens(1);
}

#[test]
fn an_end_that_names_what_is_published_already_takes_its_preview_away() {
    let mut world = World::at(12);
    world.play("snap · m13 early · start A · chunk A one").shows("13:early +one");
    world.play("end A").shows("13:early").reopens(0).is_settled();
}

#[test]
fn a_start_of_what_is_settled_already_opens_nothing() {
    let mut world = World::at(12);
    world.play("snap · lost start A · lost chunk A one · m13 one");
    // The same attempt's start comes late: the window holds what it left.
    let after = Some(12);
    world.revision = 1;
    world.item(Item::Frame(Frame::Start {
        attemptId: AttemptId::from("A"),
        revision: 1,
        startedAfterSeq: after,
        turn: 2,
        step: 1,
    }));
    world.shows("13:one").reopens(0);
}

#[test]
fn a_start_after_a_settlement_of_another_step_is_no_history() {
    let mut world = World::at(12);
    world.play("snap · m13 one");
    world.revision += 1;
    let (attempt, revision) = (AttemptId::from("A"), world.revision);
    world.item(Item::Frame(Frame::Start { attemptId: attempt, revision, startedAfterSeq: Some(12), turn: 2, step: 2 }));
    world.shows("13:one +").reopens(0);
}

/// The attempt A ends and names this event as its settlement.
fn ends_with(world: &mut World, seq: u64) -> &mut World {
    world.revision += 1;
    let outcome = Outcome::Committed { eventType: "assistant/message".to_owned(), seq };
    let (attempt, revision) = (AttemptId::from("A"), world.revision);
    world.item(Item::Frame(Frame::End { attemptId: attempt, revision, index: 1, outcome }));
    world
}

#[test]
fn an_end_that_names_another_event_than_a_settlement_or_than_the_one_that_is_held_reopens() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one");
    ends_with(&mut world, 12).shows("13:one").reopens(1);
    for other in ["note14", "retry14"] {
        let mut world = World::at(12);
        world.play("snap · m13 early").play(other).play("start A · chunk A one");
        ends_with(&mut world, 14).reopens(1);
    }
}

#[test]
fn what_another_step_or_turn_leaves_is_shown_beside_the_attempt_that_streams() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one");
    (world.turn, world.step) = (2, 0);
    world.play("m13 other").shows("13:other +one");
    (world.turn, world.step) = (1, 1);
    world.play("m14 another").shows("13:other 14:another +one");
    (world.turn, world.step) = (2, 1);
    world.play("m15 one · end A").shows("13:other 14:another 15:one").reopens(0).is_settled();
}

#[test]
fn an_attempt_that_is_too_long_for_a_preview_makes_room_for_the_next_of_its_step() {
    let mut world = World::at(12);
    world.play("snap · start A");
    fill(&mut world);
    assert_eq!(world.anomalies, ["preview_full"]);
    world.shows("?").play("end A abandoned").shows("?");
    world.play("start B · chunk B two").shows("+two").play("m13 two · end B").shows("13:two").reopens(0).is_settled();
}

/// The attempt A begins more blocks than a preview holds.
fn fill(world: &mut World) {
    for index in 0..=1024 {
        let chunk = Chunk::BlockStart { index, blockType: "text".to_owned() };
        world.attempt.as_mut().unwrap().chunks.push(chunk.clone());
        world.revision += 1;
        let (attempt, revision) = (AttemptId::from("A"), world.revision);
        world.item(Item::Frame(Frame::Chunk { attemptId: attempt, revision, index, time: 0, chunk }));
    }
}

#[test]
fn a_preview_that_gets_the_name_of_what_is_left_of_an_earlier_attempt_takes_its_place() {
    let mut world = World::at(12);
    world.play("snap · attempt13 one · start A");
    fill(&mut world);
    let revision = world.revision;
    world.play("end A abandoned · restart 13").revision = revision + 1;
    // This page does not reach back to what came before A, so that the next attempt counts as the first of its step.
    world.play("lost note14 · note15");
    let read = world.reads.remove(0);
    let window = Window { events: world.log[14..].to_vec(), has_more: true };
    world.input(Input::Window(read.id, Ok((window, Notes::default()))));
    world.shows("?").play("start B · chunk B two").shows("? +two").reopens(0);
    // This one does.
    world.play("lost note16 · note17 · page").shows("13!one ?two").reopens(1);
    world.play("wait 200 · snap").shows("13!one +two");
}

#[test]
fn a_second_settlement_of_an_attempt_is_shown_and_told() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one · m14 two");
    world.attempt.as_mut().unwrap().after = Some(12);
    world.revision += 1;
    world.item(Item::Frame(Frame::End {
        attemptId: AttemptId::from("A"),
        revision: world.revision,
        index: 1,
        outcome: Outcome::Committed { eventType: "assistant/message".to_owned(), seq: 13 },
    }));
    world.attempt = None;
    world.shows("13:one 14:two").reopens(1);
    assert_eq!(world.anomalies, ["second_settlement"]);
    world.play("wait 200 · snap").shows("13:one 14:two").is_settled();
}

#[test]
fn the_end_of_a_turn_shows_that_an_end_is_missing() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · lost m13 one · lost end A");
    world.play("turn/end14").shows("+one").reopens(0).play("page").shows("13:one 14.").reopens(1);
    world.play("wait 200 · snap").shows("13:one 14.").is_settled();
    // With the settlement held, only the turn's end counts.
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one · lost end A · step/end14").shows("+one").reopens(0);
    world.play("turn/end15").shows("13:one 15.").reopens(1).play("wait 200 · snap").shows("13:one 15.").is_settled();
    // While nothing is held, that of a step counts too.
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · lost end A abandoned · step/end13").shows("+one").reopens(1);
    world.play("wait 200 · snap").shows("").is_settled();
}

#[test]
fn the_end_of_an_older_turn_or_of_before_the_attempt_shows_no_missing_end() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one").turn = 1;
    world.play("turn/end13").shows("13. +one").reopens(0).turn = 2;
    world.play("m14 one · end A").shows("13. 14:one").reopens(0).is_settled();
    // A step that ended between the cuts of the window and of the frames.
    let mut world = World::at(12);
    world.play("lost step/end13 · lost start A · lost chunk A one · snap 12").shows("+one");
    let end = world.log[13].clone();
    world.deliver(end).shows("+one").play("m14 one · end A").shows("14:one").reopens(0).is_settled();
}

#[test]
fn a_page_that_ends_too_early_is_read_again_at_once_and_then_with_a_pause() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · lost note13 · note14 · page 12").shows("+one");
    assert_eq!(world.reads.len(), 1, "it is read again at once");
    world.play("page 12").shows("+one");
    assert_eq!((world.reads.len(), world.anomalies.as_slice()), (0, ["short_read"].as_slice()));
    world.play("wait 1000 · page").shows("?one").reopens(1).play("wait 200 · snap").shows("+one").is_settled();
}

#[test]
fn a_page_that_fails_is_read_again_and_what_is_shown_stays() {
    let mut world = World::at(12);
    world.play("snap · m13 one · lost note14 · note15 · fail").shows("13:one");
    world.play("wait 1000 · page").shows("13:one").reopens(0).is_settled();
}

#[test]
fn frames_keep_their_order_while_a_hole_is_read() {
    let mut world = World::at(12);
    world.play("snap · start A · lost note13 · note14 · lost chunk A one · chunk A two").reopens(1);
    world.play("wait 200 · snap").shows("+onetwo").is_settled();
}

#[test]
fn a_stream_that_is_lost_shows_what_was_held_and_keeps_the_rest() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one · note14 · cut").shows("13:one");
    world.play("wait 1000 · snap · end A").shows("13:one").reopens(0).is_settled();
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · lost note13 · note14 · cut").shows("?one");
    world.play("wait 1000 · snap").shows("+one").is_settled();
}

#[test]
fn a_host_that_never_sends_in_order_is_followed_by_its_log_alone_until_a_quiet_minute() {
    let mut world = World::at(12);
    world.play("snap");
    for reopens in 1..=3 {
        // Each opening's first frame is out of order.
        world.revision += 5;
        world.play("start A").reopens(reopens).play("wait 200 · snap");
    }
    assert_eq!(*world.follower.status(), Status::CatchingUp, "only the log is followed");
    world.play("chunk A one · chunk A two · m13 onetwo · end A").shows("13:onetwo").reopens(3);
    world.play("wait 60000").reopens(4).play("wait 200 · snap").shows("13:onetwo").is_settled();
    assert!(world.anomalies.is_empty(), "{:?}", world.anomalies);
}

#[test]
fn what_streams_while_only_the_log_is_followed_stays_as_it_was_seen_until_it_is_settled() {
    let mut world = World::at(12);
    world.no_baseline = true;
    world.play("snap").shows("");
    assert_eq!(world.anomalies, ["missing_baseline"]);
    world.play("start A · chunk A one").shows("");
    world.no_baseline = false;
    world.play("cut · wait 1000 · snap").shows("?one");
    world.play("chunk A two").shows("?one").play("m13 onetwo · end A").shows("13:onetwo").reopens(0);
}

#[test]
fn what_is_seen_of_an_attempt_while_only_the_log_is_followed_goes_with_the_end_of_its_turn() {
    let mut world = World::at(12);
    world.no_baseline = true;
    world.play("snap · cut").no_baseline = false;
    world.play("start A · chunk A one · wait 1000 · snap").shows("?one").turn = 1;
    world.play("turn/end13").shows("13. ?one").turn = 2;
    world.play("turn/end14").shows("13. 14.").reopens(0);
    // An end that is older than the attempt is not its end.
    let mut world = World::at(12);
    world.no_baseline = true;
    world.play("snap · cut").no_baseline = false;
    world.play("lost turn/end13 · lost start A · lost chunk A one · wait 1000 · snap 12").shows("?one");
    let end = world.log[13].clone();
    world.deliver(end).shows("13. ?one");
}

#[test]
fn a_baseline_that_is_not_as_long_as_it_says_is_asked_for_once_more_and_then_ignored() {
    let mut world = World::at(12);
    world.baseline_error = 1;
    world.play("lost start A · lost chunk A one · snap").reopens(1).play("wait 200 · snap").shows("").reopens(1);
    assert_eq!(world.anomalies, ["bad_baseline", "bad_baseline"]);
    world.play("chunk A two · m13 onetwo · end A").shows("13:onetwo").reopens(1).is_settled();
}

#[test]
fn a_snapshot_with_a_hole_or_of_another_session_or_version_is_refused_by_name() {
    let mut world = World::at(12);
    world.play("snap · m13 one · cut · wait 1000");
    for (spoil, code, status) in [
        (spoil_hole as fn(&mut Snapshot), "bad_snapshot", ""),
        (spoil_cursor, "bad_snapshot", ""),
        (|snapshot| snapshot.session = "other".to_owned(), "wrong_session", "wrong_session"),
        (|snapshot| snapshot.version = 5, "log_version", "log_version"),
    ] {
        world.anomalies.clear();
        world.play("wake · wait 300");
        let mut snapshot = world.opened();
        spoil(&mut snapshot);
        world.item(Item::Snapshot(Box::new(snapshot)));
        world.shows("13:one");
        assert_eq!((world.anomalies.as_slice(), failed(&world)), ([code].as_slice(), status));
    }
    world.play("wake · wait 300 · snap").shows("13:one").is_settled();
}

#[test]
fn logs_of_the_versions_2_to_4_are_read_and_no_others() {
    for version in 0..=6 {
        let mut world = World::at(12);
        let mut snapshot = world.opened();
        snapshot.version = version;
        world.item(Item::Snapshot(Box::new(snapshot)));
        let expected = if (2..=4).contains(&version) { "" } else { "log_version" };
        assert_eq!(failed(&world), expected, "version {version}");
    }
}

#[test]
fn a_window_that_begins_later_tells_of_no_other_log() {
    let mut world = World::at(12);
    world.play(
        "snap · start A · chunk A one · attempt13 one · end A · retry14 · start B · chunk B two · m15 two · end B",
    );
    world.play("turn/end16 · cut · restart 16 · wait 1000");
    // What is the second answer of its step is the first that this window holds.
    let mut snapshot = world.opened();
    snapshot.events.retain(|event| event.seq >= 15);
    world.item(Item::Snapshot(Box::new(snapshot.clone())));
    world.shows("15:two 16.");
    assert!(world.anomalies.is_empty(), "{:?}", world.anomalies);
    // Another end of the turn under the same number is another log.
    world.play("cut · wait 1000");
    world.opened();
    snapshot.events[1].body = Body::TurnEnd { turn: 2, cause: EndCause::Cancelled };
    world.item(Item::Snapshot(Box::new(snapshot)));
    assert_eq!(world.anomalies, ["log_rewritten"]);
}

#[test]
fn a_window_that_holds_the_same_failures_tells_of_no_other_log() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · attempt13 one · end A · retry14 · cut · wait 1000 · snap");
    world.shows("13!one 14~").is_settled();
    assert!(world.anomalies.is_empty(), "{:?}", world.anomalies);
}

fn spoil_hole(snapshot: &mut Snapshot) {
    snapshot.events.remove(5);
}

fn spoil_cursor(snapshot: &mut Snapshot) {
    snapshot.cursor = Some(99);
}

#[test]
fn an_item_that_cant_be_read_is_as_good_as_lost() {
    torn_reopens("item");
}

#[test]
fn a_text_of_the_socket_that_cant_be_read_may_have_been_one_of_the_session() {
    torn_reopens("message");
}

fn torn_reopens(what: &str) {
    let torn = || Live::Malformed(what.to_owned(), crate::json::read::<u64>("{").unwrap_err());
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one").live(torn());
    world.shows("+one").reopens(1).play("wait 1000 · snap").shows("+one");
    // As the first item too.
    world.play("cut · wait 1000 · open").live(torn());
    world.shows("?one").reopens(2).play("wait 1000 · snap").shows("+one");
}

#[test]
fn a_host_that_answers_every_opening_with_an_error_is_given_up_by_name_and_what_is_shown_stays() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one");
    let error = || Closed::Failed { code: "gateway/input-invalid".to_owned(), message: "m".to_owned() };
    world.live(Live::Closed(error()));
    let mut openings = 0;
    while world.wants_opening() || *world.follower.status() != (Status::Failed { code: "unreachable" }) {
        world.play("wait 31000");
        if world.wants_opening() {
            openings += 1;
            world.play("open").live(Live::Closed(error()));
        }
        assert!(openings < 50, "it goes on for ever");
    }
    world.shows("?one");
    assert!(world.anomalies.iter().all(|code| *code == "stream_error"), "{:?}", world.anomalies);
    world.play("wake · wait 200 · snap").shows("+one");
}

#[test]
fn a_host_whose_openings_show_nothing_new_is_given_up_and_one_that_has_moved_is_not() {
    for (news, is_given_up) in [("", true), ("lost start A · lost end A abandoned", false), ("lost note", false)] {
        let mut world = World::at(12);
        world.play("snap · cut");
        for _ in 0..40 {
            let seq = world.log.len();
            let news = if news == "lost note" { format!("lost note{seq}") } else { news.to_owned() };
            world.play(&news).play("wait 30000");
            if world.wants_opening() {
                world.play("snap · cut");
            }
        }
        assert_eq!(failed(&world) == "unreachable", is_given_up, "{news}");
    }
}

#[test]
fn refusals_of_an_opening_are_told_apart() {
    for (closed, status) in [
        (Closed::Refused { status: 401, retry_after: None }, Status::Unauthorized),
        (Closed::Refused { status: 403, retry_after: None }, Status::Unauthorized),
        (Closed::Refused { status: 404, retry_after: None }, Status::Failed { code: "not_found" }),
    ] {
        let mut world = World::at(12);
        world.play("snap · m13 one · cut · wait 1000 · open").live(Live::Closed(closed));
        assert_eq!(*world.follower.status(), status);
        world.shows("13:one").play("wake · wait 200 · snap").is_settled();
    }
    let mut world = World::at(12);
    world
        .play("snap · m13 one · cut · wait 1000 · open")
        .live(Live::Closed(Closed::NotAStream("text/html".to_owned())));
    assert_eq!(world.anomalies, ["not_a_stream"]);
    world.shows("13:one").play("wait 2000 · snap").is_settled();
}

#[test]
fn a_stream_that_stood_for_long_did_work_though_nothing_came() {
    let mut world = World::at(12);
    world.play("snap");
    for _ in 0..50 {
        world.play("wait 40000 · cut · wait 1000 · snap");
    }
    assert_eq!(*world.follower.status(), Status::Live);
}

#[test]
fn a_stream_that_never_stands_longer_than_the_longest_pause_does_not_work() {
    let mut world = World::at(12);
    world.play("snap");
    for _ in 0..40 {
        world.play("wait 30000 · cut · wait 30000");
        if world.wants_opening() {
            world.play("snap");
        }
    }
    assert_eq!(failed(&world), "unreachable");
}

#[test]
fn clocks_that_go_backwards_change_nothing() {
    let mut world = World::at(12);
    for seq in 0..13_u64 {
        world.log[usize::try_from(seq).unwrap()].time = 1_000 - seq;
    }
    world.play("snap · start A · chunk A one · m13 one · end A").shows("13:one").reopens(0).is_settled();
}

#[test]
fn a_page_that_another_process_answers_mends_no_hole_of_this_ones_stream() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · lost note13 · turn/end14").shows("+one").reopens(0);
    // The process that answers never had that turn's end: under its number stands something else.
    world.play("restart 12 · lost note13 · lost note14 · page").shows("+one").reopens(1);
    assert_eq!(world.anomalies, ["log_rewritten"]);
    // The next snapshot brings all: until it comes, however late, nothing is read.
    world.play("wait 200 · wait 4000");
    assert!(world.reads.is_empty());
    world.play("snap").shows("").is_settled();
}

#[test]
fn a_second_hole_while_the_first_is_read_is_read_too() {
    let mut world = World::at(12);
    world.play("snap · lost note13 · note14 · lost turn/end15 · note16 · page").shows("");
    world.play("page").shows("15.").reopens(0).is_settled();
}
