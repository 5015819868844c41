//! An incremental decoder of `text/event-stream`, as the WHATWG HTML standard defines it (§9.2.5 and §9.2.6).
//!
//! Bytes come in as the network cut them: in the middle of a line end, of the leading byte order mark or of a UTF-8
//! sequence. The events that come out are the same for every cut. What the standard leaves to the user agent is
//! state here: [`Decoder::last_event_id`], [`Decoder::retry`] and [`Decoder::comments`].

mod error;
mod scan;
#[cfg(test)]
mod tests;

use crate::text::lossy;
use std::borrow::Cow;
use std::mem;

pub use error::SseError;
use scan::{line_end, only_digits};

/// One dispatched event, borrowed from the pushed chunk or from the decoder: valid during the call of the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The event's type; `message` where the stream names none.
    pub name: &'a str,
    /// The values of the `data` lines, joined by LF.
    pub data: &'a str,
    /// The stream's last event id as of this event, empty if it has none. It is opaque, and means something only to
    /// the server and the stream that it came from.
    pub last_event_id: &'a str,
}

/// Decodes one stream: one connection's response body, from its first byte to its end.
///
/// A decoder is never used for a second connection, so an id can't leak from one stream into the opening of another.
/// Each byte is looked at a fixed number of times, however the stream is cut.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The beginning of a line whose end has not come yet; never holds a line end.
    line: Vec<u8>,
    /// The `data` lines of the open event that are no longer in the chunk at hand, joined by LF.
    data: String,
    /// Whether the open event has a `data` line in `data`; one without a value counts.
    has_data: bool,
    /// The `event` value of the open event that is no longer in the chunk at hand.
    name: String,
    /// The id that the next blank line makes the stream's last event id.
    id: String,
    id_changed: bool,
    last_event_id: String,
    retry: Option<u64>,
    comments: u64,
    /// Bytes of the open event's lines so far, for the limit.
    held: usize,
    /// How much of the leading byte order mark has come, or `None` once that is decided.
    mark: Option<usize>,
    /// The last chunk ended with CR: an LF at the start of the next one belongs to it.
    skip_lf: bool,
    finished: bool,
    /// How many bytes were searched or copied: the tests' measure of work.
    #[cfg(test)]
    work: usize,
}

/// What the open event has in the chunk at hand, not copied. `data` is set only while `Decoder::data` has none.
#[derive(Default)]
struct InChunk<'a> {
    name: Option<&'a str>,
    data: Option<&'a str>,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A buffer that one long event made larger than this is given back, in bytes.
const KEPT_CAPACITY: usize = 64 * 1024;

impl Decoder {
    /// A decoder at the start of a stream. No line, and no event's fields taken together, may be longer than
    /// `limit_bytes`; the decoder holds no more than a small multiple of that.
    pub fn new(limit_bytes: usize) -> Self {
        Decoder {
            limit: limit_bytes,
            line: Vec::new(),
            data: String::new(),
            has_data: false,
            name: String::new(),
            id: String::new(),
            id_changed: false,
            last_event_id: String::new(),
            retry: None,
            comments: 0,
            held: 0,
            mark: Some(0),
            skip_lf: false,
            finished: false,
            #[cfg(test)]
            work: 0,
        }
    }

