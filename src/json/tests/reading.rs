//! What the reader takes and refuses where no case of the public suites looks: whole numbers, the depth beside the
//! nesting, and what is said of a key that is missing.

use super::*;
use crate::json::{wire_object, write};
use crate::text::Shared;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

wire_object! {
    #[derive(Debug, Clone, PartialEq)]
    struct Pair {
        first: u64,
        second: Option<String> => optional,
        third: bool => default,
        last: Shared,
    }
}

#[test]
fn a_whole_number_is_one_that_javascript_holds_written_as_json_writes_it() {
    for (text, number) in [
        ("0", 0),
        ("7", 7),
        ("40", 40),
        ("999999999999999", 999_999_999_999_999),
        ("1000000000000000", 1_000_000_000_000_000),
        ("9007199254740991", (1 << 53) - 1),
    ] {
        assert_eq!(read::<u64>(text).unwrap(), number);
        assert_eq!(read::<Vec<u64>>(&format!("[{text},{text}]")).unwrap(), [number, number]);
        assert_eq!(read::<Vec<u64>>(&format!("[ {text} , {text} ]")).unwrap(), [number, number]);
    }
    for text in ["9007199254740992", "9999999999999999", "99999999999999999999", "-1", "0.5", "1e3", "1.0"] {
        let error = read::<Vec<u64>>(&format!("[{text},1]")).unwrap_err();
        assert_eq!(error.code(), "json_number_range", "{text}");
    }
    for text in ["[01,1]", "[00,1]", "[,1]", "[]1", "[1", "[-,1]", "[1a]", "[0x1]", "[+1]"] {
        assert!(read::<Vec<u64>>(text).is_err(), "{text}");
    }
}

#[test]
fn what_stands_beside_each_other_is_not_nested() {
    let all = |element: &str| format!("[{}]", vec![element; 1000].join(","));
    for element in ["{}", "[]", r#"{"a":{}}"#, "[[]]"] {
        assert!(Raw::parse(&all(element)).is_ok(), "{element}");
        assert!(tree::tree(&all(element)).is_ok(), "{element}");
    }
    let pair = Pair { first: 1, second: None, third: false, last: "z".into() };
    assert_eq!(read::<Vec<Pair>>(&all(r#"{"first":1,"last":"z"}"#)).unwrap(), vec![pair; 1000]);
}

#[test]
fn fields_are_found_in_any_order_and_the_last_of_two_counts() {
    let pair = Pair { first: 2, second: Some("b".to_owned()), third: true, last: "z".into() };
    for text in [
        r#"{"first":2,"second":"b","third":true,"last":"z"}"#,
        r#"{"last":"z","third":true,"second":"b","first":2}"#,
        r#"{"first":1,"first":2,"last":"y","second":"b","last":"z","third":true}"#,
        " { \"third\" : true , \"first\" : 2 , \"last\" : \"z\" , \"second\" : \"b\" } ",
        r#"{"\u0066irst":2,"l\u0061st":"z","second":"b","third":true}"#,
    ] {
        assert_eq!(read::<Pair>(text).unwrap(), pair, "{text}");
    }
    let (short, notes) = read_noting::<Pair>(r#"{"firs":0,"first":2,"firsts":0,"last":"z"}"#).unwrap();
    assert_eq!(short, Pair { first: 2, second: None, third: false, last: "z".into() });
    assert_eq!((notes.unknown_keys, notes.first_unknown_key.as_deref()), (2, Some("firs")));
}

#[test]
fn a_key_that_is_missing_is_named_with_its_place() {
    let error = read::<Pair>(r#"{"first":1}"#).unwrap_err();
    assert_eq!(error.code(), "json_missing_key");
    assert_eq!(error.to_string(), "the key \"last\" is missing (at byte 11)");
}

#[test]
fn what_is_shared_is_written_as_what_is_owned() {
    let pair = Pair { first: 1, second: Some("\"".to_owned()), third: true, last: "l\n".into() };
    assert_eq!(write(&pair), r#"{"first":1,"second":"\"","third":true,"last":"l\n"}"#);
}

#[test]
fn a_key_of_somebody_elses_is_escaped() {
    let mut w = Writer::new();
    w.object(|w| {
        w.foreign_key("a\"\n");
        w.number(1);
        w.foreign_key("");
        w.null();
    });
    assert_eq!(w.finish(), r#"{"a\"\n":1,"":null}"#);
}
