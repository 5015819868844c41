//! The way to a value inside a JSON document.

use std::borrow::Cow;

/// One step from an array or object to one of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into an object, by the key, its escapes resolved. Half a surrogate pair in it is U+FFFD.
    Key(Cow<'a, str>),
    /// Into an array, counted from 0.
    Index(usize),
}

/// Resolves the escapes of a string of JSON, given without its quotes.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte == b'\\') {
        return Cow::Borrowed(text);
    }
    let units = Units { rest: text.chars(), second: None };
    Cow::Owned(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// The value of a hexadecimal digit.
pub(super) fn hex_digit(byte: u8) -> Option<u16> {
    char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok())
}

/// A string's UTF-16 units: escapes can hold the two halves of a pair apart, so they are joined only after.
struct Units<'a> {
    rest: std::str::Chars<'a>,
    /// The second unit of the character whose first was given out last.
    second: Option<u16>,
}

impl Iterator for Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if let Some(second) = self.second.take() {
            return Some(second);
        }
        let character = match self.rest.next()? {
            '\\' => match self.rest.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let digits = self.rest.as_str().get(..4)?;
                    self.rest = self.rest.as_str().get(4..)?.chars();
                    return u16::from_str_radix(digits, 16).ok();
                }
                other => other,
            },
            plain => plain,
        };
        let mut buffer = [0; 2];
        let mut units = character.encode_utf16(&mut buffer).iter().copied();
        let first = units.next();
        self.second = units.next();
        first
    }
}
