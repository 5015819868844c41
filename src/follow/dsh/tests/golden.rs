//! The golden interleavings of B5, and those that the shipping host taught.

use super::world::World;
use crate::follow::LaneChange;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn b5_1_a_plain_answer_takes_the_place_of_its_preview() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A hello · m13 hello").shows("+hello");
    world.play("end A").shows("13:hello").reopens(0).is_settled();
}

#[test]
fn b5_2_a_retry_shows_the_failed_attempt_and_the_answer() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · attempt13 one · end A · retry14 · start B · chunk B two");
    world.shows("13!one 14~ +two");
    world.play("m15 two · end B").shows("13!one 14~ 15:two").reopens(0).is_settled();
}

#[test]
fn b5_3_joining_in_the_middle_of_an_answer_goes_on_with_its_baseline() {
    let mut world = World::at(12);
    world.play("lost start A · lost chunk A o · lost chunk A n · snap").shows("+on");
    world.play("chunk A e · m13 one").shows("+one");
    world.play("end A").shows("13:one").reopens(0).is_settled();
}

#[test]
fn b5_4_what_an_opening_cut_across_is_published_and_the_next_attempt_is_the_lane() {
    let mut world = World::at(12);
    world.play("lost start A · lost chunk A one · lost attempt13 one · lost end A · lost start B · snap 12");
    world.play("").shows("+");
    // The settlement of A fell before the cut of the frames and after that of the page; it is not B's.
    let settlement = world.log.last().cloned().unwrap();
    world.deliver(settlement).shows("13!one +");
    world.play("chunk B two · m14 two").shows("13!one +two");
    world.play("end B").shows("13!one 14:two").reopens(0).is_settled();
}

#[test]
fn a_page_that_holds_what_an_elder_left_gives_the_preview_its_number() {
    let mut world = World::at(12);
    world.play("lost start A · lost attempt13 one · lost end A · lost start B · snap 12 · chunk B two").shows("+two");
    world.play("note14 · page").shows("13!one ?two").reopens(1);
    let lanes = world.follower.shown_lanes();
    let number = |lane: &LaneChange| match lane {
        LaneChange::Open { coordinate, .. } => coordinate.as_ref().map(|at| at.response),
        _ => None,
    };
    assert_eq!(lanes.iter().filter_map(number).collect::<Vec<_>>(), [1], "{lanes:?}");
}

#[test]
fn b5_5_frames_before_the_cut_never_come_and_are_not_missed() {
    let mut world = World::at(12);
    world.play("lost start A · lost chunk A on · snap · chunk A e · m13 one · end A").shows("13:one");
    world.reopens(0).is_settled();
}

#[test]
fn b5_6_frames_of_a_replacement_agent_reopen_the_stream() {
    let mut world = World::at(12);
    world.play("lost start X · lost end X abandoned · snap");
    world.revision = 0;
    world.play("start A").reopens(1);
    world.play("wait 200 · snap · chunk A one · m13 one · end A").shows("13:one").reopens(1).is_settled();
}

#[test]
fn b5_7_a_host_without_frames_so_far_begins_at_one() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one · end A").shows("13:one").reopens(0).is_settled();
}

#[test]
fn b5_8_a_hole_in_the_log_is_read_and_reopens_the_stream_once() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · lost note13 · lost note14 · note15").shows("+one");
    world.play("chunk A more").shows("+one");
    world.play("page").shows("?one").reopens(1);
    world.play("wait 200 · snap").shows("+onemore");
    world.play("m16 onemore · end A").shows("16:onemore").reopens(1).is_settled();
}

#[test]
fn b5_8b_what_comes_while_a_hole_is_read_is_shown_once() {
    let mut world = World::at(12);
    world.play("snap · lost note13 · note14 · start B · chunk B two · m15 two · end B").shows("");
    world.play("page").shows("15:two").reopens(1);
    world.play("wait 200 · snap").shows("15:two").reopens(1).is_settled();
}

#[test]
fn b5_9_an_abandoned_attempt_leaves_nothing() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · end A abandoned").shows("").reopens(0);
    world.play("start B · chunk B two · m13 two · end B").shows("13:two").reopens(0).is_settled();
}

#[test]
fn b5_10_what_a_killed_host_was_saying_stays_unconfirmed_until_it_is_back() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · cut").shows("?one");
    world.play("restart 12 · lost step/end13 · lost turn/end14 interrupted · wait 1000 · snap").shows("14.");
    world.reopens(0).is_settled();
}

#[test]
fn b5_11_an_answer_that_is_cancelled_settles_what_was_said() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one · end A · step/end14 · turn/end15 aborted");
    world.shows("13:one 15.").reopens(0).is_settled();
}

#[test]
fn b5_12_the_end_of_a_step_may_come_before_that_of_its_attempt() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one · step/end14").shows("+one").reopens(0);
    world.play("end A").shows("13:one").reopens(0).is_settled();
}

#[test]
fn a_hole_between_the_page_and_the_baseline_is_read() {
    let mut world = World::at(12);
    world.play("lost note13 · lost start A · snap 12 · chunk A one · note14").shows("+one");
    world.play("page").shows("?one").reopens(1);
    world.play("wait 200 · snap · m15 one · end A").shows("15:one").reopens(1).is_settled();
}

#[test]
fn an_agent_that_is_replaced_in_the_middle_of_an_answer_reopens_and_the_old_preview_goes() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one");
    (world.revision, world.attempt) = (0, None);
    world.play("start A").shows("+one").reopens(1);
    world.play("wait 200 · snap").shows("+");
    world.play("chunk A two · m13 two · end A").shows("13:two").reopens(1).is_settled();
}

#[test]
fn a_start_while_an_attempt_streams_reopens() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · start B").shows("+one").reopens(1);
    world.play("wait 200 · snap").shows("+");
    world.play("chunk B two · m13 two · end B").shows("13:two").reopens(1).is_settled();
}

#[test]
fn an_abandoned_end_while_a_settlement_is_held_reopens_and_the_settlement_is_shown() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · m13 one · end A abandoned").shows("13:one").reopens(1);
    world.play("wait 200 · snap").shows("13:one").reopens(1).is_settled();
}

#[test]
fn an_end_whose_settlement_never_came_reopens() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · lost m13 one · end A").shows("+one").reopens(1);
    world.play("wait 200 · snap").shows("13:one").reopens(1).is_settled();
}

#[test]
fn a_host_that_restarts_and_writes_other_events_under_the_same_seqs_is_followed_and_told() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · note13 · note14 · note15 · m16 one · end A · step/end17 · turn/end18");
    world.shows("16:one 18.");
    world.play("cut · restart 14 · lost step/end15 · lost turn/end16 interrupted · wait 1000 · snap").shows("16.");
    assert_eq!(world.anomalies, ["log_regressed", "log_rewritten"]);
    world.play("note17").shows("16.").reopens(0).is_settled();
}
