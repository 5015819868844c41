//! One stream out of a thread.

use super::*;
use crate::event::RunId;
use crate::transcode::{Segment, Wanted};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SECOND: &str = r#"{"type":"fact","position":{"seq":10,"index":0},"run_id":"s","fact":{"type":"run_started"}}"#;
const SECOND_FINISHED: &str = r#"{"type":"fact","position":{"seq":12,"index":1},"run_id":"s","fact":{"type":"run_finished","exhausted":false,"cause":"natural_end"}}"#;

/// The types of the events that are given for a history and for what comes after it, and how it ended.
fn given(wanted: Wanted, history: &[&str], live: &[&str]) -> (String, Option<Chunk>) {
    let mut segment = Segment::new(v6(), Some(wanted));
    let mut chunks = Vec::new();
    for input in history {
        chunks.append(&mut segment.take(&read(input).unwrap()));
    }
    assert!(chunks.is_empty(), "nothing is given before the history is over");
    chunks.append(&mut segment.caught_up());
    for input in live {
        chunks.append(&mut segment.take(&read(input).unwrap()));
    }
    let types = chunks.iter().map(|chunk| match chunk {
        Chunk::Event(json) => json.split('"').nth(3).unwrap_or_default().to_owned(),
        Chunk::End => "END".to_owned(),
        Chunk::Cut => "CUT".to_owned(),
    });
    (types.collect::<Vec<_>>().join(" "), segment.ending().cloned())
}

fn of(run: &str, next: bool) -> Wanted {
    Wanted { run_id: Some(RunId::from(run)), next }
}

#[test]
fn the_last_part_is_given_whole_be_it_open_or_over() {
    let over = given(Wanted::default(), &[RUN, &text(2, 0, "hello"), FINISHED], &[SECOND]);
    let whole = "start start-step text-start text-delta text-end finish-step finish END";
    assert_eq!(over, (whole.to_owned(), Some(Chunk::End)));
    let open = given(Wanted::default(), &[RUN, &live_text(0, "hel")], &[&text(2, 0, "hello"), FINISHED, SECOND]);
    assert_eq!(open.0, "start start-step text-start text-delta text-delta text-end finish-step finish END");
}

#[test]
fn the_next_part_is_the_first_that_begins_after_the_history() {
    let (types, ending) = given(Wanted { run_id: None, next: true }, &[RUN], &[FINISHED, SECOND, SECOND_FINISHED]);
    assert_eq!(types, "start start-step finish-step finish END");
    assert_eq!(ending, Some(Chunk::End));
    let none = given(Wanted { run_id: None, next: true }, &[RUN], &[FINISHED]);
    assert_eq!(none, (String::new(), None));
}

#[test]
fn a_run_s_part_is_waited_for_and_after_a_wait_the_next_one_is_another() {
    assert_eq!(given(of("s", false), &[RUN, FINISHED], &[SECOND, SECOND_FINISHED]).1, Some(Chunk::End));
    assert_eq!(given(of("r", false), &[RUN, FINISHED, SECOND], &[]).1, Some(Chunk::End));
    let waits = other(3, None, r#"{"type":"awaiting","pending_tool_use_id":null,"reason":"manual_pause"}"#);
    let resumed = r#"{"type":"fact","position":{"seq":4,"index":0},"run_id":"r","fact":{"type":"continuation","steered":false,"detail":{"cause":"resumed","pending_tool_use_id":null}}}"#;
    let (types, _) = given(of("r", true), &[RUN, &waits], &[resumed, FINISHED]);
    assert_eq!(types, "start start-step finish-step finish END", "no client keeps a step in which nothing was said");
    let (types, _) = given(of("r", false), &[RUN, &waits, resumed], &[FINISHED]);
    assert_eq!(types, "start start-step finish-step finish END");
    let (types, _) = given(of("r", true), &[RUN, &text(2, 0, "a"), &waits], &[resumed, FINISHED]);
    assert_eq!(types, "start finish-step finish END", "in the step that stayed open");
}

#[test]
fn a_divergence_and_a_replaced_log_cut_it() {
    let (types, ending) = given(Wanted::default(), &[RUN, &live_text(0, "hal")], &[&text(2, 0, "hello"), FINISHED]);
    assert_eq!(types, "start start-step text-start text-delta text-end CUT");
    assert_eq!(ending, Some(Chunk::Cut));
    assert_eq!(given(Wanted::default(), &[RUN], &[r#"{"type":"reset"}"#]).1, Some(Chunk::Cut));
    let mut segment = Segment::new(v6(), Some(Wanted::default()));
    segment.take(&read(RUN).unwrap());
    segment.caught_up();
    segment.finish();
    assert_eq!(segment.ending(), Some(&Chunk::Cut), "a stream that is left in the middle is no success");
}

#[test]
fn a_run_that_follows_a_cut_one_is_another_part() {
    let wanted = |run| given(of(run, false), &[RUN, &live_text(0, "hal"), SECOND], &[SECOND_FINISHED]);
    assert_eq!(wanted("r").0, "start start-step text-start text-delta text-end CUT");
    assert_eq!(wanted("s").0, "start start-step finish-step finish END");
}
