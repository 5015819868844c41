//! The reader against `JSON.parse` of the engine that runs the test: Chromium in one run, Node in another.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use js_sys::JSON;
use threadfold::json::{Error, Fragment, Kind, Limits, Reader, Wire, Writer, read_noting, write};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Any value, with numbers as their digits.
#[derive(Debug)]
enum Tree {
    Null,
    Boolean(bool),
    Number(String),
    String(Fragment),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Wire for Tree {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(match r.kind()? {
            Kind::Null => r.null().map(|()| Self::Null)?,
            Kind::Boolean => Self::Boolean(r.boolean()?),
            Kind::Number => Self::Number(r.number()?.to_owned()),
            Kind::String => Self::String(r.fragment()?),
            Kind::Array => Self::Array(Wire::read(r)?),
            Kind::Object => {
                let mut fields = Vec::new();
                r.object(|r, key| {
                    fields.push((key.to_owned(), Self::read(r)?));
                    Ok(())
                })?;
                Self::Object(fields)
            }
        })
    }

    fn write(&self, w: &mut Writer) {
        match self {
            Self::Null => w.null(),
            Self::Boolean(value) => w.boolean(*value),
            Self::Number(digits) => w.raw(digits),
            Self::String(fragment) => w.fragment(fragment),
            Self::Array(elements) => elements.write(w),
            Self::Object(fields) => w.object(|w| {
                for (key, value) in fields {
                    w.foreign_key(key);
                    value.write(w);
                }
            }),
        }
    }
}

/// Both accept or both refuse, and what is written again means the same to the engine.
fn agree(text: &str) {
    let theirs = JSON::parse(text);
    let ours = read_noting::<Tree>(text);
    assert_eq!(ours.is_ok(), theirs.is_ok(), "{text:?}: ours {ours:?}, theirs {theirs:?}");
    let (Ok((tree, notes)), Ok(value)) = (ours, theirs) else { return };
    if notes.replaced_halves == 0 {
        let again = JSON::parse(&write(&tree)).expect("what is written is JSON");
        assert_eq!(stringified(&again), stringified(&value), "{text:?}");
    }
}

fn stringified(value: &JsValue) -> String {
    JSON::stringify(value).expect("plain data").into()
}

#[test]
fn the_cases_of_the_public_suites_are_judged_as_the_engine_judges_them() {
    let cases = JSON::parse(include_str!("fixtures/json-cases.json")).expect("the fixture is JSON");
    let mut judged = 0;
    for case in js_sys::Array::from(&cases).iter() {
        let field = |name: &str| js_sys::Reflect::get(&case, &JsValue::from_str(name)).expect("an object").as_string();
        let (text, verdict) = (field("text").expect("a text"), field("verdict").expect("a verdict"));
        // Where implementations may differ, ours is stated in the fixture and tested beside the reader.
        if verdict != "either" {
            agree(&text);
            judged += 1;
        }
    }
    assert!(judged > 200, "{judged} cases");
}

#[test]
fn generated_cut_and_damaged_documents_are_judged_as_the_engine_judges_them() {
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    for _ in 0..400 {
        let mut text = String::new();
        document(&mut dice, 0, &mut text);
        agree(&text);
        let characters: Vec<char> = text.chars().collect();
        for _ in 0..6 {
            agree(&characters[..dice.below(characters.len() + 1)].iter().collect::<String>());
            let mut damaged = characters.clone();
            let at = dice.below(damaged.len());
            damaged[at] =
                *dice.of(&['"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', 'u', ' ', '\n', '\u{7f}']);
            agree(&damaged.iter().collect::<String>());
        }
    }
}

#[test]
fn every_short_number_is_judged_as_the_engine_judges_it() {
    let mut texts = vec![String::new()];
    let mut numbers = 0;
    for _ in 0..5 {
        texts = texts.iter().flat_map(|text| "019-+.eE".chars().map(move |symbol| format!("{text}{symbol}"))).collect();
        for text in &texts {
            agree(text);
            numbers += usize::from(JSON::parse(text).is_ok());
        }
    }
    assert!(numbers > 1500, "only {numbers} numbers");
}

