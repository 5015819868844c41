//! Laws of the reader and the writer over generated, cut and damaged texts.

use super::tree::{is_json, tree, write_tree};
use super::*;
use proptest::prelude::*;
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The inside of a string literal: plain text of many scripts, escapes, pairs, and halves where they may stand.
fn inside(halves: bool) -> impl Strategy<Value = String> {
    let plain = prop_oneof![
        "[a-z {}\\[\\]:,/0-9]{0,6}",
        "\\PC{0,3}".prop_map(|text: String| text.replace(['"', '\\'], "")),
        Just("漢字".to_owned()),
        Just("👩‍👧".to_owned()),
        Just("\u{2028}\u{7f}".to_owned()),
    ];
    let escape = prop::sample::select(vec![
        r#"\""#,
        r"\\",
        r"\/",
        r"\b",
        r"\f",
        r"\n",
        r"\r",
        r"\t",
        r"\u0000",
        r"\u00E9",
        r"\uffff",
        r"\ud83d\ude00",
    ]);
    let half = prop::sample::select(vec![r"\ud83d", r"\ude00", r"\uD800", r"\uDFFF"]);
    let weight = u32::from(halves);
    let piece = prop_oneof![3 => plain, 3 => escape.prop_map(str::to_owned), weight => half.prop_map(str::to_owned)];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// A JSON text with space wherever space may be, and with keys that repeat.
fn json(halves: bool) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1",
            "-1.5e-7",
            "1E2",
            "12345678901234567890",
            "0.1",
            "9007199254740993"
        ])
        .prop_map(str::to_owned),
        // Sixteenths, which serde_json reads exactly; of other fractions it may miss the last bit.
        any::<i32>().prop_map(|sixteenths| (f64::from(sixteenths) / 16.0).to_string()),
        inside(halves).prop_map(|text| format!("\"{text}\"")),
    ];
    let space = || prop::sample::select(vec!["", "", " ", "\n", "\t ", "\r\n"]);
    leaf.prop_recursive(6, 40, 5, move |inner| {
        let spaced =
            (space(), inner.clone(), space()).prop_map(|(before, value, after)| format!("{before}{value}{after}"));
        let key = prop_oneof![Just("a".to_owned()), Just("type".to_owned()), inside(halves)];
        let field = (space(), key, space(), spaced.clone())
            .prop_map(|(before, key, after, value)| format!("{before}\"{key}\"{after}:{value}"));
        prop_oneof![
            (space(), prop::collection::vec(spaced, 0..5)).prop_map(|(space, all)| if all.is_empty() {
                format!("[{space}]")
            } else {
                format!("[{}]", all.join(","))
            }),
            (space(), prop::collection::vec(field, 0..5)).prop_map(|(space, all)| if all.is_empty() {
                format!("{{{space}}}")
            } else {
                format!("{{{}}}", all.join(","))
            }),
        ]
    })
}

/// Refusals tell a place in the text, and the two ways of passing over a value agree with serde_json.
fn check(text: &str) -> Result<(), TestCaseError> {
    let (skipped, read) = (Raw::parse(text), tree(text));
    prop_assert_eq!(skipped.is_ok(), is_json(text), "{:?}: {:?}", text, skipped);
    prop_assert_eq!(read.is_ok(), skipped.is_ok(), "{:?}: {:?}", text, read);
    for error in [skipped.err(), read.err()].into_iter().flatten() {
        prop_assert!(text.is_char_boundary(error.at), "{:?}: {}", text, error);
    }
    Ok(())
}

