//! One chunk of a chat completion becomes Deltas. Read with the wire's own reader, so that half a character costs a
//! character and not the answer.

use super::arguments::Arguments;
use super::failure;
use crate::agent::{Finish, Piece};
use threadfold::event::{CallId, Delta};
use threadfold::json::{Error, Fragment, Kind, Limits, Reader};
use threadfold::thread::Inference;

/// A response being read.
#[derive(Debug)]
pub struct Reading {
    step: u32,
    calls: Vec<Call>,
    finish: Option<String>,
    failure: Option<Inference>,
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Call {
    /// The provider's number of the call.
    index: u64,
    /// The id as the provider gave it, perhaps empty.
    given: String,
    /// The id as the log will have it: never empty, and no other call's of this response.
    id: CallId,
    name: String,
    arguments: Arguments,
}

/// A piece of a call as a chunk brings it.
#[derive(Debug, Default)]
struct CallPiece {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: Fragment,
}

impl Reading {
    /// A response of this step; the step makes ids for calls that come without.
    pub fn new(step: u32) -> Self {
        Self { step, calls: Vec::new(), finish: None, failure: None, pieces: Vec::new() }
    }

    /// Reads a chunk.
    ///
    /// # Errors
    /// When the chunk is no JSON, or is an error that the provider sends in the stream.
    pub fn push(&mut self, chunk: &str) -> Result<Vec<Piece>, Inference> {
        let bad = |error: Error| failure("provider_bad_chunk", format!("a chunk can't be read: {error}"));
        let mut r = Reader::new(chunk, Limits::default()).map_err(bad)?;
        self.chunk(&mut r).map_err(bad)?;
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(std::mem::take(&mut self.pieces)),
        }
    }

    /// How the response ended, when the stream has.
    pub fn finish(&mut self) -> Piece {
        match self.finish.as_deref() {
            Some("length") => Piece::Finish(Finish::Length),
            Some("content_filter") => Piece::Finish(Finish::Stop("content_filter".to_owned())),
            Some(_) => Piece::Finish(Finish::Done),
            None => {
                let message = "the provider's stream ended without a finish_reason".to_owned();
                Piece::Failed(failure("stream_broken", message))
            }
        }
    }

    fn chunk(&mut self, r: &mut Reader<'_>) -> Result<(), Error> {
        r.object(|r, key| match key {
            "choices" => list(r, |r| self.choice(r)),
            "error" => {
                let raw = r.raw()?;
                if raw != "null" {
                    self.failure = Some(failure("provider_error", format!("the provider says: {raw}")));
                }
                Ok(())
            }
            _ => r.skip(),
        })
    }

    fn choice(&mut self, r: &mut Reader<'_>) -> Result<(), Error> {
        r.object(|r, key| match key {
            "delta" => self.delta(r),
            "finish_reason" => {
                if let Some(reason) = string(r)? {
                    self.finish = Some(reason.text);
                }
                Ok(())
            }
            _ => r.skip(),
        })
    }

    fn delta(&mut self, r: &mut Reader<'_>) -> Result<(), Error> {
        if r.kind()? != Kind::Object {
            return r.skip();
        }
        r.object(|r, key| match key {
            "content" | "refusal" => self.content(r, false),
            "reasoning_content" | "reasoning" => self.content(r, true),
            "tool_calls" => list(r, |r| self.call(r)),
            _ => r.skip(),
        })
    }

    /// Text, or a list of parts: Mistral sends its reasoning as parts that hold parts.
    fn content(&mut self, r: &mut Reader<'_>, thinking: bool) -> Result<(), Error> {
        match r.kind()? {
            Kind::String => {
                self.say(r.fragment()?, thinking);
                Ok(())
            }
            Kind::Array => r.array(|r| self.part(r, thinking)),
            _ => r.skip(),
        }
    }

    fn part(&mut self, r: &mut Reader<'_>, thinking: bool) -> Result<(), Error> {
        if r.kind()? != Kind::Object {
            return r.skip();
        }
        r.object(|r, key| match key {
            "text" => self.content(r, thinking),
            "thinking" => self.content(r, true),
            _ => r.skip(),
        })
    }

    fn say(&mut self, delta: Fragment, thinking: bool) {
        if delta.is_empty() {
            return;
        }
        let delta = if thinking { Delta::ReasoningDelta { delta } } else { Delta::TextDelta { delta } };
        self.pieces.push(Piece::Delta(delta));
    }

    fn call(&mut self, r: &mut Reader<'_>) -> Result<(), Error> {
        let mut piece = CallPiece::default();
        r.object(|r, key| {
            match key {
                "index" if r.kind()? == Kind::Number => piece.index = r.unsigned().ok(),
                "id" => piece.id = string(r)?.map(|id| id.text).unwrap_or_default(),
                "function" => r.object(|r, key| {
                    match key {
                        "name" => piece.name = string(r)?.map(|name| name.text).unwrap_or_default(),
                        "arguments" if r.kind()? == Kind::String => piece.arguments = r.fragment()?,
                        // Some send an object instead of its text.
                        "arguments" if r.kind()? == Kind::Object => piece.arguments = Fragment::from(r.raw()?),
                        _ => r.skip()?,
                    }
                    Ok(())
                })?,
                _ => r.skip()?,
            }
            Ok(())
        })?;
        self.take(piece);
        Ok(())
    }

    fn take(&mut self, piece: CallPiece) {
        let known = self.calls.iter().rposition(|call| {
            let same_id = piece.id.is_empty() || call.given.is_empty() || piece.id == call.given;
            same_id && piece.index.is_none_or(|index| index == call.index)
        });
        let (number, opened) = match known {
            Some(number) => (number, false),
            None => {
                self.open(&piece);
                (self.calls.len() - 1, true)
            }
        };
        let Some(call) = self.calls.get_mut(number) else { return };
        let new = call.arguments.take(piece.arguments);
        if opened || new.is_some() {
            let delta = Delta::ToolCallDelta {
                id: call.id.clone(),
                name: call.name.clone(),
                args_delta: new.unwrap_or_default(),
            };
            self.pieces.push(Piece::Delta(delta));
        }
    }

    fn open(&mut self, piece: &CallPiece) {
        let number = self.calls.len();
        let mut id = if piece.id.is_empty() { format!("call-{}-{number}", self.step) } else { piece.id.clone() };
        if self.calls.iter().any(|call| call.id.as_str() == id) {
            id = format!("{id}-{number}");
        }
        self.calls.push(Call {
            index: piece.index.unwrap_or(number as u64),
            given: piece.id.clone(),
            id: CallId::from(id.as_str()),
            name: piece.name.clone(),
            arguments: Arguments::default(),
        });
    }
}

/// A list, or null where there is none.
fn list(r: &mut Reader<'_>, element: impl FnMut(&mut Reader<'_>) -> Result<(), Error>) -> Result<(), Error> {
    if r.kind()? == Kind::Array { r.array(element) } else { r.skip() }
}

/// A string; None for null and anything else.
fn string(r: &mut Reader<'_>) -> Result<Option<Fragment>, Error> {
    if r.kind()? == Kind::String { r.fragment().map(Some) } else { r.skip().map(|()| None) }
}