#[test]
fn whole_numbers_are_taken_where_the_engine_holds_them_exactly() {
    let around = |power: u32| (-2..=2_i64).map(move |more| ((1_i128 << power) + i128::from(more)).to_string());
    let texts = [53, 54, 63, 64, 32, 31].into_iter().flat_map(around);
    let more = ["0", "00", "01", "-0", "-1", "1.0", "1e2", "1E0", "10", "9007199254740991.0", "99999999999999999999"];
    for text in texts.chain(more.map(str::to_owned)) {
        let value = JSON::parse(&text).ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let theirs = value.filter(js_sys::Number::is_safe_integer).and_then(|value| value.as_f64());
        let ours = Reader::new(&text, Limits::default()).and_then(|mut r| {
            let number = r.unsigned()?;
            r.end().map(|()| number)
        });
        assert_eq!(ours.as_ref().ok().map(|number| *number as f64), theirs, "{text}: {ours:?}");
        let refused = ours.is_err_and(|error| error.code() == "json_number_range");
        assert_eq!(refused, theirs.is_none() && JSON::parse(&text).is_ok(), "{text}");
    }
}

#[test]
fn every_escape_and_every_control_character_is_judged_as_the_engine_judges_it() {
    for byte in 0..=0x7f_u8 {
        let character = char::from(byte);
        agree(&format!("\"{character}\""));
        agree(&format!("\"\\{character}\""));
        for at in 0..4 {
            let mut digits = ['0', '0', '4', '1'];
            digits[at] = character;
            agree(&format!("\"\\u{}\"", digits.iter().collect::<String>()));
        }
    }
    for cut in 0..6 {
        agree(&format!("\"{}\"", &"\\u0041"[..cut]));
    }
}

#[test]
fn surrogates_in_any_order_are_joined_as_the_engine_joins_them() {
    let units = ["\\ud800", "\\uDBFF", "\\udc00", "\\uDFFF", "\\ud7ff", "\\ue000", "x", "\u{1f600}", "\\\\"];
    let mut texts = vec![String::new()];
    let mut kept = 0;
    for _ in 0..4 {
        texts = texts.iter().flat_map(|text| units.map(|unit| format!("{text}{unit}"))).collect();
        for text in &texts {
            let quoted = format!("\"{text}\"");
            agree(&quoted);
            // A half in the middle is the one thing that is not kept, and it is noted.
            let (fragment, notes) = read_noting::<Fragment>(&quoted).expect("a string");
            if notes.replaced_halves == 0 {
                assert_eq!(JSON::parse(&write(&fragment)).expect("a string"), JSON::parse(&quoted).expect("a string"));
                kept += 1;
            }
        }
    }
    assert!(kept > 2000, "only {kept} texts are kept whole");
}

fn document(dice: &mut Dice, depth: u32, out: &mut String) {
    const TEXTS: &[&str] =
        &["", "a", "你好", "\\ud83d\\ude00", "\\u0041", "\\ud83d", "\\ude00b", "é\u{2028}", "\\n\\/\\\\"];
    const NUMBERS: &[&str] = &["0", "-0", "1.50", "1e5", "-2E-3", "9007199254740993", "2512292042121000001", "1e400"];
    match dice.below(if depth < 4 { 8 } else { 4 }) {
        0 => out.push_str(dice.of(&["null", "true", "false"])),
        1 => out.push_str(dice.of(NUMBERS)),
        2 | 3 => {
            out.push('"');
            out.push_str(dice.of(TEXTS));
            out.push('"');
        }
        4 | 5 => {
            out.push('[');
            for number in 0..dice.below(4) {
                out.push_str(if number > 0 { ", " } else { "" });
                document(dice, depth + 1, out);
            }
            out.push(']');
        }
        _ => {
            out.push('{');
            for number in 0..dice.below(4) {
                out.push_str(if number > 0 { "," } else { "\t" });
                out.push('"');
                out.push_str(dice.of(&["k", "你", "\\u006b", ""]));
                out.push_str("\" :");
                document(dice, depth + 1, out);
            }
            out.push('}');
        }
    }
}

/// Throws the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
