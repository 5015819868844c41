//! What a lane's content is made of, and what has to be added to one to make another.

use super::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const HIGH: u16 = 0xD83D;
const LOW: u16 = 0xDE00;

fn args(id: &str, name: &str, piece: Fragment) -> Delta {
    Delta::ToolCallDelta { id: id.into(), name: name.to_owned(), args_delta: piece }
}

fn call(name: &str, piece: &str) -> Content {
    Content::of(&[args("c", name, Fragment::from(piece))])
}

fn text(piece: &str) -> Content {
    Content::of(&[Delta::TextDelta { delta: Fragment::from(piece) }])
}

fn high(text: &str) -> Fragment {
    Fragment { tail: Some(HIGH), ..Fragment::from(text) }
}

fn low(text: &str) -> Fragment {
    Fragment { lead: Some(LOW), ..Fragment::from(text) }
}

#[test]
fn content_of_which_nothing_was_said_is_empty() {
    assert!(Content::default().is_empty());
    assert!(!text("").is_empty(), "that a part was opened is something");
}

#[test]
fn nothing_is_missing_from_what_is_the_same() {
    for same in [text("a"), call("bash", "{"), call("", "{")] {
        assert_eq!(same.missing_from(&same), Some(Vec::new()));
    }
}

#[test]
fn a_tools_name_that_was_not_said_before_is_missing_and_another_one_is_another_call() {
    let missing = call("", "{").missing_from(&call("bash", "{")).unwrap();
    let growth = Growth { part: 0, opened: false, lead: None };
    assert_eq!(missing, [(args("c", "bash", Fragment::from("")), growth)]);
    assert_eq!(call("bash", "{").missing_from(&call("sh", "{")), None);
    assert_eq!(call("bash", "{").missing_from(&call("", "{")), Some(Vec::new()), "it was said once, which is enough");
    let missing = call("bash", "{").missing_from(&call("bash", "{}")).unwrap();
    assert_eq!(missing, [(args("c", "bash", Fragment::from("}")), growth)]);
}

#[test]
fn halves_of_a_character_find_each_other_in_the_call_that_they_are_of() {
    let mut content = Content::default();
    for delta in [args("a", "t", high("\"")), args("b", "t", Fragment::from("\"")), args("a", "t", low("\""))] {
        content.push(&delta);
    }
    content.push(&args("b", "t", Fragment::from("x\"")));
    let shown: Vec<&str> = content.parts().iter().map(Part::text).collect();
    assert_eq!(shown, ["\"😀\"", "\"x\""]);
    assert_eq!(content.replaced_halves(), 0);
}

#[test]
fn a_half_that_finds_no_other_is_replaced_and_counted() {
    for (first, second) in [(high("a"), Fragment::from("b")), (Fragment::from("a"), low("b")), (high("a"), high("b"))] {
        let content = Content::of(&[Delta::TextDelta { delta: first }, Delta::TextDelta { delta: second }]);
        assert_eq!(content.parts().first().map(Part::text), Some("a\u{FFFD}b"));
        assert_eq!(content.replaced_halves(), 1);
    }
}
