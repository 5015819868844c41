//! Compact streams: runs of chunks of one kind, written as lists (B2).
#![allow(non_snake_case)]

use crate::event::CallId;
use crate::follow::dsh::Chunk;
use crate::json::{Fragment, wire_object, wire_tagged};

wire_tagged! {
    /// A record of a compact stream.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Record by "type" {
        /// Pieces of text.
        "text-chunks" Text {
            /// When the first came.
            time0: i64,
            /// The block.
            index: u64,
            /// How long after the one before each other came, in milliseconds; negative where the clock went back.
            dt: Vec<i64>,
            /// The pieces.
            texts: Vec<Fragment>,
        }
        /// Pieces of reasoning.
        "reasoning-chunks" Reasoning {
            /// When the first came.
            time0: i64,
            /// The block.
            index: u64,
            /// How long after the one before each other came, in milliseconds; negative where the clock went back.
            dt: Vec<i64>,
            /// The pieces.
            texts: Vec<Fragment>,
        }
        /// Pieces of a call's arguments.
        "tool-call-chunks" ToolCall {
            /// When the first came.
            time0: i64,
            /// The block.
            index: u64,
            /// How long after the one before each other came, in milliseconds; negative where the clock went back.
            dt: Vec<i64>,
            /// The call.
            id: CallId,
            /// The tool, where its pieces name it.
            name: Option<String> => optional,
            /// The pieces.
            args: Vec<Fragment>,
        }
        /// One chunk of any kind.
        "chunk" Chunk {
            /// When it came.
            time: i64,
            /// The chunk.
            chunk: Chunk,
        }
    } else
    /// A record that this version does not know.
    Unknown
}

wire_object! {
    /// A chunk and when it came.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Timed {
        /// In milliseconds since 1970.
        pub time: i64,
        /// The chunk.
        pub chunk: Chunk,
    }
}

/// The chunks that were sent, one by one, with the boundaries and times that they had (B2). A record of a kind that is
/// not known counts as one chunk. None when a run's times and pieces don't match: then nobody can say what was sent.
pub fn expand(stream: Vec<Record>) -> Option<Vec<Timed>> {
    let mut all = Vec::new();
    for record in stream {
        match record {
            Record::Chunk { time, chunk } => all.push(Timed { time, chunk }),
            Record::Text { time0, index, dt, texts } => {
                spread(time0, &dt, texts, &mut all, |text| Chunk::Text { index, text })?;
            }
            Record::Reasoning { time0, index, dt, texts } => {
                spread(time0, &dt, texts, &mut all, |text| Chunk::Reasoning { index, text })?;
            }
            Record::ToolCall { time0, index, dt, id, name, args } => {
                spread(time0, &dt, args, &mut all, |argumentsDelta| Chunk::ToolCall {
                    index,
                    id: id.clone(),
                    name: name.clone(),
                    argumentsDelta,
                })?;
            }
            Record::Unknown(raw) => all.push(Timed { time: 0, chunk: Chunk::Unknown(raw) }),
        }
    }
    Some(all)
}

/// One run: each piece but the first comes so long after the one before.
fn spread(
    time0: i64,
    dt: &[i64],
    pieces: Vec<Fragment>,
    all: &mut Vec<Timed>,
    chunk: impl Fn(Fragment) -> Chunk,
) -> Option<()> {
    if dt.len().saturating_add(1) != pieces.len() {
        return None;
    }
    let mut time = time0;
    let mut waits = dt.iter();
    for piece in pieces {
        all.push(Timed { time, chunk: chunk(piece) });
        time = time.saturating_add(waits.next().copied().unwrap_or(0));
    }
    Some(())
}
