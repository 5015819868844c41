//! Reads any JSON into serde_json's value through the reader's own calls, and writes it back with the writer.

use super::*;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// The value, or why not. Of equal keys the last one counts, as it does for serde_json and JavaScript.
pub fn tree(text: &str) -> Result<Value, Error> {
    let mut r = Reader::new(text, Limits::default())?;
    let value = value(&mut r)?;
    r.end()?;
    Ok(value)
}

fn value(r: &mut Reader<'_>) -> Result<Value, Error> {
    Ok(match r.kind()? {
        Kind::Null => r.null().map(|()| Value::Null)?,
        Kind::Boolean => Value::Bool(r.boolean()?),
        // A number that no double holds stays the text it was.
        Kind::Number => {
            let digits = r.number()?;
            serde_json::from_str(digits).unwrap_or_else(|_| Value::String(digits.to_owned()))
        }
        Kind::String => Value::String(r.string()?.into_owned()),
        Kind::Array => {
            let mut all = Vec::new();
            r.array(|r| value(r).map(|element| all.push(element)))?;
            Value::Array(all)
        }
        Kind::Object => {
            let mut all = Map::new();
            r.object(|r, key| value(r).map(|field| drop(all.insert(key.to_owned(), field))))?;
            Value::Object(all)
        }
    })
}

/// Writes a value with the writer.
pub fn write_tree(value: &Value, w: &mut Writer) {
    match value {
        Value::Null => w.null(),
        Value::Bool(yes) => w.boolean(*yes),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => w.number(number),
            (None, Some(number)) => w.signed(number),
            (None, None) => w.raw(&number.to_string()),
        },
        Value::String(text) => w.string(text),
        Value::Array(all) => w.array(|w| all.iter().for_each(|element| write_tree(element, w))),
        Value::Object(all) => w.object(|w| {
            for (key, field) in all {
                w.foreign_key(key);
                write_tree(field, w);
            }
        }),
    }
}

/// Whether serde_json calls this JSON. Its checking value minds neither halves of pairs, nor the size of numbers, nor
/// depth: exactly what this reader takes differently from `serde_json::Value`.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}
