//! Random threads: the page is always the whole, keys are unique, and a lane's key is its record's.

use super::thread::{Thread, text, waits_for};
use crate::event::Delta;
use crate::follow::{LaneId, Status};
use crate::json::Fragment;
use crate::view::SendState;
use crate::view::changes::WINDOW;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const RUNS: [&str; 3] = ["r1", "r2", "r3"];
const CALLS: [&str; 3] = ["c1", "c2", "c3"];
const TEXTS: [&str; 8] = ["", "a", "{\"k\":\"", "\\u00e9\\", "\"}", "你好", "😀", "[1,2.5e"];
const SENDS: [&str; 3] = ["m1", "m2", "m3"];

fn pick<T: Copy>(from: &[T], choice: u8) -> T {
    from[usize::from(choice) % from.len()]
}

/// One thing that happens, chosen by three numbers.
fn happen(thread: &mut Thread, [what, one, two]: [u8; 3]) {
    let run = pick(&RUNS, one);
    let lanes: Vec<LaneId> = thread.lanes.keys().copied().collect();
    let lane = (!lanes.is_empty()).then(|| pick(&lanes, one));
    match what % 17 {
        0 => {
            let at = (two % 5 != 0).then_some((u32::from(two % 3), u32::from(two / 3 % 2)));
            thread.open(run, at);
        }
        1..=3 => {
            if let Some(lane) = lane {
                let fragment = Fragment::from(pick(&TEXTS, two));
                let delta = match two / 8 % 4 {
                    0 => Delta::ReasoningDelta { delta: fragment },
                    1 => Delta::TextDelta { delta: fragment },
                    _ => {
                        let id = pick(&CALLS, two / 32).into();
                        let name = pick(&["tool", ""], one / 4).to_owned();
                        Delta::ToolCallDelta { id, name, args_delta: fragment }
                    }
                };
                thread.grow(lane, delta);
            }
        }
        4 => lane.into_iter().for_each(|lane| thread.confirm(lane, two.is_multiple_of(2))),
        5 => lane.into_iter().for_each(|lane| thread.reset(lane)),
        6 => lane.into_iter().for_each(|lane| settle(thread, lane, run, two)),
        7 => lane.into_iter().for_each(|lane| thread.drop_lane(lane)),
        8 => {
            let id = pick(&["m1", "m2", "m3", "r1-steer-0", "resume-input-c1"], two);
            thread.message(run, id, "User", text("hi"), json!({}));
        }
        9 => thread.sending(pick(&SENDS, one), pick(&TEXTS, two)),
        10 => {
            let failed = SendState::Failed { code: "x".to_owned(), message: "y".to_owned() };
            thread.send_state(pick(&SENDS, one), if two.is_multiple_of(2) { SendState::Queued } else { failed });
        }
        11 => {
            let block = json!({"type": "tool_result", "tool_use_id": pick(&CALLS, two), "content": [{"type": "text", "text": "ok"}], "is_error": two.is_multiple_of(2)});
            let run = if two % 7 == 0 { "" } else { run };
            thread.message(run, "tool-c", "Tool", json!([block, block]), json!({}));
        }
        12 => {
            thread.run(run, json!("Running"), None);
        }
        13 => {
            thread.run(
                run,
                json!("Awaiting"),
                waits_for(pick(&["Permission", "ClientExecution"], two), pick(&CALLS, two)),
            );
        }
        14 => {
            let ends =
                [json!({"Ended": "NaturalEnd"}), json!({"Ended": "Indeterminate"}), json!({"Ended": {"Later": 1}})];
            thread.run(run, ends[usize::from(two % 3)].clone(), None);
        }
        15 => match two % 8 {
            0 => thread.replace(),
            1 => thread.view.set_status(&Status::Live),
            2 => thread.view.set_status(&Status::Waiting { retry_at: u64::from(one) }),
            3 => {
                thread.recall();
                thread.apply();
            }
            _ => thread.apply(),
        },
        _ => check(thread),
    }
}

/// What the lane said is committed, with a call besides.
fn settle(thread: &mut Thread, lane: LaneId, run: &str, two: u8) {
    let call =
        json!({"type": "tool_use", "id": pick(&CALLS, two), "name": "tool", "input": {"n": 2512292042121000001u64}});
    let content = json!([{"type": "text", "text": "said"}, {"type": "text", "text": ""}, call, call]);
    let id = format!("{run}-assistant-{}", two % 3);
    let seq = thread.message(
        run,
        &id,
        "Assistant",
        content,
        if two.is_multiple_of(2) { json!({"step": two % 3, "response": 0}) } else { json!({}) },
    );
    thread.settle(lane, seq);
}

/// What holds of every page.
fn check(thread: &mut Thread) {
    let before: Vec<Value> = thread.items().to_vec();
    let replaced = thread.step.replace;
    thread.take();
    let items = thread.items();
    let keys: BTreeSet<&str> = items.iter().map(|item| item["key"].as_str().unwrap()).collect();
    assert_eq!(keys.len(), items.len(), "keys are unique");
    let place = |item: &Value| match item["origin"].as_str().unwrap() {
        "committed" => (0, item["seq"].as_u64().unwrap()),
        _ if item["kind"] == "assistant" => (1, 0),
        _ => (2, 0),
    };
    assert!(items.windows(2).all(|two| place(&two[0]) <= place(&two[1])), "committed, then previews, then sends");
    let committed = before.iter().take_while(|item| item["origin"] == "committed");
    if !replaced && thread.told.last().is_some_and(|told| !told.resets()) {
        for (old, new) in committed.zip(items) {
            assert_eq!((&old["key"], &old["seq"]), (&new["key"], &new["seq"]), "what is committed does not move");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn changes_lead_to_exactly_the_whole(
        window in prop_oneof![Just(WINDOW), 0..4_usize],
        choices in proptest::collection::vec(any::<[u8; 3]>(), 1..120),
    ) {
        let mut thread = Thread::default();
        thread.view.window = window;
        for choice in choices {
            happen(&mut thread, choice);
        }
        check(&mut thread);
    }
}

/// A thread of many things that happen, the same for the same seed, told in windows of so many items.
pub fn eventful(seed: u32, window: usize) -> Thread {
    let mut thread = Thread::default();
    thread.view.window = window;
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    for _ in 0..150 {
        happen(&mut thread, [next(), next(), next()]);
    }
    check(&mut thread);
    thread
}

#[test]
fn a_lane_that_settles_keeps_its_key_whatever_its_record_says() {
    for at in [Some((1, 0)), None] {
        for extra in [json!({}), json!({"step": 1, "response": 0}), json!({"step": 4, "response": 2})] {
            for id in ["r1-assistant-1", "opaque"] {
                let mut thread = Thread::default();
                let lane = thread.open("r1", at);
                thread.text(lane, "hello");
                thread.take();
                let key = thread.items()[0]["key"].clone();
                let seq = thread.message("r1", id, "Assistant", text("hello"), extra.clone());
                thread.settle(lane, seq);
                thread.take();
                assert_eq!((thread.items().len(), &thread.items()[0]["key"]), (1, &key));
            }
        }
    }
}
