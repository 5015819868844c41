//! The framing of both protocols: server-sent events.

use super::Chunk;
use super::words::join;

/// What the protocol puts at the end of a complete stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// AI SDK: `[DONE]`.
    Done,
    /// AG-UI: nothing; its client refuses `[DONE]`.
    Bare,
}

/// The bytes of a chunk, with LF alone as line end. JSON text holds no line end of its own.
pub fn frame(chunk: &Chunk, framing: Framing) -> String {
    match (chunk, framing) {
        (Chunk::Event(json), _) => join(&["data: ", json, "\n\n"]),
        (Chunk::End, Framing::Done) => "data: [DONE]\n\n".to_owned(),
        (Chunk::End, Framing::Bare) | (Chunk::Cut, _) => String::new(),
    }
}
