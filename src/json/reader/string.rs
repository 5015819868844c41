//! Strings: borrowed where they are plain, otherwise joined from their escapes, with halves of surrogate pairs kept apart.

use super::Reader;
use crate::json::{Error, ErrorKind, Fragment, plain_run};
use std::borrow::Cow;

impl<'a> Reader<'a> {
    /// A string. Half characters become U+FFFD and are noted. Borrowed where it holds no escape.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        if let Some(plain) = self.plain_string()? {
            return Ok(Cow::Borrowed(plain));
        }
        let mut fragment = self.escaped_string()?;
        if fragment.lead.is_some() {
            fragment.text.insert(0, char::REPLACEMENT_CHARACTER);
        }
        if fragment.tail.is_some() {
            fragment.text.push(char::REPLACEMENT_CHARACTER);
        }
        let halves = u32::from(fragment.lead.is_some()) + u32::from(fragment.tail.is_some());
        self.notes.replaced_halves = self.notes.replaced_halves.saturating_add(halves);
        Ok(Cow::Owned(fragment.text))
    }

    /// A string whose first and last half characters are kept apart.
    pub fn fragment(&mut self) -> Result<Fragment, Error> {
        match self.plain_string()? {
            Some(plain) => Ok(Fragment { lead: None, text: plain.to_owned(), tail: None }),
            None => self.escaped_string(),
        }
    }

    /// Goes on to the next byte that ends a run of plain characters in a string.
    fn plain_run(&mut self) -> Result<u8, Error> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += plain_run(rest);
        match self.peek() {
            Some(byte @ (b'"' | b'\\')) => Ok(byte),
            Some(_) => Err(self.expected("an escape for a control character")),
            None => Err(self.error(ErrorKind::Incomplete)),
        }
    }

    /// The string when it holds no escape; otherwise None, and the reader stands where it stood.
    fn plain_string(&mut self) -> Result<Option<&'a str>, Error> {
        self.expect(b'"', "a string")?;
        let start = self.at;
        if self.plain_run()? == b'"' {
            let plain = self.slice(start);
            self.at += 1;
            return Ok(Some(plain));
        }
        self.at = start - 1;
        Ok(None)
    }

    pub(super) fn skip_string(&mut self) -> Result<(), Error> {
        self.expect(b'"', "a string")?;
        while self.plain_run()? == b'\\' {
            self.escape()?;
        }
        self.at += 1;
        Ok(())
    }

    fn escaped_string(&mut self) -> Result<Fragment, Error> {
        self.expect(b'"', "a string")?;
        let mut units = Units::default();
        loop {
            let start = self.at;
            let stop = self.plain_run()?;
            units.plain(self.slice(start));
            if stop == b'"' {
                self.at += 1;
                break;
            }
            units.push(self.escape()?);
        }
        self.notes.replaced_halves = self.notes.replaced_halves.saturating_add(units.replaced);
        Ok(units.finish())
    }

    /// The UTF-16 unit that the escape at this place stands for.
    fn escape(&mut self) -> Result<u16, Error> {
        self.at += 1;
        let letter = self.peek().ok_or_else(|| self.error(ErrorKind::Incomplete))?;
        let unit = match letter {
            b'"' | b'\\' | b'/' => u16::from(letter),
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => 0x0A,
            b'r' => 0x0D,
            b't' => 0x09,
            b'u' => return self.hex(),
            _ => return Err(self.expected("a valid escape")),
        };
        self.at += 1;
        Ok(unit)
    }

    fn hex(&mut self) -> Result<u16, Error> {
        self.at += 1;
        let mut unit = 0u16;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(byte @ b'0'..=b'9') => byte - b'0',
                Some(byte @ b'a'..=b'f') => byte - b'a' + 10,
                Some(byte @ b'A'..=b'F') => byte - b'A' + 10,
                Some(_) => return Err(self.expected("four hexadecimal digits")),
                None => return Err(self.error(ErrorKind::Incomplete)),
            };
            unit = (unit << 4) | u16::from(digit);
            self.at += 1;
        }
        Ok(unit)
    }
}

/// Joins UTF-16 units and plain runs to text, keeping a first and a last half apart.
#[derive(Default)]
struct Units {
    out: Fragment,
    replaced: u32,
}

impl Units {
    fn plain(&mut self, run: &str) {
        if !run.is_empty() {
            self.break_off();
            self.out.text.push_str(run);
        }
    }

    fn push(&mut self, unit: u16) {
        match (unit, self.out.tail) {
            (0xDC00..=0xDFFF, Some(high)) => {
                self.out.tail = None;
                self.out.text.push(join(high, unit));
            }
            (0xDC00..=0xDFFF, None) if self.out.is_empty() => self.out.lead = Some(unit),
            (0xDC00..=0xDFFF, None) => self.replace(),
            (0xD800..=0xDBFF, _) => {
                self.break_off();
                self.out.tail = Some(unit);
            }
            _ => {
                self.break_off();
                self.out.text.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
    }

    /// A high half that something else than its low half follows is lost.
    fn break_off(&mut self) {
        if self.out.tail.take().is_some() {
            self.replace();
        }
    }

    fn replace(&mut self) {
        self.replaced = self.replaced.saturating_add(1);
        self.out.text.push(char::REPLACEMENT_CHARACTER);
    }

    fn finish(self) -> Fragment {
        self.out
    }
}

/// The character of a surrogate pair.
pub(crate) fn join(high: u16, low: u16) -> char {
    char::decode_utf16([high, low]).next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
}
