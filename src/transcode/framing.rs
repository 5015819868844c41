//! The framing of each protocol: server-sent events, or lines.

use super::Chunk;
use crate::text::join;

/// How a protocol's events become bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// AI SDK: server-sent events, and `[DONE]` at the end of a complete stream.
    Done,
    /// AG-UI, A2A: server-sent events and nothing else; AG-UI's client refuses `[DONE]`.
    Bare,
    /// Managed-agent sessions: server-sent events with a name; the client passes over those without.
    Named,
    /// ACP: a line for each message.
    Lines,
}

/// The bytes of a chunk, with LF alone as line end. JSON text holds no line end of its own.
pub fn frame(chunk: &Chunk, framing: Framing) -> String {
    match (chunk, framing) {
        (Chunk::Event(json), Framing::Lines) => join(&[json, "\n"]),
        (Chunk::Event(json), Framing::Named) => join(&["event: message\ndata: ", json, "\n\n"]),
        (Chunk::Event(json), _) => join(&["data: ", json, "\n\n"]),
        (Chunk::End, Framing::Done) => "data: [DONE]\n\n".to_owned(),
        (Chunk::End | Chunk::Cut, _) => String::new(),
    }
}