proptest! {
    #[test]
    fn generated_json_is_kept_as_it_is_and_has_serde_jsons_value(text in json(false)) {
        let kept = Raw::parse(&text).unwrap();
        prop_assert_eq!(kept.as_str(), text.trim_matches([' ', '\n', '\r', '\t']));
        prop_assert_eq!(&write(&kept), kept.as_str());
        prop_assert_eq!(tree(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
    }

    #[test]
    fn halves_never_cost_more_than_themselves(text in json(true)) {
        check(&text)?;
        prop_assert!(Raw::parse(&text).is_ok());
    }

    #[test]
    fn a_text_that_was_cut_is_incomplete_or_was_complete_there(text in json(true)) {
        for (at, _) in text.char_indices() {
            let cut = &text[..at];
            check(cut)?;
            if let Err(error) = Raw::parse(cut) {
                prop_assert_eq!(&error.kind, &ErrorKind::Incomplete, "{:?}", cut);
            }
            if let Err(error) = tree(cut) {
                prop_assert_eq!(&error.kind, &ErrorKind::Incomplete, "{:?}", cut);
            }
        }
    }

    #[test]
    fn a_damaged_text_is_taken_exactly_when_serde_json_takes_it(
        text in json(true),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3_u8), 1..4),
    ) {
        const PIECES: [char; 28] = [
            '"', '\\', '{', '}', '[', ']', ':', ',', '-', '+', '.', 'e', '0', '1', 'u', 'd', 'n', 't', ' ', '\n', '\0', '\u{1f}', '/', '\u{a0}', '\u{feff}', '漢', '😀', 'x',
        ];
        let mut chars: Vec<char> = text.chars().collect();
        for (at, piece, kind) in damage {
            let at = at.index(chars.len() + 1).min(chars.len());
            let piece = PIECES[piece.index(PIECES.len())];
            match kind {
                0 => chars.insert(at, piece),
                1 if at < chars.len() => drop(chars.remove(at)),
                _ if at < chars.len() => chars[at] = piece,
                _ => chars.push(piece),
            }
        }
        check(&chars.into_iter().collect::<String>())?;
    }

    #[test]
    fn flipped_bytes_are_taken_exactly_when_serde_json_takes_them(text in json(true), flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = text.into_bytes();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        check(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn soup_of_tokens_is_taken_exactly_when_serde_json_takes_it(
        tokens in prop::collection::vec(prop::sample::select(vec!["[", "]", "{", "}", ":", ",", "\"a\"", "1", "-", "0", ".", "e", "null", "true", " ", "\"", "\\u", "00"]), 0..9),
    ) {
        check(&tokens.concat())?;
    }

    #[test]
    fn any_text_at_all_is_answered_without_a_panic(text in any::<String>()) {
        check(&text)?;
        let _ = read::<crate::thread::Record>(&text);
        let _ = read::<crate::event::AgentEvent>(&text);
    }

    #[test]
    fn what_the_writer_writes_serde_json_reads_as_the_same(text in json(false), string in any::<String>()) {
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut w = Writer::new();
        write_tree(&value, &mut w);
        let written = w.finish();
        prop_assert_eq!(&serde_json::from_str::<Value>(&written).unwrap(), &value);
        prop_assert_eq!(tree(&written).unwrap(), value);
        prop_assert_eq!(serde_json::from_str::<String>(&write(&string)).unwrap(), string.clone());
        prop_assert_eq!(read::<String>(&write(&string)).unwrap(), string);
    }

    #[test]
    fn a_fragment_survives_its_wire(lead in prop::option::of(0xDC00..=0xDFFF_u16), text in any::<String>(), tail in prop::option::of(0xD800..=0xDBFF_u16)) {
        let fragment = Fragment { lead, text, tail };
        prop_assert_eq!(read::<Fragment>(&write(&fragment)).unwrap(), fragment);
    }

    #[test]
    fn a_text_is_cut_anywhere_into_fragments_and_joins_again(text in any::<String>(), cut in any::<prop::sample::Index>()) {
        let units: Vec<u16> = text.encode_utf16().collect();
        let cut = cut.index(units.len() + 1);
        let quoted = |units: &[u16]| -> String { format!("\"{}\"", units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>()) };
        let (head, rest) = units.split_at(cut);
        let (head, rest) = (read::<Fragment>(&quoted(head)).unwrap(), read::<Fragment>(&quoted(rest)).unwrap());
        prop_assert_eq!((head.lead, rest.tail), (None, None));
        let middle = head.tail.zip(rest.lead).map(|(high, low)| reader::string::join(high, low));
        prop_assert_eq!(head.tail.is_some(), rest.lead.is_some());
        prop_assert_eq!(head.text + &middle.map(String::from).unwrap_or_default() + &rest.text, text);
    }
}
