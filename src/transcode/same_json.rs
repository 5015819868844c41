//! Whether two texts are the same JSON value: key order, spaces and escapes do not count (rule: inputs are values).

use crate::json::{Error, Kind, Limits, Reader, Writer};
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
                    w.key(key);
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
        Kind::Number => r.number()?.to_owned(),
        _ => r.raw()?.to_owned(),
    })
}
