//! Whether two texts are the same JSON value: the order of keys, spaces, escapes and how a number is written do not
//! count. Numbers are compared by all their digits: two that a double can't tell apart are not the same.

use crate::json::{Error, Kind, Limits, Reader, Writer};
use crate::text::{decimal, join};
use std::collections::BTreeMap;

/// True when both are JSON and the same value.
pub(super) fn same_json(one: &str, other: &str) -> bool {
    one == other || matches!((normal(one), normal(other)), (Some(one), Some(other)) if one == other)
}

fn normal(text: &str) -> Option<String> {
    let mut r = Reader::new(text, Limits::default()).ok()?;
    let value = value(&mut r).ok()?;
    r.end().ok()?;
    Some(value)
}

/// The value with sorted keys and no spaces. The reader bounds the depth.
fn value(r: &mut Reader<'_>) -> Result<String, Error> {
    Ok(match r.kind()? {
        Kind::Object => {
            let mut fields = BTreeMap::new();
            r.object(|r, key| {
                fields.insert(key.to_owned(), value(r)?);
                Ok(())
            })?;
            let mut w = Writer::new();
            w.object(|w| {
                for (key, value) in &fields {
                    w.foreign_key(key);
                    w.raw(value);
                }
            });
            w.finish()
        }
        Kind::Array => {
            let mut w = Writer::new();
            let mut elements = Vec::new();
            r.array(|r| {
                elements.push(value(r)?);
                Ok(())
            })?;
            w.array(|w| elements.iter().for_each(|element| w.raw(element)));
            w.finish()
        }
        Kind::String => {
            let mut w = Writer::new();
            w.string(&r.string()?);
            w.finish()
        }
        Kind::Number => number(r.number()?),
        _ => r.raw()?.to_owned(),
    })
}

/// A number by its sign, its digits without zeros at either end, and the power of ten that they are of: `1`, `1.0` and
/// `10e-1` are one. A power beyond all reason stays as it was written.
fn number(text: &str) -> String {
    let (negative, rest) = text.strip_prefix("-").map_or((false, text), |rest| (true, rest));
    let mut digits = String::new();
    let mut power = 0_i64;
    let mut behind_point = false;
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '.' => behind_point = true,
            'e' | 'E' => match chars.as_str().parse::<i64>() {
                Ok(exponent) => {
                    power = power.saturating_add(exponent);
                    break;
                }
                Err(_) => return text.to_owned(),
            },
            digit => {
                power -= i64::from(behind_point);
                // Zeros before the first other digit say nothing.
                if digit != '0' || !digits.is_empty() {
                    digits.push(digit);
                }
            }
        }
    }
    while digits.ends_with('0') {
        digits.pop();
        power = power.saturating_add(1);
    }
    if digits.is_empty() {
        return "0".to_owned();
    }
    let (sign, of) = (if negative { "-" } else { "" }, if power < 0 { "e-" } else { "e" });
    join(&[sign, &digits, of, &decimal(power.unsigned_abs())])
}
