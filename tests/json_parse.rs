//! The reader against `JSON.parse` of the engine that runs the test: Chromium in one run, Node in another.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use js_sys::JSON;
use threadfold::json::{Error, Fragment, Kind, Reader, Wire, Writer, read_noting, write};
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
                    w.key(key);
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
