//! What is counted is what happened, no more and no less.

use super::host::{Act, start};
use super::world::{Openings, world};
use crate::follow::{Input, Live, Protocol};
use crate::json::Notes;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn what_a_decoder_noted_is_counted_by_kind_and_each_kind_is_told_of_once() {
    let mut world = world();
    let frame = world.host.act(&start(0)).remove(0);
    let notes =
        Notes { unknown_keys: 2, first_unknown_key: Some("colour".to_owned()), replaced_halves: 3, unknown_values: 4 };
    world.live(Live::Frame(frame, notes));
    let again = world.host.act(&Act::Ping).remove(0);
    world.live(Live::Frame(again, Notes { replaced_halves: 5, ..Notes::default() }));
    assert_eq!(world.anomalies, ["unknown_key", "unknown_value"]);
    let stats = world.follower.stats();
    assert_eq!((stats.unknown, stats.replaced_halves, stats.anomalies), (6, 8, 2));
}

#[test]
fn frames_that_are_not_of_this_stream_are_counted_as_unknown() {
    let mut world = world();
    world.live(Live::Unknown("hologram".to_owned())).live(Live::Unknown("hologram".to_owned()));
    let stats = world.follower.stats();
    assert_eq!((stats.unknown, stats.malformed, stats.anomalies), (2, 0, 2));
}

#[test]
fn reads_openings_and_records_are_counted() {
    let mut world = world();
    let before = world.follower.stats().clone();
    assert_eq!(before.openings, 1);
    world.start(0).delta("a").commit().end().finish();
    assert_eq!(world.follower.stats().frames - before.frames, 5, "a commit is a frame too");
    let records = world.follower.stats().records - before.records;
    assert_eq!(records, world.host.log.len() as u64 - before.records, "each row once");
    assert_eq!(world.follower.frontier(), world.host.frontier());
    world.cut().advance(2_000);
    let stats = world.follower.stats();
    assert_eq!((stats.openings, stats.losses), (2, 1));
    assert_eq!(stats.reads, world.asked.len() as u64);
}

#[test]
fn a_dsh_follower_counts_its_reads_and_knows_how_far_its_log_goes() {
    let mut world = super::world::World::new(Protocol::Dsh);
    world.opens(Openings::Hang).input(Input::Connect);
    assert_eq!((world.follower.stats().openings, world.follower.frontier()), (1, None));
    // A frame of the other contract is none of this stream.
    let frame = world.host.act(&Act::Ping).remove(0);
    world.live(Live::Frame(frame, Notes::default()));
    assert_eq!((world.anomalies.clone(), world.follower.stats().unknown), (vec!["wrong_protocol"], 1));
}
