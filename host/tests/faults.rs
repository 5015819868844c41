//! Each fault does what it says, and is counted.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use serde_json::json;
use std::time::Duration;
use support::{End, Live, World};
use threadfold::source::threadfold::Frame;
use threadfold::thread::RunState;

/// A run of this text, followed with this fault: its frames, and how the stream ended.
async fn followed(said: &str, fault: &str) -> (World, Vec<Frame>, Live) {
    let world = World::new().await;
    world.hold("t", 0).await;
    let run = world.send("t", said).await.run_id;
    world.held("t").await;
    let mut live = world.live("t", &format!("?fault={fault}&seed=3")).await;
    world.release("t").await;
    world.rested("t", run.as_str()).await;
    world.admin("threads/t/bye", &json!({})).await;
    let mut frames = Vec::new();
    while let Some(frame) = live.within(Duration::from_millis(500)).await {
        frames.push(frame);
    }
    (world, frames, live)
}

async fn injected(world: &World, kind: &str) -> u64 {
    world.admin_get("faults").await["injected"][kind].as_u64().unwrap_or(0)
}

/// The revisions of the lane's frames, as they came.
fn revisions(frames: &[Frame]) -> Vec<u64> {
    frames
        .iter()
        .filter_map(|frame| match frame {
            Frame::Start(frame) => Some(frame.revision),
            Frame::Delta(frame) => Some(frame.revision),
            Frame::End(frame) => Some(frame.revision),
            Frame::Opened(_) | Frame::Committed(_) | Frame::Ping(_) | Frame::Bye(_) => None,
        })
        .collect()
}

#[tokio::test]
async fn dropped_frames_leave_gaps() {
    let (world, frames, _) = followed("/long 500", "drop:0.2").await;
    let revisions = revisions(&frames);
    let lost = injected(&world, "drop").await;
    assert!(lost > 50, "{lost}");
    assert!(revisions.is_sorted());
    // 500 Deltas and an end, and the committed; start came before.
    assert_eq!(frames.len() as u64, 502 + 2 - lost);
    assert!(matches!(frames.first(), Some(Frame::Opened(_))));
    assert!(matches!(frames.last(), Some(Frame::Bye(_))));
}

#[tokio::test]
async fn duplicated_frames_come_twice() {
    let (world, frames, _) = followed("/long 200", "duplicate:0.2").await;
    let twice = revisions(&frames).windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    let doubled = injected(&world, "duplicate").await;
    assert!(twice > 10 && doubled - twice <= 1, "{twice} of {doubled}");
}

#[tokio::test]
async fn reordered_frames_come_after_their_successors() {
    let (world, frames, _) = followed("/long 200", "reorder:0.1").await;
    let revisions = revisions(&frames);
    assert!(revisions.windows(2).any(|pair| pair[0] > pair[1]));
    let mut sorted = revisions.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), revisions.len(), "nothing is lost or doubled");
    assert!(matches!(frames.last(), Some(Frame::Bye(_))));
    assert!(injected(&world, "reorder").await > 0);
}

#[tokio::test]
async fn delayed_frames_all_come() {
    let (world, frames, _) = followed("/long 20", "delay:1").await;
    assert_eq!(revisions(&frames).len(), 21);
    assert!(injected(&world, "delay").await >= 22);
}

#[tokio::test]
async fn a_cut_breaks_the_connection_at_the_byte_and_only_so_often() {
    let (world, frames, live) = followed("/plain", "cut:400*2").await;
    assert_eq!(live.end, Some(End::Broken));
    let opened = frames.len();
    assert!((2..6).contains(&opened), "{opened}");
    assert_eq!(injected(&world, "cut").await, 1);
    world.admin("threads/t/ping", &json!({})).await;
    let mut second = world.live("t", "?fault=cut:400*2").await;
    for _ in 0..8 {
        world.admin("threads/t/ping", &json!({})).await;
    }
    let _ = second.all().await;
    assert_eq!(second.end, Some(End::Broken));
    let mut third = world.live("t", "?fault=cut:400*2").await;
    for _ in 0..8 {
        world.admin("threads/t/ping", &json!({})).await;
    }
    for _ in 0..9 {
        assert!(third.next().await.is_some());
    }
    assert_eq!(injected(&world, "cut").await, 2);
}

#[tokio::test]
async fn cuts_fall_inside_a_character_and_inside_the_last_frame() {
    let (world, _, live) = followed("/unicode", "cut-utf8").await;
    assert_eq!((live.end, injected(&world, "cut-utf8").await), (Some(End::Broken), 1));
    let (world, frames, live) = followed("/plain", "cut-last").await;
    assert_eq!((live.end, injected(&world, "cut-last").await), (Some(End::Broken), 1));
    assert!(matches!(frames.last(), Some(Frame::Delta(_))), "the committed is not whole: {:?}", frames.last());
}

