//! The cases that public JSON test suites agree on, restated as a table that JavaScript compares with `JSON.parse`, and
//! what the reader makes of halves of surrogate pairs.
//!
//! `accept` and `reject` are what the grammar says. For `either` the grammar or common sense leaves a choice, and
//! `threadfold` says which was made: every number and every half is taken, depth is bounded.

use super::tree::{is_json, tree};
use super::*;
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const CASES: &str = include_str!("../../../tests/fixtures/json-cases.json");

#[test]
fn every_case_is_accepted_or_rejected_as_the_table_says() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 300);
    for case in &cases {
        let (name, text) = (&case["name"], case["text"].as_str().unwrap());
        let accepted = match case["verdict"].as_str().unwrap() {
            "either" => case["threadfold"] == "accept",
            verdict => verdict == "accept",
        };
        assert_eq!(Raw::parse(text).is_ok(), accepted, "skipped: {name}");
        assert_eq!(tree(text).is_ok(), accepted, "read: {name}");
        if case["verdict"] != "either" {
            assert_eq!(is_json(text), accepted, "the oracle: {name}");
        }
    }
}

#[test]
fn what_is_accepted_has_serde_jsons_value() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    for case in cases.iter().filter(|case| case["verdict"] == "accept") {
        let text = case["text"].as_str().unwrap();
        assert_eq!(tree(text).unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{}", case["name"]);
    }
}

#[test]
fn halves_of_pairs_cost_one_character_each_wherever_they_stand() {
    for (json, text, replaced) in [
        (r#""\ud83d""#, "\u{FFFD}", 1),
        (r#""\ude00""#, "\u{FFFD}", 1),
        (r#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}", 2),
        (r#""\ud83d\ud83d""#, "\u{FFFD}\u{FFFD}", 2),
        (r#""\ude00\ude00""#, "\u{FFFD}\u{FFFD}", 2),
        (r#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀", 1),
        (r#""\ud83d\ude00\ude00""#, "😀\u{FFFD}", 1),
        (r#""\ude00\ud83d\ude00""#, "\u{FFFD}😀", 1),
        (r#""a\ud83db""#, "a\u{FFFD}b", 1),
        (r#""a\ude00b""#, "a\u{FFFD}b", 1),
        (r#""\ud83da\ude00""#, "\u{FFFD}a\u{FFFD}", 2),
        (r#""\ud83d\n""#, "\u{FFFD}\n", 1),
        (r#""\ud83d\u0041""#, "\u{FFFD}A", 1),
        (r#""\ud83d漢""#, "\u{FFFD}漢", 1),
        (r#""\uD83D\uDE00""#, "😀", 0),
        (r#""\udbff\udfff""#, "\u{10FFFF}", 0),
        (r#""\ud800\udc00""#, "\u{10000}", 0),
    ] {
        let (read, notes) = read_noting::<String>(json).unwrap();
        assert_eq!((read.as_str(), notes.replaced_halves), (text, replaced), "{json}");
    }
}

#[test]
fn a_fragment_keeps_only_its_outermost_halves_apart() {
    let halves = |lead, text: &str, tail| Fragment { lead, text: text.to_owned(), tail };
    for (json, fragment) in [
        (r#""\ud83d""#, halves(None, "", Some(0xD83D))),
        (r#""\ude00""#, halves(Some(0xDE00), "", None)),
        (r#""\ude00\ud83d""#, halves(Some(0xDE00), "", Some(0xD83D))),
        (r#""\ude00a\ud83d""#, halves(Some(0xDE00), "a", Some(0xD83D))),
        (r#""\ud83da""#, halves(None, "\u{FFFD}a", None)),
        (r#""a\ude00""#, halves(None, "a\u{FFFD}", None)),
        (r#""\ud83d\ud83d""#, halves(None, "\u{FFFD}", Some(0xD83D))),
        (r#""\ude00\ude00""#, halves(Some(0xDE00), "\u{FFFD}", None)),
        (r#""\ud83d\ude00\ud83d""#, halves(None, "😀", Some(0xD83D))),
        (r#""""#, halves(None, "", None)),
    ] {
        assert_eq!(read::<Fragment>(json).unwrap(), fragment, "{json}");
        assert_eq!(read::<Fragment>(&write(&fragment)).unwrap(), fragment, "{json}");
    }
}

#[test]
fn a_half_in_a_key_costs_a_character_of_the_key() {
    let mut keys = Vec::new();
    let mut r = Reader::new(r#"{"\ud83d":1,"a\ude00":2}"#, Limits::default()).unwrap();
    r.object(|r, key| {
        keys.push(key.to_owned());
        r.skip()
    })
    .unwrap();
    assert_eq!(keys, ["\u{FFFD}", "a\u{FFFD}"]);
    assert_eq!(r.notes.replaced_halves, 2);
}

#[test]
fn equal_keys_come_one_after_the_other_and_a_type_takes_the_last() {
    let position: crate::event::Position = read(r#"{"seq":1,"index":2,"seq":3,"\u0073eq":4}"#).unwrap();
    assert_eq!((position.seq, position.index), (4, 2));
}

#[test]
fn w11_a_whole_number_is_exact_or_refused() {
    assert_eq!(read::<u64>("0").unwrap(), 0);
    assert_eq!(read::<u64>("9007199254740991").unwrap(), (1 << 53) - 1);
    for json in
        ["9007199254740992", "1.0", "1e2", "-1", "-0", "0.5", "12815844532926915242", "18446744073709551616", "1e400"]
    {
        assert_eq!(read::<u64>(json).unwrap_err().code(), "json_number_range", "{json}");
    }
    assert_eq!(read::<u32>("4294967295").unwrap(), u32::MAX);
    assert_eq!(read::<u32>("4294967296").unwrap_err().code(), "json_number_range");
    assert_eq!(read::<Option<u64>>("-1").unwrap(), None);
    assert_eq!(read::<Option<u64>>("-2").unwrap_err().code(), "json_number_range");
}

#[test]
fn depth_and_size_are_refused_just_past_their_limits() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Raw::parse(&nested(128)).is_ok());
    assert_eq!(Raw::parse(&nested(129)).unwrap_err().kind, ErrorKind::TooDeep(128));
    assert_eq!(tree(&nested(129)).unwrap_err().code(), "json_too_deep");
    let limits = Limits { depth: 1, bytes: 4 };
    assert!(Reader::new("[12]", limits).is_ok_and(|mut r| r.skip().is_ok() && r.end().is_ok()));
    assert_eq!(Reader::new("[123]", limits).unwrap_err().kind, ErrorKind::TooLarge { bytes: 5, limit: 4 });
    for hostile in ["[".repeat(100_000), "{\"a\":".repeat(100_000), "[{\"a\":".repeat(50_000)] {
        assert_eq!(Raw::parse(&hostile).unwrap_err().code(), "json_too_deep");
    }
    // Depth counts what is open, not what was opened.
    let wide = format!("[{}]", vec!["[[]]"; 10_000].join(","));
    assert!(tree(&wide).is_ok());
}