    /// Decodes the next bytes of the stream and hands each event that they complete to `sink`, in order.
    ///
    /// # Errors
    /// [`SseError::TooLong`] if a line or an event exceeds the limit, wherever the chunks were cut. It comes once: the
    /// decoder is finished then, and further pushes do nothing and return `Ok`.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Result<(), SseError> {
        if self.finished {
            return Ok(());
        }
        let result = self.decode(bytes, sink);
        if result.is_err() {
            self.finish();
        }
        result
    }

    /// Ends the stream. An event without its blank line is discarded, as the standard wants, and so is a line without
    /// its end; returns whether there was either. Further pushes do nothing.
    pub fn finish(&mut self) -> bool {
        let cut = self.held > 0 || !self.line.is_empty();
        self.finished = true;
        self.has_data = false;
        self.held = 0;
        self.line = Vec::new();
        self.data = String::new();
        self.name = String::new();
        cut
    }

    /// The stream's last event id as of the last blank line; empty if there is none, and then a reopening sends no
    /// `Last-Event-ID`.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// The reconnection time that the stream asked for last, in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// How many comment lines have come. Servers send them to show that an idle stream is alive.
    pub fn comments(&self) -> u64 {
        self.comments
    }

    /// Whether the stream was ended, by [`finish`](Self::finish) or by an error.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    fn decode(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Result<(), SseError> {
        let mut rest = self.after_mark(bytes);
        if self.skip_lf && !rest.is_empty() {
            self.skip_lf = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        if !self.line.is_empty() {
            let Some((end, after)) = self.next_line(rest) else { return self.carry(rest) };
            self.carry(end)?;
            let line = mem::take(&mut self.line);
            let mut in_line = InChunk::default();
            let result = self.take_line(&line, &mut in_line, sink);
            self.keep(in_line);
            self.line = line;
            empty(&mut self.line);
            result?;
            rest = after;
        }
        let mut in_chunk = InChunk::default();
        while let Some((line, after)) = self.next_line(rest) {
            self.take_line(line, &mut in_chunk, sink)?;
            rest = after;
        }
        self.keep(in_chunk);
        self.carry(rest)
    }

    /// Removes the one leading byte order mark, of which any part may be in earlier chunks.
    fn after_mark<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(seen) = self.mark else { return bytes };
        let wanted = BYTE_ORDER_MARK.get(seen..).unwrap_or_default();
        let matching = wanted.iter().zip(bytes).take_while(|(wanted, byte)| wanted == byte).count();
        let rest = bytes.get(matching..).unwrap_or_default();
        if matching == wanted.len() {
            self.mark = None;
        } else if rest.is_empty() {
            self.mark = Some(seen + matching);
        } else {
            // It was something else that begins alike, so those bytes are the first line's.
            self.mark = None;
            self.line.extend(BYTE_ORDER_MARK.iter().take(seen + matching));
        }
        rest
    }

    /// The first line of `bytes`, and what follows its end. A CR at the very end may have its LF in the next chunk.
    fn next_line<'a>(&mut self, bytes: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let end = line_end(bytes);
        #[cfg(test)]
        {
            self.work += end.unwrap_or(bytes.len());
        }
        let (line, rest) = bytes.split_at_checked(end?)?;
        let (ending, after) = rest.split_first()?;
        if *ending == b'\n' {
            return Some((line, after));
        }
        self.skip_lf = after.is_empty();
        Some((line, after.strip_prefix(b"\n").unwrap_or(after)))
    }

    /// Keeps the part of a line whose end has not come yet.
    fn carry(&mut self, part: &[u8]) -> Result<(), SseError> {
        self.check(self.line.len().saturating_add(part.len()))?;
        self.line.extend_from_slice(part);
        #[cfg(test)]
        {
            self.work += part.len();
        }
        Ok(())
    }

    fn check(&self, line_length: usize) -> Result<(), SseError> {
        if line_length > self.limit.saturating_sub(self.held) {
            return Err(SseError::TooLong { limit: self.limit });
        }
        Ok(())
    }

    fn take_line<'a>(
        &mut self,
        line: &'a [u8],
        in_chunk: &mut InChunk<'a>,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), SseError> {
        if line.is_empty() {
            self.dispatch(mem::take(in_chunk), sink);
            return Ok(());
        }
        self.check(line.len())?;
        // What streams is these two. Patterns are compared in place; slices would be by a call for each.
        match line {
            [b'd', b'a', b't', b'a', rest @ ..] => {
                if let Some(value) = value(rest) {
                    self.held += line.len();
                    self.take_data(value, in_chunk);
                }
            }
            [b'e', b'v', b'e', b'n', b't', rest @ ..] => {
                if let Some(value) = value(rest) {
                    self.held += line.len();
                    match str::from_utf8(value) {
                        Ok(value) => in_chunk.name = Some(value),
                        Err(_) => {
                            in_chunk.name = None;
                            self.name = lossy(value).into_owned();
                        }
                    }
                }
            }
            _ => self.take_rarer_line(line),
        }
        Ok(())
    }

    #[inline(never)]
    fn take_rarer_line(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, rest) = line.split_at_checked(colon).unwrap_or((line, &[]));
        let value = value(rest).unwrap_or_default();
        match field {
            // An id with a NUL is ignored as a whole.
            b"id" if !value.contains(&0) => {
                self.held += line.len();
                self.id.clear();
                self.id.push_str(&lossy(value));
                self.id_changed = true;
            }
            b"retry" if only_digits(value) => {
                let digits = value.iter().map(|digit| u64::from(digit - b'0'));
                self.retry = Some(digits.fold(0, |ms: u64, digit| ms.saturating_mul(10).saturating_add(digit)));
            }
            b"" => self.comments += 1,
            _ => {}
        }
    }

    fn take_data<'a>(&mut self, value: &'a [u8], in_chunk: &mut InChunk<'a>) {
        let value = lossy(value);
        match value {
            Cow::Borrowed(value) if !self.has_data && in_chunk.data.is_none() => in_chunk.data = Some(value),
            // A line end ends every UTF-8 sequence, so decoding line by line gives what decoding the stream would.
            _ => {
                if let Some(first) = in_chunk.data.take() {
                    self.add_data(first);
                }
                self.add_data(&value);
            }
        }
    }

    fn add_data(&mut self, value: &str) {
        if self.has_data {
            self.data.push('\n');
        }
        self.has_data = true;
        self.data.push_str(value);
        #[cfg(test)]
        {
            self.work += value.len();
        }
    }

    /// Copies what the open event has in a chunk that goes away.
    fn keep(&mut self, in_chunk: InChunk<'_>) {
        if let Some(name) = in_chunk.name {
            self.name.clear();
            self.name.push_str(name);
        }
        if let Some(data) = in_chunk.data {
            self.add_data(data);
        }
    }

    fn dispatch(&mut self, in_chunk: InChunk<'_>, sink: &mut impl FnMut(Event<'_>)) {
        if mem::take(&mut self.id_changed) {
            self.last_event_id.clone_from(&self.id);
        }
        let data = in_chunk.data.or(self.has_data.then_some(self.data.as_str()));
        if let Some(data) = data {
            let name = match in_chunk.name.unwrap_or(&self.name) {
                "" => "message",
                name => name,
            };
            sink(Event { name, data, last_event_id: &self.last_event_id });
        }
        self.has_data = false;
        self.held = 0;
        self.name.clear();
        if !self.data.is_empty() {
            self.data.clear();
            self.data.shrink_to(KEPT_CAPACITY);
        }
    }
}

/// The value of a field, of what follows its name; None where the name goes on.
fn value(rest: &[u8]) -> Option<&[u8]> {
    match rest {
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        [] => Some(rest),
        _ => None,
    }
}

fn empty(buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.shrink_to(KEPT_CAPACITY);
}
