//! Tool arguments while they stream: JSON of which only a beginning has come.
//!
//! [`PartialJson`] takes suffix fragments (A1), keeps their text as it is, and knows at any time which part of it
//! already denotes a value. Numbers are never read, so all digits survive, and fragments are never compared: a
//! producer that sends everything anew with each fragment shows as [`State::Broken`], and the commit is right
//! all the same.
//!
//! # The partial value
//!
//! It depends only on the text so far, not on how it was cut:
//!
//! - An array or object is there from its bracket on, with the members that are there themselves.
//! - A member of an object is there once its value is; a key alone is not.
//! - A string is there from its quote on, with the characters that have come whole: never half an escape, and not
//!   with half a surrogate pair at its end. A half that turns out to have no partner stays as the producer wrote it
//!   and is shown as soon as another character or the closing quote follows.
//! - A number is there from its first digit on, with the longest part that is a number: `1.` and `1e` are 1, `-` is
//!   not there yet.
//! - `true`, `false` and `null` are there when they are complete.
//! - Where the text can no longer become JSON, the value stays what it was before.

mod number;
mod path;
#[cfg(test)]
mod tests;

use crate::json::plain_run;
use number::Number;
pub use path::Step;

/// How many arrays and objects may be nested. The text is [`State::Broken`] at the first bracket beyond.
pub const MAX_DEPTH: usize = 128;

/// What has become of a text of JSON so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing has come, or only white space.
    Empty,
    /// The text is the beginning of JSON. A number that is in no array or object stays open until white space follows
    /// it, since it may get more digits.
    Open,
    /// The text is JSON.
    Complete,
    /// The text is not JSON, whatever may follow. That includes text after a complete value, and nesting beyond
    /// [`MAX_DEPTH`].
    Broken {
        /// The byte offset in the raw text from which on it can't be JSON.
        at: usize,
    },
}

/// How to make JSON of a beginning of JSON: `raw[..keep]` followed by `close` denotes the partial value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// How many bytes of the raw text to keep; always a character boundary.
    pub keep: usize,
    /// The quote and the brackets that close what is open at `keep`.
    pub close: String,
}

/// JSON text that arrives in fragments.
///
/// A push looks at each byte of its fragment at most twice and at nothing that came earlier.
#[derive(Clone, Debug)]
pub struct PartialJson {
    raw: String,
    /// The arrays and objects that are open, outermost first.
    levels: Vec<Level>,
    next: Next,
    /// The end of the part of `raw` that denotes the partial value; 0 while there is none. What is open at `keep` is
    /// what is open at the end of `raw`, since every bracket and every quote of a string value moves it.
    keep: usize,
    /// The last character of the open string is an escaped first half of a surrogate pair.
    half: bool,
    broken: Option<usize>,
    /// How many bytes were looked at: the tests' measure of work.
    #[cfg(test)]
    looked_at: usize,
}

#[derive(Clone, Debug)]
enum Level {
    /// Where the last key is in the raw text, without its quotes.
    Object { key_start: usize, key_end: usize },
    /// How many items came before the last one.
    Array { index: usize },
}

/// What the next byte may be.
#[derive(Clone, Copy, Debug)]
enum Next {
    Value,
    FirstItem,
    FirstKey,
    Key,
    Colon,
    /// After a value: a comma, a bracket, or nothing but white space at the top.
    End,
    Text {
        of: Of,
        within: Within,
    },
    Number(Number),
    /// What is missing of `true`, `false` or `null`.
    Word(&'static [u8]),
}

/// What a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Key,
    Value,
}

/// Where in a string.
#[derive(Clone, Copy, Debug)]
enum Within {
    Plain,
    /// After a backslash.
    Escape,
    /// After `\u`, with this many digits to come.
    Unit {
        missing: u8,
        value: u16,
    },
}

/// The text can't become JSON with this byte.
struct Unexpected;

impl Default for PartialJson {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialJson {
    /// The empty text.
    pub fn new() -> Self {
        PartialJson {
            raw: String::new(),
            levels: Vec::new(),
            next: Next::Value,
            keep: 0,
            half: false,
            broken: None,
            #[cfg(test)]
            looked_at: 0,
        }
    }

