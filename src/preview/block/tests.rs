//! Numbered blocks: order, freezing, and what can't be told as growth.

use super::super::{Content, Part, Placed};
use crate::event::Delta;
use crate::json::Fragment;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn text(content: &mut Content, block: u64, piece: &str) -> Placed {
    content.push_block(block, Delta::TextDelta { delta: Fragment::from(piece) })
}

fn call(content: &mut Content, block: u64, id: &str, name: &str, piece: &str) -> Placed {
    let (id, name) = (id.into(), name.to_owned());
    content.push_block(block, Delta::ToolCallDelta { id, name, args_delta: Fragment::from(piece) })
}

fn shown(content: &Content) -> Vec<String> {
    let kind = |part: &Part| match part {
        Part::Text(text) => format!("text {text}"),
        Part::Reasoning(text) => format!("reasoning {text}"),
        Part::Call { id, name, args } => format!("call {id} {name} {}", args.raw()),
    };
    content.parts().iter().map(kind).collect()
}

#[test]
fn blocks_of_one_kind_stay_apart_and_grow_where_they_stand() {
    let mut content = Content::default();
    text(&mut content, 0, "a");
    text(&mut content, 1, "b");
    call(&mut content, 2, "c", "bash", "");
    call(&mut content, 2, "c", "", "{");
    assert!(matches!(text(&mut content, 0, "a"), Placed::Grew(_, growth) if growth.part == 0 && !growth.opened));
    call(&mut content, 2, "c", "", "}");
    assert_eq!(shown(&content), ["text aa", "text b", "call c bash {}"]);
}

#[test]
fn the_order_is_that_in_which_blocks_were_first_seen_and_an_earlier_one_that_speaks_late_is_shown_anew() {
    let mut content = Content::default();
    content.begin_block(0);
    content.begin_block(1);
    assert!(matches!(text(&mut content, 1, "second"), Placed::Grew(_, growth) if growth.opened && growth.part == 0));
    assert_eq!(text(&mut content, 0, "first"), Placed::Rebuilt);
    assert!(matches!(text(&mut content, 1, "!"), Placed::Grew(_, growth) if growth.part == 1));
    assert_eq!(shown(&content), ["text first", "text second!"]);
}

#[test]
fn a_whole_block_takes_the_place_of_what_was_said_and_freezes_it() {
    let mut content = Content::default();
    text(&mut content, 0, "ab");
    assert_eq!(content.end_block(0, Part::Text("ab".to_owned())), Placed::Nothing);
    assert_eq!(text(&mut content, 0, "c"), Placed::Nothing, "it is frozen");
    assert_eq!(content.end_block(0, Part::Text("other".to_owned())), Placed::Nothing);
    text(&mut content, 1, "a");
    let more = content.end_block(1, Part::Text("abc".to_owned()));
    assert!(matches!(more, Placed::Grew(Delta::TextDelta { ref delta }, _) if delta.text == "bc"), "{more:?}");
    text(&mut content, 2, "x");
    assert_eq!(content.end_block(2, Part::Text("y".to_owned())), Placed::Rebuilt);
    text(&mut content, 3, "z");
    assert_eq!(content.end_block(3, Part::Reasoning("z".to_owned())), Placed::Rebuilt, "it is of another kind");
    assert!(matches!(content.end_block(4, Part::Text("new".to_owned())), Placed::Grew(_, growth) if growth.opened));
    assert_eq!(shown(&content), ["text ab", "text abc", "text y", "reasoning z", "text new"]);
}

#[test]
fn a_call_whose_name_or_id_was_another_is_shown_anew() {
    let mut content = Content::default();
    call(&mut content, 0, "c", "ba", "{}");
    assert_eq!(content.end_block(0, Part::call("c".into(), "bash".to_owned(), "{}")), Placed::Rebuilt);
    call(&mut content, 1, "c", "", "{");
    call(&mut content, 1, "c", "late", "}");
    assert_eq!(content.end_block(1, Part::call("c".into(), "late".to_owned(), "{}")), Placed::Nothing);
    assert_eq!(shown(&content), ["call c bash {}", "call c late {}"]);
}

#[test]
fn a_block_in_which_nothing_is_said_is_no_part() {
    let mut content = Content::default();
    content.begin_block(0);
    assert_eq!(text(&mut content, 0, ""), Placed::Nothing);
    assert_eq!(content.end_block(0, Part::Text(String::new())), Placed::Nothing);
    assert!(matches!(call(&mut content, 1, "c", "bash", ""), Placed::Grew(..)));
    assert_eq!(shown(&content), ["call c bash "]);
}

#[test]
fn half_a_character_waits_for_the_other_half_of_its_own_block() {
    let mut content = Content::default();
    let half = |lead, tail| Delta::TextDelta { delta: Fragment { lead, text: String::new(), tail } };
    content.push_block(0, half(None, Some(0xd83d)));
    text(&mut content, 1, "between");
    content.push_block(0, half(Some(0xde00), None));
    assert_eq!(shown(&content), ["text 😀", "text between"]);
    assert_eq!(content.replaced_halves(), 0);
}

#[test]
fn a_content_is_full_at_its_bytes_or_its_parts_and_what_is_shown_anew_counts_again() {
    let mut content = Content::default();
    text(&mut content, 0, &"x".repeat(32 << 20));
    assert!(!content.is_full(), "as much as there may be");
    text(&mut content, 0, "x");
    assert!(content.is_full());

    let mut content = Content::default();
    (0..1023).for_each(|block| content.begin_block(block));
    assert!(!content.is_full());
    content.begin_block(1023);
    assert!(content.is_full(), "blocks that say nothing count");

    // The later blocks speak first, so that each of the earlier ones has all shown anew: 1 MiB each time.
    let mut content = Content::default();
    (0..64).for_each(|block| content.begin_block(block));
    text(&mut content, 63, &"x".repeat(1 << 20));
    let mut rebuilt = 0;
    for block in (0..63).rev() {
        if content.is_full() {
            break;
        }
        assert_eq!(text(&mut content, block, "y"), Placed::Rebuilt);
        rebuilt += 1;
    }
    assert_eq!(rebuilt, 31, "1 MiB was said, and 31 MiB were said again");
    assert!(content.is_full());
}
