//! C1 and C2 over real HTTP: what is announced is committed, and what is read is whole.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use support::{World, text};
use threadfold::source::threadfold::{Frame, Outcome};
use threadfold::thread::RunState;

#[tokio::test]
async fn one_run_goes_from_a_post_to_the_stream_to_the_log() {
    let world = World::new().await;
    world.hold("t", 0).await;
    let accepted = world.send("t", "/plain").await;
    assert_eq!((accepted.message_id.as_str(), accepted.seq), ("m-k", Some(0)));
    world.held("t").await;
    let mut live = world.live("t", "").await;
    world.release("t").await;
    let mut frames = live.until_rest().await;
    frames.push(live.next().await.unwrap());
    let Frame::Opened(opened) = &frames[0] else { panic!() };
    assert_eq!((opened.frontier, opened.active.as_ref().unwrap().next), (Some(1), 0));
    let mut said = String::new();
    for (index, frame) in frames[1..frames.len() - 2].iter().enumerate() {
        let Frame::Delta(frame) = frame else { panic!("{frame:?}") };
        assert_eq!((frame.index, frame.revision), (index as u64, opened.revision + 1 + index as u64));
        said.push_str(text(&frame.delta));
    }
    let [.., Frame::Committed(committed), Frame::End(end)] = &frames[..] else { panic!() };
    assert_eq!(committed.frontier, Some(3));
    assert_eq!(end.outcome, Outcome::Committed { seq: 2 });
    assert_eq!(committed.records.as_ref().unwrap(), &world.records("t").await[2..]);
    assert_eq!(
        world.log("t").await,
        [
            "0 m-k \"/plain\"".to_owned(),
            "1 \"Running\"".to_owned(),
            format!("2 R-assistant-0@0.0 {said:?}"),
            "3 {\"Ended\":\"NaturalEnd\"}".to_owned(),
        ]
    );
    assert!(matches!(world.rested("t", accepted.run_id.as_str()).await.state, RunState::Ended(_)));
}
