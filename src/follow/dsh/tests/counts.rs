//! What is counted of a dsh stream is what happened, no more and no less.

use super::super::*;
use super::world::{World, text};
use crate::event::AttemptId;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn frames_fragments_and_rows_that_come_are_counted() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one · chunk A two · m13 onetwo · end A · note14").is_settled();
    let stats = world.follower.stats();
    assert_eq!((stats.frames, stats.deltas, stats.commits, stats.duplicates, stats.gaps), (4, 2, 2, 0, 0));
}

#[test]
fn each_hole_is_counted_once() {
    for script in [
        "snap · lost note13 · note14",
        "snap · start A · lost chunk A one · chunk A two",
        "snap · start A · start B",
        "snap · start A · m13 one · end A abandoned",
        "snap · start A · lost end A abandoned · step/end13",
    ] {
        let mut world = World::at(12);
        world.play(script);
        assert_eq!(world.follower.stats().gaps, 1, "{script}");
    }
    let mut world = World::at(12);
    world.play("snap · start A").revision += 1;
    let (attempt, revision) = (AttemptId::from("A"), world.revision);
    world.item(Item::Frame(Frame::Chunk { attemptId: attempt, revision, index: 3, time: 0, chunk: text("x") }));
    assert_eq!(world.follower.stats().gaps, 1, "an index that is not next");
}

#[test]
fn what_a_page_mended_was_one_hole_one_read_and_came_once() {
    let mut world = World::at(12);
    world.play("snap · lost note13 · note14 · note15 · page").is_settled();
    let stats = world.follower.stats();
    assert_eq!((stats.gaps, stats.reads, stats.commits, stats.duplicates), (1, 1, 2, 0));
}
