//! The reader and writer against cases by hand.

mod cases;
mod hostile;
mod reading;
mod scan;
mod tree;

use super::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_pair_cut_in_two_keeps_its_halves() {
    let high: Fragment = read(r#""a\ud83d""#).unwrap();
    assert_eq!((high.text.as_str(), high.tail), ("a", Some(0xD83D)));
    let low: Fragment = read(r#""\ude00b""#).unwrap();
    assert_eq!((low.lead, low.text.as_str()), (Some(0xDE00), "b"));
    assert_eq!(write(&low), r#""\ude00b""#);
    assert_eq!(read::<String>(r#""a\ud83d\ude00b""#).unwrap(), "a😀b");
    let (text, notes) = read_noting::<String>(r#""\ude00a\ud83d""#).unwrap();
    assert_eq!((text.as_str(), notes.replaced_halves), ("\u{FFFD}a\u{FFFD}", 2));
}

#[test]
fn digits_of_a_raw_value_stay_what_was_sent() {
    let raw: Raw = read(" {\"id\": 2512292042121000001, \"x\": 1e400} ").unwrap();
    assert_eq!(raw.as_str(), "{\"id\": 2512292042121000001, \"x\": 1e400}");
}

#[test]
fn nesting_over_the_limit_is_refused_and_not_overflowed() {
    let deep = "[".repeat(100_000);
    assert_eq!(Raw::parse(&deep).unwrap_err().code(), "json_too_deep");
}
