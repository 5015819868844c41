//! The class under `createTranscoder` and `thread.transcode`.

use super::fault::{argument, bad_argument};
use crate::json::{Writer, wire_object};
use crate::transcode::{Chunk, Framing, Input, Segment, TranscodeOptions, Wanted, frame, transcoder};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A protocol's transcoder, for a whole thread or for one part of it.
#[wasm_bindgen]
pub struct Transcoder {
    segment: RefCell<Segment>,
    /// None to write a JSON array instead of server-sent events.
    framing: Option<Framing>,
}

wire_object! {
    struct GivenWanted {
        run_id: Option<crate::event::RunId> => optional,
        next: bool,
    }
}

#[wasm_bindgen]
impl Transcoder {
    /// A transcoder by name, with its options as JSON; `wanted`, as JSON, asks for one part of the thread.
    ///
    /// # Errors
    /// `bad_argument`
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, options: &str, wanted: Option<String>, bytes: bool) -> Result<Self, JsValue> {
        let options: TranscodeOptions = argument("options", options)?;
        let wanted: Option<GivenWanted> = wanted.map(|wanted| argument("options", &wanted)).transpose()?;
        let wanted = wanted.map(|GivenWanted { run_id, next }| Wanted { run_id, next });
        let (transcoder, framing) = transcoder(name, &options).map_err(|why| bad_argument("transcoder", why))?;
        Ok(Self { segment: RefCell::new(Segment::new(transcoder, wanted)), framing: bytes.then_some(framing) })
    }

    /// Takes events, a JSON array, and gives what is written: a JSON array, or the bytes of server-sent events.
    ///
    /// # Errors
    /// `bad_argument`
    pub fn take(&self, events: &str) -> Result<String, JsValue> {
        let events: Vec<Input> = argument("event", events)?;
        let mut segment = self.segment.borrow_mut();
        let mut chunks = Vec::new();
        for event in &events {
            chunks.append(&mut segment.take(event));
        }
        Ok(self.write(&chunks))
    }

    /// The history is over.
    #[wasm_bindgen(js_name = caughtUp)]
    pub fn caught_up(&self) -> String {
        self.write(&self.segment.borrow_mut().caught_up())
    }

    /// No more events come.
    pub fn finish(&self) -> String {
        self.write(&self.segment.borrow_mut().finish())
    }

    /// How the part that was wanted ended, `end` or `cut`; nothing while it has not.
    pub fn ending(&self) -> Option<String> {
        self.segment.borrow().ending().map(|chunk| word(chunk).to_owned())
    }

    /// How many events and blocks could not be shown.
    pub fn skipped(&self) -> f64 {
        self.segment.borrow().skipped() as f64
    }

    fn write(&self, chunks: &[Chunk]) -> String {
        if let Some(framing) = self.framing {
            let mut bytes = String::new();
            chunks.iter().for_each(|chunk| bytes.push_str(&frame(chunk, framing)));
            return bytes;
        }
        let mut w = Writer::new();
        w.array(|w| {
            for chunk in chunks {
                match chunk {
                    Chunk::Event(json) => w.raw(json),
                    Chunk::End | Chunk::Cut => w.string(word(chunk)),
                }
            }
        });
        w.finish()
    }
}

fn word(chunk: &Chunk) -> &'static str {
    match chunk {
        Chunk::Cut => "cut",
        Chunk::Event(_) | Chunk::End => "end",
    }
}

impl std::fmt::Debug for Transcoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transcoder").finish_non_exhaustive()
    }
}