#[tokio::test]
async fn a_half_open_stream_says_nothing_more_and_stays_open() {
    let (world, frames, live) = followed("/plain", "half-open:4").await;
    assert_eq!((frames.len(), live.end), (4, None));
    assert_eq!(injected(&world, "half-open").await, 1);
}

#[tokio::test]
async fn a_stream_may_end_cleanly_while_the_run_goes_on() {
    let (world, frames, live) = followed("/plain", "close:4").await;
    assert_eq!((frames.len(), live.end), (4, Some(End::Clean)));
    assert_eq!(injected(&world, "close").await, 1);
}

#[tokio::test]
async fn the_first_frame_may_be_missing() {
    let (world, frames, _) = followed("/plain", "no-opened").await;
    assert!(matches!(frames.first(), Some(Frame::Delta(_))), "{:?}", frames.first());
    assert_eq!(injected(&world, "no-opened").await, 1);
}

#[tokio::test]
async fn openings_and_reads_are_answered_with_a_status_or_with_html_a_few_times() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    for status in [401, 403, 404, 429, 500, 503] {
        for (path, place) in [("live", "live"), ("committed", "read")] {
            let path = format!("{path}?fault=status-{status}*2@{place}");
            for _ in 0..2 {
                let response = world.get("t", &path).send().await.unwrap();
                assert_eq!(response.status(), status);
                assert_eq!(response.headers().contains_key("retry-after"), [429, 503].contains(&status));
                assert!(response.text().await.unwrap().contains(r#""code":"fault""#));
            }
            assert_eq!(world.get("t", &path).send().await.unwrap().status(), 200);
        }
        assert_eq!(injected(&world, &format!("status-{status}")).await, 4);
    }
    let empty = world.get("t", "live?fault=status-204").send().await.unwrap();
    assert_eq!((empty.status().as_u16(), empty.text().await.unwrap().as_str()), (204, ""));
    let html = world.get("t", "committed?fault=html").send().await.unwrap();
    assert_eq!(html.status(), 200);
    assert!(html.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
}

#[tokio::test]
async fn a_stale_read_shows_an_older_log_that_splits_no_commit_and_catches_up() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    let stale = world.page("t", "?fault=stale:3600000").await;
    assert_eq!((stale.frontier, stale.messages.len(), stale.runs.len()), (None, 0, 0));
    assert_eq!(injected(&world, "stale").await, 1);
    let fresh = world.page("t", "?fault=stale:0").await;
    assert_eq!(fresh.frontier, Some(3));
    assert_eq!(injected(&world, "stale").await, 1);
}

#[tokio::test]
async fn the_epoch_may_change_in_the_middle_of_an_answer() {
    let (world, frames, live) = followed("/long 50", "epoch:3").await;
    assert!(matches!(frames.last(), Some(Frame::Bye(bye)) if bye.reason == "epoch"), "{:?}", frames.last());
    assert_eq!((live.end, injected(&world, "epoch").await), (Some(End::Clean), 1));
    let Some(Frame::Opened(before)) = frames.first() else { panic!() };
    let page = world.page("t", "").await;
    assert_ne!(page.epoch, before.epoch);
    assert_eq!(page.frontier, Some(3));
}

#[tokio::test]
async fn faults_may_be_turned_on_and_off_while_streams_are_open() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    let mut live = world.live("t", "").await;
    live.next().await.unwrap();
    world.admin("faults", &json!({ "thread": "t", "spec": "drop:1", "seed": 1 })).await;
    for _ in 0..3 {
        world.admin("threads/t/ping", &json!({})).await;
    }
    // The frames are dropped when the connection takes them, so wait until it has.
    while injected(&world, "drop").await < 3 {
        tokio::task::yield_now().await;
    }
    let off = world.client.delete(format!("{}/admin/faults", world.base())).send().await.unwrap();
    assert_eq!(off.status(), 200);
    world.admin("threads/t/ping", &json!({})).await;
    assert!(matches!(live.next().await, Some(Frame::Ping(_))));
    let all = world.admin("faults", &json!({ "spec": "status-503", "times": 3 })).await;
    assert_eq!(all["active"], json!([{ "thread": null, "spec": "status-503" }]));
    for status in [503, 503, 503, 200] {
        assert_eq!(world.get("t", "committed").send().await.unwrap().status(), status);
    }
    assert_eq!(world.admin("faults", &json!({ "spec": "" })).await["active"], json!([]));
}

#[tokio::test]
async fn all_streams_are_cut_by_hand_and_the_run_goes_on() {
    let world = World::new().await;
    world.hold("t", 3).await;
    let run = world.send("t", "/plain").await.run_id;
    world.held("t").await;
    let mut lives = [world.live("t", "").await, world.live("t", "").await];
    for live in &mut lives {
        live.next().await.unwrap();
    }
    assert_eq!(world.admin("cut", &json!({})).await["connections"], 2);
    for live in &mut lives {
        live.all().await;
        assert_eq!(live.end, Some(End::Broken));
    }
    world.release("t").await;
    assert!(matches!(world.rested("t", run.as_str()).await.state, RunState::Ended(_)));
}
