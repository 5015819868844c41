//! Writes JSON text.

use super::{Fragment, Put, plain_run};
use crate::text::push_decimal;

/// A text under construction. Commas are placed by the writer; the caller says what stands in which container.
#[derive(Debug)]
pub struct Writer {
    out: String,
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

impl Writer {
    /// An empty text, with room for what is mostly written: growing to it from nothing was a tenth of a Delta's cost.
    pub fn new() -> Self {
        Self { out: String::with_capacity(256) }
    }

    /// The text written so far.
    pub fn finish(self) -> String {
        self.out
    }

    /// An object; `fields` calls [`Writer::key`] before each value.
    pub fn object(&mut self, fields: impl FnOnce(&mut Self)) {
        self.begin('{');
        fields(self);
        self.finish_with('}');
    }

    /// An object of these fields, after its tag's key and word if it has a tag.
    pub(crate) fn fields(&mut self, tag: Option<(&'static str, &str)>, fields: &[(&'static str, &dyn Put)]) {
        self.begin('{');
        if let Some((key, word)) = tag {
            self.key(key);
            self.string(word);
        }
        for (key, value) in fields {
            value.put(key, self);
        }
        self.finish_with('}');
    }

    /// An array; `elements` writes one value after the other.
    pub fn array(&mut self, elements: impl FnOnce(&mut Self)) {
        self.begin('[');
        elements(self);
        self.finish_with(']');
    }

    /// The key of the value that is written next: one of ours, which holds nothing to escape.
    pub fn key(&mut self, key: &'static str) {
        debug_assert_eq!(plain_run(key.as_bytes()), key.len(), "a key of ours is plain");
        self.separate();
        self.out.push('"');
        self.out.push_str(key);
        // A character alone is stored; any text, however short, is copied by a call.
        self.out.push('"');
        self.out.push(':');
    }

    /// The key of the value that is written next, whatever it holds.
    pub fn foreign_key(&mut self, key: &str) {
        self.string(key);
        self.out.push(':');
    }

    /// A string under a key.
    #[inline(never)]
    pub(crate) fn field(&mut self, key: &'static str, text: &str) {
        self.key(key);
        self.string(text);
    }

    /// A yes or no under a key.
    #[inline(never)]
    pub(crate) fn flag(&mut self, key: &'static str, value: bool) {
        self.key(key);
        self.boolean(value);
    }

    /// A string.
    #[inline(never)]
    pub fn string(&mut self, text: &str) {
        self.separate();
        self.quoted(text);
    }

    /// A string that may begin or end with half a character, which is written as an escape.
    pub fn fragment(&mut self, fragment: &Fragment) {
        self.separate();
        self.out.push('"');
        if let Some(unit) = fragment.lead {
            self.unit(unit);
        }
        self.escaped(&fragment.text);
        if let Some(unit) = fragment.tail {
            self.unit(unit);
        }
        self.out.push('"');
    }

    /// A whole number.
    pub fn number(&mut self, number: u64) {
        self.separate();
        push_decimal(&mut self.out, number);
    }

    /// A whole number that may be negative.
    pub fn signed(&mut self, number: i64) {
        self.separate();
        if number < 0 {
            self.out.push('-');
        }
        push_decimal(&mut self.out, number.unsigned_abs());
    }

    /// `true` or `false`.
    #[inline(never)]
    pub fn boolean(&mut self, value: bool) {
        self.separate();
        self.out.push_str(if value { "true" } else { "false" });
    }

    /// `null`.
    #[inline(never)]
    pub fn null(&mut self) {
        self.separate();
        self.out.push_str("null");
    }

    /// A value that is JSON text already.
    pub fn raw(&mut self, json: &str) {
        self.separate();
        self.out.push_str(json);
    }

    #[inline(never)]
    fn begin(&mut self, bracket: char) {
        self.separate();
        self.out.push(bracket);
    }

    #[inline(never)]
    fn finish_with(&mut self, bracket: char) {
        self.out.push(bracket);
    }

    /// A comma belongs here unless the text just opened a container or named a key: no value ends with one of these.
    fn separate(&mut self) {
        if !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(',');
        }
    }

    fn quoted(&mut self, text: &str) {
        self.out.push('"');
        self.escaped(text);
        self.out.push('"');
    }

    fn escaped(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let (plain, tail) = rest.split_at_checked(plain_run(rest.as_bytes())).unwrap_or((rest, ""));
            self.out.push_str(plain);
            let mut chars = tail.chars();
            match chars.next() {
                Some('"') => self.out.push_str("\\\""),
                Some('\\') => self.out.push_str("\\\\"),
                Some('\n') => self.out.push_str("\\n"),
                Some('\r') => self.out.push_str("\\r"),
                Some('\t') => self.out.push_str("\\t"),
                Some(control) => self.unit(u16::try_from(u32::from(control)).unwrap_or(0xFFFD)),
                None => return,
            }
            rest = chars.as_str();
        }
    }

    fn unit(&mut self, unit: u16) {
        const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
        self.out.push_str("\\u");
        for shift in [12, 8, 4, 0] {
            self.out.push(HEX.get(usize::from(unit >> shift) & 0xF).copied().unwrap_or('0'));
        }
    }
}