    /// Appends the next fragment of the text. It is kept whole even if the text is broken.
    pub fn push(&mut self, fragment: &str) {
        let start = self.raw.len();
        self.raw.push_str(fragment);
        if self.broken.is_some() {
            return;
        }
        let mut rest = fragment.as_bytes();
        while !rest.is_empty() {
            let at = start + fragment.len() - rest.len();
            let plain = self.plain_run(rest);
            if plain > 0 {
                self.character(at + plain);
                rest = rest.get(plain..).unwrap_or_default();
                continue;
            }
            let Some((byte, after)) = rest.split_first() else { return };
            #[cfg(test)]
            {
                self.looked_at += 1;
            }
            if let Err(Unexpected) = self.take(*byte, at) {
                self.broken = Some(at);
                return;
            }
            rest = after;
        }
    }

    /// All fragments so far, joined.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// What has become of the text so far.
    pub fn state(&self) -> State {
        match (self.broken, self.next) {
            (Some(at), _) => State::Broken { at },
            (None, Next::Value) if self.levels.is_empty() => State::Empty,
            (None, Next::End) if self.levels.is_empty() => State::Complete,
            (None, _) => State::Open,
        }
    }

    /// How to make JSON of the text so far, or `None` while nothing of a value is there. Costs as much as the nesting
    /// is deep.
    pub fn completion(&self) -> Option<Completion> {
        if self.keep == 0 {
            return None;
        }
        let quote = matches!(self.next, Next::Text { of: Of::Value, .. }).then_some('"');
        let brackets = self.levels.iter().rev().map(|level| match level {
            Level::Object { .. } => '}',
            Level::Array { .. } => ']',
        });
        Some(Completion { keep: self.keep, close: quote.into_iter().chain(brackets).collect() })
    }

    /// The partial value as JSON text, or `None` while nothing of a value is there. Copies the text.
    pub fn completed(&self) -> Option<String> {
        let Completion { keep, close } = self.completion()?;
        Some([self.raw.get(..keep)?, &close].concat())
    }

    /// The way from the top of the partial value to the value in it that may still grow: the innermost open array,
    /// object, string or number. `None` while there is none, once the text is complete, and once it is broken. Costs
    /// as much as the nesting is deep and the keys on the way are long.
    pub fn open_path(&self) -> Option<Vec<Step<'_>>> {
        if self.keep == 0 || !matches!(self.state(), State::Open) {
            return None;
        }
        // The last level's member counts only if it is in the partial value and open itself.
        let in_member = match self.next {
            Next::Text { of, .. } => of == Of::Value,
            Next::Number(number) => !matches!(number, Number::Minus),
            Next::Value | Next::FirstItem | Next::FirstKey | Next::Key | Next::Colon | Next::End | Next::Word(_) => {
                false
            }
        };
        let depth = if in_member { self.levels.len() } else { self.levels.len().saturating_sub(1) };
        let steps = self.levels.iter().take(depth).map(|level| match level {
            Level::Object { key_start, key_end } => {
                Step::Key(path::unescape(self.raw.get(*key_start..*key_end).unwrap_or_default()))
            }
            Level::Array { index } => Step::Index(*index),
        });
        Some(steps.collect())
    }

    /// How many bytes at the start of `rest` are plain characters of the open string.
    fn plain_run(&mut self, rest: &[u8]) -> usize {
        let Next::Text { within: Within::Plain, .. } = self.next else { return 0 };
        let run = plain_run(rest);
        #[cfg(test)]
        {
            self.looked_at += rest.len().min(run + 1);
        }
        run
    }

