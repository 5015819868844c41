//! One response of the model while it is previewed and settled, and its open blocks.

use crate::event::{Coordinate, MessageId, RunId};
use crate::json::Fragment;
use crate::text::{Shared, decimal, join};

/// Which response, within a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// As the coordinate says.
    At(Coordinate),
    /// A committed message that has no coordinate.
    Message(RunId, MessageId),
    /// A preview whose stream says no coordinate; it keeps this number when its Facts come.
    Live(RunId, u32),
}

impl Key {
    /// The id on the wire, the same while it streams and when it is committed.
    pub fn wire(&self) -> String {
        match self {
            Self::At(Coordinate { run_id, step, response }) => {
                join(&[run_id.as_str(), "-", &decimal(u64::from(*step)), "-", &decimal(u64::from(*response))])
            }
            Self::Message(_, id) => id.as_str().to_owned(),
            Self::Live(run_id, number) => join(&[run_id.as_str(), "-live-", &decimal(u64::from(*number))]),
        }
    }

    /// The run.
    pub fn run_id(&self) -> &RunId {
        match self {
            Self::At(coordinate) => &coordinate.run_id,
            Self::Message(run_id, _) | Self::Live(run_id, _) => run_id,
        }
    }

    /// The model step, where it is known.
    pub fn step(&self) -> Option<u32> {
        match self {
            Self::At(coordinate) => Some(coordinate.step),
            Self::Message(..) | Self::Live(..) => None,
        }
    }

    /// True when this response is known to come after the other.
    pub fn is_after(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::At(one), Self::At(other)) => (one.step, one.response) > (other.step, other.response),
            _ => false,
        }
    }
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Reasoning; one per response, since Deltas carry no block index.
    Reasoning,
    /// Text; one per response.
    Text,
    /// A call, by its id on the wire.
    Call {
        /// The id on the wire; the provider's while the preview is not shown.
        wire: Shared,
        /// The tool.
        name: String,
    },
}

impl Kind {
    /// True for the same block, whatever its tool is called by now.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Reasoning, Self::Reasoning) | (Self::Text, Self::Text) => true,
            (Self::Call { wire, .. }, Self::Call { wire: other, .. }) => wire == other,
            _ => false,
        }
    }
}

/// A block that was previewed or settled.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// What it is.
    pub kind: Kind,
    /// The text, the reasoning or the arguments so far.
    pub text: String,
    /// The first half of a character that waits for its second.
    half: Option<u16>,
    /// True once it is on the wire.
    pub written: bool,
    /// True once its Fact came.
    pub settled: bool,
}

impl Block {
    fn new(kind: Kind) -> Self {
        Self { kind, text: String::new(), half: None, written: false, settled: false }
    }

    /// Appends the whole characters of a fragment; halves that meet are joined, a half alone is U+FFFD.
    fn push(&mut self, fragment: &Fragment) -> String {
        let mut text = String::new();
        if fragment.is_empty() {
            return text;
        }
        match (self.half.take(), fragment.lead) {
            (Some(high), Some(low)) => {
                let joined = char::decode_utf16([high, low]).next().and_then(Result::ok);
                text.push(joined.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (Some(_), None) | (None, Some(_)) => text.push(char::REPLACEMENT_CHARACTER),
            (None, None) => {}
        }
        text.push_str(&fragment.text);
        self.half = fragment.tail;
        self.text.push_str(&text);
        text
    }
}

/// A response with its blocks, in the order in which they were opened.
#[derive(Debug, Clone)]
pub(super) struct Response {
    /// Which one.
    pub key: Key,
    /// Its id on the wire.
    pub id: String,
    /// Its blocks; the settled ones come first.
    pub blocks: Vec<Block>,
    /// How many Facts of it came.
    pub facts: usize,
}

/// How a Fact meets what was previewed of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meeting {
    /// Nothing was written of it.
    New,
    /// What was written is a beginning of it, or all of it; this is missing.
    Rest(String),
    /// Something else was written in its place.
    Diverged,
}

impl Response {
    pub fn new(key: Key) -> Self {
        Self { id: key.wire(), key, blocks: Vec::new(), facts: 0 }
    }

    /// True when any of it is on the wire.
    pub fn is_written(&self) -> bool {
        self.blocks.iter().any(|block| block.written)
    }

    /// True when something was previewed for which no Fact came.
    pub fn has_leftover(&self) -> bool {
        self.blocks.iter().any(|block| !block.settled && block.written)
    }

    /// Takes a fragment: the block's number and the text that it grew by.
    pub fn grow(&mut self, kind: Kind, fragment: &Fragment) -> (usize, String) {
        let found = self.blocks.iter().position(|block| block.kind.is(&kind));
        let number = found.unwrap_or(self.blocks.len());
        if found.is_none() {
            self.blocks.push(Block::new(kind));
        }
        match self.blocks.get_mut(number) {
            Some(block) => (number, block.push(fragment)),
            None => (number, String::new()),
        }
    }

    /// Adds a block that is settled by its Fact, without a preview.
    pub fn add(&mut self, kind: Kind, text: &str) {
        let next = self.blocks.iter().filter(|block| block.settled).count();
        let block = Block { text: text.to_owned(), written: true, settled: true, ..Block::new(kind) };
        self.blocks.insert(next.min(self.blocks.len()), block);
    }

    /// Settles the next block by its Fact. `same` says whether two texts that differ are the same all the same; a block
    /// whose Fact carries the whole content again passes `true`.
    pub fn settle(&mut self, kind: Kind, text: &str, same: impl FnOnce(&str) -> bool) -> Meeting {
        let next = self.blocks.iter().filter(|block| block.settled).count();
        let Some(block) = self.blocks.get_mut(next) else {
            self.add(kind, text);
            return Meeting::New;
        };
        if !block.kind.is(&kind) {
            return Meeting::Diverged;
        }
        let rest = match text.strip_prefix(&*block.text) {
            Some(rest) => rest.to_owned(),
            None if same(&block.text) => String::new(),
            None => return Meeting::Diverged,
        };
        let written = block.written;
        block.kind = kind;
        block.settled = true;
        block.written = true;
        if written { Meeting::Rest(rest) } else { Meeting::New }
    }
}
