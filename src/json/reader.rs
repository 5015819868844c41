//! A pull reader over JSON text. How numbers and strings are read stands in files of their own.

mod number;
pub(super) mod string;

use super::{Error, ErrorKind, Slot};
use std::borrow::Cow;

/// Bounds on what is read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Nesting of arrays and objects.
    pub depth: u16,
    /// Size of the whole text in bytes.
    pub bytes: usize,
}

impl Default for Limits {
    /// 128 levels and 64 MiB: more than any page that a host may serve.
    fn default() -> Self {
        Self { depth: 128, bytes: 64 << 20 }
    }
}

/// What was seen besides the value: not errors, but to be counted and shown to whoever looks (A1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notes {
    /// Keys that the type does not have; they were skipped.
    pub unknown_keys: u32,
    /// The first of them.
    pub first_unknown_key: Option<String>,
    /// Halves of surrogate pairs that became U+FFFD.
    pub replaced_halves: u32,
    /// Values of open sets (blocks, causes, reasons) that were kept whole without being understood.
    pub unknown_values: u32,
}

/// What kind of value comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

/// The reader: its place in the text, the bounds and the notes taken so far.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u16,
    limits: Limits,
    /// What was noted so far.
    pub notes: Notes,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of `text`.
    ///
    /// # Errors
    /// `json_too_large` when the text is larger than the limit.
    pub fn new(text: &'a str, limits: Limits) -> Result<Self, Error> {
        if text.len() > limits.bytes {
            let kind = ErrorKind::TooLarge { bytes: text.len(), limit: limits.bytes };
            return Err(Error::new(kind, 0));
        }
        Ok(Self { text, at: 0, depth: 0, limits, notes: Notes::default() })
    }

    /// An error of this kind at this place.
    pub fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.at)
    }

    /// The error for a key that the type needs and the object does not have.
    #[cold]
    #[inline(never)]
    pub fn missing(&self, key: &'static str) -> Error {
        self.error(ErrorKind::Missing(key))
    }

    /// The error for a word that is not one of a closed set.
    #[cold]
    #[inline(never)]
    pub fn unknown_word(&self, word: &str) -> Error {
        self.error(ErrorKind::UnknownTag(word.to_owned()))
    }

    /// The error for something else than was due.
    #[cold]
    #[inline(never)]
    pub fn expected(&self, what: &'static str) -> Error {
        self.error(ErrorKind::Expected(what))
    }

    /// The kind of the next value, without reading it.
    pub fn kind(&mut self) -> Result<Kind, Error> {
        match self.next_byte()? {
            b'n' => Ok(Kind::Null),
            b't' | b'f' => Ok(Kind::Boolean),
            b'"' => Ok(Kind::String),
            b'[' => Ok(Kind::Array),
            b'{' => Ok(Kind::Object),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            _ => Err(self.expected("a JSON value")),
        }
    }

    /// Only space may follow.
    pub fn end(&mut self) -> Result<(), Error> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.expected("the end of the JSON")) }
    }

    /// An object; `field` is called with each key and must read its value.
    pub fn object(&mut self, mut field: impl FnMut(&mut Self, &str) -> Result<(), Error>) -> Result<(), Error> {
        self.each_field(&mut |r| {
            let key = r.key()?;
            field(r, &key)
        })
    }

    /// An object into its fields' slots, which stand in the order of their keys. The tag's value was looked at before.
    /// Of a key that comes twice the last counts; a key that is not listed is passed over and noted.
    pub(crate) fn fill(
        &mut self,
        tag: Option<&str>,
        keys: &[&'static str],
        slots: &mut [&mut dyn Slot],
    ) -> Result<(), Error> {
        // Hosts write keys as they are and in the order of the contract, the tag before all: so the next key is mostly
        // the one after the last, or, where optional ones are left out, one of the few behind it.
        let mut next = 0;
        self.each_field(&mut |r| {
            if next == 0 && tag.is_some_and(|tag| r.key_is(tag)) {
                return r.skip();
            }
            let due = keys.get(next..).unwrap_or_default();
            let place = match due.iter().position(|key| r.key_is(key)) {
                Some(further) => next + further,
                None => {
                    let key = r.key()?;
                    match keys.iter().position(|known| *known == key) {
                        Some(place) => place,
                        None if tag == Some(&*key) => return r.skip(),
                        None => return r.unknown_key(&key),
                    }
                }
            };
            next = place + 1;
            slots.get_mut(place).map_or(Ok(()), |slot| slot.fill(r))
        })?;
        match keys.iter().zip(slots.iter()).find(|(_, slot)| slot.is_missing()) {
            Some((key, _)) => Err(self.missing(key)),
            None => Ok(()),
        }
    }

    /// The error of fields that were not filled; one that is missing was told by [`Reader::fill`] already.
    #[cold]
    #[inline(never)]
    pub(crate) fn refused(&self, filled: Result<(), Error>) -> Error {
        filled.err().unwrap_or_else(|| self.missing(""))
    }

    /// An array; `element` is called before each element and must read it.
    #[inline]
    pub fn array(&mut self, mut element: impl FnMut(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.each_element(&mut element)
    }

    /// `field` is called before each key, and must read it and its value. One copy for all types: as many as there are
    /// types would be a quarter of the module.
    fn each_field(&mut self, field: &mut dyn FnMut(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.open(b'{', "an object")?;
        if !self.eat(b'}') {
            loop {
                self.space();
                field(self)?;
                if self.eat(b',') {
                    continue;
                }
                self.expect(b'}', "\",\" or \"}\"")?;
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn each_element(&mut self, element: &mut dyn FnMut(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.open(b'[', "an array")?;
        if !self.eat(b']') {
            loop {
                element(self)?;
                if self.eat(b',') {
                    continue;
                }
                self.expect(b']', "\",\" or \"]\"")?;
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// A key with its colon.
    fn key(&mut self) -> Result<Cow<'a, str>, Error> {
        let key = self.string()?;
        self.expect(b':', "\":\"")?;
        Ok(key)
    }

    /// Takes this key with its colon where it comes next as hosts write it; else nothing is taken.
    fn key_is(&mut self, key: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let after = rest.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(key.as_bytes()));
        let found = after.is_some_and(|rest| rest.starts_with(b"\":"));
        if found {
            self.at += key.len() + 3;
        }
        found
    }

    /// A reader that looks ahead from here. What it notes is its own.
    #[inline(never)]
    pub fn ahead(&self) -> Self {
        Self { text: self.text, at: self.at, depth: self.depth, limits: self.limits, notes: Notes::default() }
    }

    /// Goes on where one that looked ahead has come to, with what it noted.
    #[inline(never)]
    pub fn follow(&mut self, ahead: Self) {
        let Notes { unknown_keys, first_unknown_key, replaced_halves, unknown_values } = ahead.notes;
        self.at = ahead.at;
        self.notes.unknown_keys = self.notes.unknown_keys.saturating_add(unknown_keys);
        self.notes.replaced_halves = self.notes.replaced_halves.saturating_add(replaced_halves);
        self.notes.unknown_values = self.notes.unknown_values.saturating_add(unknown_values);
        if self.notes.first_unknown_key.is_none() {
            self.notes.first_unknown_key = first_unknown_key;
        }
    }

    /// True when the object that comes next, which stays unread, has this key.
    pub fn has(&self, wanted: &str) -> Result<bool, Error> {
        let mut found = false;
        self.ahead().object(|r, key| {
            found |= key == wanted;
            r.skip()
        })?;
        Ok(found)
    }

    /// The string under `tag` in the object that comes next, which stays unread. None when the object has no such key.
    pub fn tag(&self, tag: &str) -> Result<Option<Cow<'a, str>>, Error> {
        let mut ahead = self.ahead();
        ahead.open(b'{', "an object")?;
        if ahead.eat(b'}') {
            return Ok(None);
        }
        loop {
            ahead.space();
            if ahead.key_is(tag) || ahead.key()? == tag {
                return ahead.string().map(Some);
            }
            ahead.skip()?;
            if !ahead.eat(b',') {
                ahead.expect(b'}', "\",\" or \"}\"")?;
                return Ok(None);
            }
        }
    }

    /// Which of these words stands under `tag` in the object that comes next, which stays unread; their number for another
    /// one.
    ///
    /// # Errors
    /// `json_missing_key` when the object has no such key.
    pub(crate) fn tag_among(&self, tag: &'static str, words: &[&str]) -> Result<usize, Error> {
        let word = self.tag(tag)?.ok_or_else(|| self.missing(tag))?;
        Ok(place_among(words, &word).unwrap_or(words.len()))
    }

    /// The error for a word under `tag` that is not one of a closed set.
    #[cold]
    #[inline(never)]
    pub(crate) fn unknown_tag(&self, tag: &str) -> Error {
        self.tag(tag).map_or_else(|error| error, |word| self.unknown_word(&word.unwrap_or_default()))
    }

    /// A key that the type does not have: its value is skipped and it is noted.
    pub fn unknown_key(&mut self, key: &str) -> Result<(), Error> {
        self.notes.unknown_keys = self.notes.unknown_keys.saturating_add(1);
        if self.notes.first_unknown_key.is_none() {
            self.notes.first_unknown_key = Some(key.to_owned());
        }
        self.skip()
    }

    /// A value of an open set that is not understood, kept whole and noted.
    pub fn unknown_value(&mut self) -> Result<&'a str, Error> {
        self.notes.unknown_values = self.notes.unknown_values.saturating_add(1);
        self.raw()
    }

    /// Takes exactly this text where it comes next; None, and nothing is taken, where something else does. For what
    /// hosts write always alike; whoever reads so reads anew in the general way when it does not fit.
    pub(crate) fn literal(&mut self, text: &str) -> Option<()> {
        let due = text.as_bytes();
        let found = self.text.as_bytes().get(self.at..)?.get(..due.len())?;
        // A word at a time, the last of them once more over what was seen: in wasm slices are compared byte by byte.
        let is_there = match (due.last_chunk::<8>(), found.last_chunk::<8>()) {
            (Some(due_last), Some(found_last)) => {
                let words = due.as_chunks::<8>().0.iter().zip(found.as_chunks::<8>().0);
                due_last == found_last && words.into_iter().all(|(due, found)| due == found)
            }
            _ => due.iter().zip(found).all(|(due, found)| due == found),
        };
        if !is_there {
            return None;
        }
        self.at += text.len();
        Some(())
    }

    /// `true` or `false`.
    pub fn boolean(&mut self) -> Result<bool, Error> {
        match self.next_byte()? {
            b't' => self.word("true").map(|()| true),
            b'f' => self.word("false").map(|()| false),
            _ => Err(self.expected("true or false")),
        }
    }

    /// `null`.
    pub fn null(&mut self) -> Result<(), Error> {
        self.space();
        self.word("null")
    }

    /// Any value, checked, as its text.
    pub fn raw(&mut self) -> Result<&'a str, Error> {
        self.space();
        let start = self.at;
        self.skip()?;
        Ok(self.slice(start))
    }

    /// Any value, checked and passed over.
    pub fn skip(&mut self) -> Result<(), Error> {
        match self.kind()? {
            Kind::Null => self.null(),
            Kind::Boolean => self.boolean().map(drop),
            Kind::Number => self.number().map(drop),
            Kind::String => self.skip_string(),
            Kind::Array => self.array(|r| r.skip()),
            Kind::Object => self.each_field(&mut |r| {
                r.skip_string()?;
                r.expect(b':', "\":\"")?;
                r.skip()
            }),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next_byte(&mut self) -> Result<u8, Error> {
        self.space();
        match self.peek() {
            Some(byte) => Ok(byte),
            None => Err(self.error(ErrorKind::Incomplete)),
        }
    }

    /// The text that was read so far.
    pub(crate) fn passed(&self) -> &'a str {
        self.slice(0)
    }

    fn slice(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Takes this byte where it comes next, with no space before it.
    fn eat_now(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.space();
        self.eat_now(byte)
    }

    /// Hosts write no space, so what is due mostly comes at once.
    #[inline]
    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Error> {
        if self.eat_now(byte) { Ok(()) } else { self.expect_after_space(byte, what) }
    }

    #[inline(never)]
    fn expect_after_space(&mut self, byte: u8, what: &'static str) -> Result<(), Error> {
        if self.next_byte()? == byte {
            self.at += 1;
            Ok(())
        } else {
            Err(self.expected(what))
        }
    }

    fn open(&mut self, byte: u8, what: &'static str) -> Result<(), Error> {
        self.expect(byte, what)?;
        if self.depth >= self.limits.depth {
            return Err(self.error(ErrorKind::TooDeep(self.limits.depth)));
        }
        self.depth += 1;
        Ok(())
    }

    fn word(&mut self, word: &'static str) -> Result<(), Error> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else if word.as_bytes().starts_with(rest) {
            Err(self.error(ErrorKind::Incomplete))
        } else {
            Err(self.expected(word))
        }
    }
}

/// The place of a word in a table. One copy for all types.
#[inline(never)]
pub(crate) fn place_among(words: &[&str], word: &str) -> Option<usize> {
    words.iter().position(|known| *known == word)
}