    /// Takes one byte, which is not a plain character of a string; `at` is its offset in the raw text.
    fn take(&mut self, byte: u8, at: usize) -> Result<(), Unexpected> {
        let next = match (self.next, byte) {
            (Next::Text { of, within }, _) => return self.take_text(of, within, byte, at),
            (Next::Number(number), _) => match number.then(byte) {
                Some(number) => {
                    if number.is_whole() {
                        self.keep = at + 1;
                    }
                    Next::Number(number)
                }
                None if number.is_whole() => {
                    self.next = Next::End;
                    return self.take(byte, at);
                }
                None => return Err(Unexpected),
            },
            (Next::Word(missing), _) => match missing.split_first() {
                Some((expected, missing)) if *expected == byte => {
                    if !missing.is_empty() {
                        Next::Word(missing)
                    } else {
                        self.keep = at + 1;
                        Next::End
                    }
                }
                _ => return Err(Unexpected),
            },
            (next, b' ' | b'\t' | b'\n' | b'\r') => next,
            (Next::FirstItem, b']') | (Next::FirstKey, b'}') => self.close(at),
            (Next::Value | Next::FirstItem, _) => self.begin(byte, at)?,
            (Next::FirstKey | Next::Key, b'"') => {
                if let Some(Level::Object { key_start, .. }) = self.levels.last_mut() {
                    *key_start = at + 1;
                }
                Next::Text { of: Of::Key, within: Within::Plain }
            }
            (Next::Colon, b':') => Next::Value,
            (Next::End, _) => match (self.levels.last_mut(), byte) {
                (Some(Level::Object { .. }), b',') => Next::Key,
                (Some(Level::Array { index }), b',') => {
                    *index += 1;
                    Next::Value
                }
                (Some(Level::Object { .. }), b'}') | (Some(Level::Array { .. }), b']') => self.close(at),
                _ => return Err(Unexpected),
            },
            (Next::FirstKey | Next::Key | Next::Colon, _) => return Err(Unexpected),
        };
        self.next = next;
        Ok(())
    }

    /// Begins a value with its first byte.
    fn begin(&mut self, byte: u8, at: usize) -> Result<Next, Unexpected> {
        let next = match byte {
            b'{' => self.open(Level::Object { key_start: 0, key_end: 0 }, Next::FirstKey)?,
            b'[' => self.open(Level::Array { index: 0 }, Next::FirstItem)?,
            b'"' => {
                self.half = false;
                Next::Text { of: Of::Value, within: Within::Plain }
            }
            b'-' => return Ok(Next::Number(Number::Minus)),
            b'0' => Next::Number(Number::Zero),
            b'1'..=b'9' => Next::Number(Number::Digit),
            b't' => return Ok(Next::Word(b"rue")),
            b'f' => return Ok(Next::Word(b"alse")),
            b'n' => return Ok(Next::Word(b"ull")),
            _ => return Err(Unexpected),
        };
        self.keep = at + 1;
        Ok(next)
    }

    fn open(&mut self, level: Level, next: Next) -> Result<Next, Unexpected> {
        if self.levels.len() == MAX_DEPTH {
            return Err(Unexpected);
        }
        self.levels.push(level);
        Ok(next)
    }

    fn close(&mut self, at: usize) -> Next {
        self.levels.pop();
        self.keep = at + 1;
        Next::End
    }

    fn take_text(&mut self, of: Of, within: Within, byte: u8, at: usize) -> Result<(), Unexpected> {
        let within = match (within, byte) {
            (Within::Plain, b'"') => {
                self.end_text(of, at);
                return Ok(());
            }
            (Within::Plain, b'\\') => Within::Escape,
            (Within::Escape, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.character(at + 1);
                Within::Plain
            }
            (Within::Escape, b'u') => Within::Unit { missing: 4, value: 0 },
            (Within::Unit { missing, value }, _) => {
                let value = value << 4 | path::hex_digit(byte).ok_or(Unexpected)?;
                if missing > 1 {
                    Within::Unit { missing: missing - 1, value }
                } else {
                    self.unit(value, at + 1);
                    Within::Plain
                }
            }
            (Within::Plain | Within::Escape, _) => return Err(Unexpected),
        };
        self.next = Next::Text { of, within };
        Ok(())
    }

    fn end_text(&mut self, of: Of, at: usize) {
        self.next = match of {
            Of::Key => {
                if let Some(Level::Object { key_end, .. }) = self.levels.last_mut() {
                    *key_end = at;
                }
                Next::Colon
            }
            Of::Value => {
                self.keep = at + 1;
                Next::End
            }
        };
    }

    /// An escaped UTF-16 unit has ended at `end`.
    fn unit(&mut self, value: u16, end: usize) {
        match value {
            0xD800..0xDC00 => self.half = true,
            // A second half without its first stays unseen like a first one, until something follows it.
            0xDC00..0xE000 if !self.half => {}
            _ => self.character(end),
        }
    }

    /// Characters of the open string have come whole, up to `end`.
    fn character(&mut self, end: usize) {
        self.half = false;
        if let Next::Text { of: Of::Value, .. } = self.next {
            self.keep = end;
        }
    }
}
