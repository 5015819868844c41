//! The hub's frames, read back by the client's own codec.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use threadfold::event::{CallId, MessageId, RunId};
use threadfold::json::Fragment;
use threadfold::thread::{Message, MessageRow, Role};

fn hub(queue: usize) -> Hub {
    Hub::new(Head { epoch: Epoch::from("e-1"), frontier: Some(1) }, queue)
}

fn coordinate() -> Coordinate {
    Coordinate { run_id: RunId::from("r"), step: 0, response: 0 }
}

fn text(text: &str) -> Delta {
    Delta::TextDelta { delta: Fragment::from(text) }
}

fn frame(encoded: &Encoded) -> Frame {
    let all = std::str::from_utf8(&encoded.bytes).unwrap();
    let data = all.lines().nth(1).unwrap().strip_prefix("data: ").unwrap();
    assert_eq!(all.lines().next().unwrap(), format!("event: {}", encoded.name));
    Frame::read(encoded.name, data).unwrap().unwrap().0
}

fn drain(follower: &mut Follower) -> Vec<Frame> {
    std::iter::from_fn(|| follower.frames.try_recv().ok()).map(|encoded| frame(&encoded)).collect()
}

fn record(seq: u64) -> Record {
    Record::Message(MessageRow {
        seq,
        time: 0,
        run_id: Some(RunId::from("r")),
        step: Some(0),
        response: Some(0),
        mark: None,
        message: Message { id: MessageId::from("r-assistant-0"), role: Role::Assistant, content: Vec::new() },
    })
}

#[test]
fn the_baseline_and_what_follows_make_the_whole_text() {
    let hub = hub(16);
    hub.start(AttemptId::from("a"), coordinate());
    hub.delta(text("Hel"));
    hub.delta(text("lo"));
    let mut late = hub.follow();
    hub.delta(text(" you"));
    let Frame::Opened(opened) = frame(&late.opened) else { panic!() };
    let active = opened.active.unwrap();
    assert_eq!((active.next, opened.revision, active.started_after), (2, 3, Some(1)));
    assert_eq!(active.deltas, [text("Hello")]);
    let [Frame::Delta(delta)] = &drain(&mut late)[..] else { panic!() };
    assert_eq!((delta.index, delta.revision, &delta.delta), (2, 4, &text(" you")));
}

#[test]
fn a_tools_name_may_come_after_the_first_piece_of_its_call() {
    let hub = hub(16);
    hub.start(AttemptId::from("a"), coordinate());
    for (name, args) in [("", "{"), ("search", "}")] {
        let (id, name) = (CallId::from("c"), name.to_owned());
        hub.delta(Delta::ToolCallDelta { id, name, args_delta: Fragment::from(args) });
    }
    let Frame::Opened(opened) = frame(&hub.follow().opened) else { panic!() };
    let whole =
        Delta::ToolCallDelta { id: CallId::from("c"), name: "search".to_owned(), args_delta: Fragment::from("{}") };
    assert_eq!(opened.active.unwrap().deltas, [whole]);
}

#[test]
fn the_end_comes_right_after_the_committed_that_carries_the_record() {
    let hub = hub(16);
    let mut follower = hub.follow();
    hub.start(AttemptId::from("a"), coordinate());
    hub.delta(text("Hi"));
    hub.announce(&[record(2)]);
    let frames = drain(&mut follower);
    let [Frame::Start(_), Frame::Delta(_), Frame::Committed(committed), Frame::End(end)] = &frames[..] else {
        panic!("{frames:?}")
    };
    assert_eq!(committed.frontier, Some(2));
    assert_eq!((end.index, end.revision, &end.outcome), (1, 3, &Outcome::Committed { seq: 2 }));
    assert!(hub.sent().is_none());
}

#[test]
fn a_follower_that_does_not_read_is_let_go_and_the_others_are_not() {
    let hub = hub(4);
    let mut slow = hub.follow();
    let mut quick = hub.follow();
    hub.start(AttemptId::from("a"), coordinate());
    for _ in 0..10 {
        hub.delta(text("x"));
        drain(&mut quick);
    }
    assert_eq!(hub.followers(), 1);
    assert_eq!(drain(&mut slow).len(), 4);
    assert!(matches!(slow.frames.try_recv(), Err(mpsc::error::TryRecvError::Disconnected)));
}

#[test]
fn halves_of_a_character_meet_and_a_lone_half_is_replaced() {
    let half = |lead, text: &str, tail| Delta::TextDelta { delta: Fragment { lead, text: text.to_owned(), tail } };
    let mut joined = Joined::default();
    joined.push(half(None, "a", Some(0xD83D)));
    joined.push(half(Some(0xDE00), "b", None));
    joined.push(half(None, "c", Some(0xD83D)));
    assert_eq!(joined.text(), "a😀bc\u{FFFD}");
    joined.push(text("d"));
    assert_eq!(joined.text(), "a😀bc\u{FFFD}d");
}

#[test]
fn interleaved_calls_keep_their_own_arguments() {
    let call = |id: &str, args: &str| Delta::ToolCallDelta {
        id: CallId::from(id),
        name: "n".to_owned(),
        args_delta: Fragment::from(args),
    };
    let mut joined = Joined::default();
    for delta in [text("t"), call("1", ""), call("2", "{\"b\""), call("1", "{\"a\":1}"), call("2", ":2}")] {
        joined.push(delta);
    }
    let blocks = joined.blocks(true);
    let inputs: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            threadfold::thread::Block::ToolUse { input, .. } => Some(input.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(inputs, ["{\"a\":1}", "{\"b\":2}"]);
}
