//! What one attempt has said so far.

use super::PartialJson;
use super::block::Place;
use crate::event::{CallId, Delta};
use crate::json::Fragment;

/// A piece of a preview. Deltas carry no block index, so neighbours of one kind make one part (C2).
#[derive(Debug, Clone)]
pub enum Part {
    /// Text.
    Text(String),
    /// Reasoning.
    Reasoning(String),
    /// A tool call under construction.
    Call {
        /// The call.
        id: CallId,
        /// The tool's name.
        name: String,
        /// Its arguments so far.
        args: PartialJson,
    },
}

impl Part {
    /// The text, the reasoning or the raw arguments.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Reasoning(text) => text,
            Self::Call { args, .. } => args.raw(),
        }
    }

    /// The tool's name of a call, as far as it was said.
    fn name(&self) -> &str {
        match self {
            Self::Call { name, .. } => name,
            Self::Text(_) | Self::Reasoning(_) => "",
        }
    }

    /// Adds to the text, the reasoning or the arguments.
    pub(super) fn push(&mut self, lead: Option<char>, text: &str) {
        match self {
            Self::Text(all) | Self::Reasoning(all) => {
                if let Some(lead) = lead {
                    all.push(lead);
                }
                all.push_str(text);
            }
            Self::Call { args, .. } => {
                if let Some(lead) = lead {
                    args.push(lead.encode_utf8(&mut [0; 4]));
                }
                args.push(text);
            }
        }
    }

    /// The Delta that adds `suffix` to this part.
    pub(super) fn delta(&self, suffix: &str) -> Delta {
        let delta = Fragment::from(suffix);
        match self {
            Self::Text(_) => Delta::TextDelta { delta },
            Self::Reasoning(_) => Delta::ReasoningDelta { delta },
            Self::Call { id, name, .. } => {
                Delta::ToolCallDelta { id: id.clone(), name: name.clone(), args_delta: delta }
            }
        }
    }

    pub(super) fn same_place(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(_), Self::Text(_)) | (Self::Reasoning(_), Self::Reasoning(_)) => true,
            (Self::Call { id, .. }, Self::Call { id: other, .. }) => id == other,
            _ => false,
        }
    }
}

/// What a Delta did: which part it went to, whether it opened it, and what was added before the Delta's own text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    /// The part's number.
    pub part: usize,
    /// True when the part is new.
    pub opened: bool,
    /// The character that an earlier half came to; the text that was added is this, then the Delta's.
    pub lead: Option<char>,
}

impl Growth {
    /// What was added to the part's text. It may be empty: an opened call, or half a character that waits for the other.
    pub fn text(&self, delta: &Delta) -> String {
        with_lead(self.lead, &delta.fragment().text)
    }
}

/// A text after the character that an earlier half came to.
pub(super) fn with_lead(lead: Option<char>, text: &str) -> String {
    let mut whole = lead.map(String::from).unwrap_or_default();
    whole.push_str(text);
    whole
}

/// How many bytes one preview may take in. What is longer is seen when it is committed.
const MOST_BYTES: usize = 32 << 20;
/// How many parts one preview may have. Calls are looked for among them, so this also bounds what a fragment costs.
const MOST_PARTS: usize = 1024;

/// The content of a lane: its parts in the order in which they were opened.
#[derive(Debug, Clone, Default)]
pub struct Content {
    pub(super) parts: Vec<Part>,
    /// Of a stream that numbers its blocks: where each is.
    pub(super) places: Vec<Place>,
    text_half: Half,
    reasoning_half: Half,
    /// The calls that were opened, each with its part.
    calls: Vec<(CallId, usize, Half)>,
    pub(super) replaced_halves: u32,
    /// Bytes that were taken in; what had to be shown anew counts again.
    pub(super) taken: usize,
}

impl Content {
    /// The content that these Deltas make.
    pub fn of(deltas: &[Delta]) -> Self {
        let mut content = Self::default();
        for delta in deltas {
            content.push(delta);
        }
        content
    }

    /// The parts, in order of opening.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Halves of characters that never found the other half, and so became U+FFFD.
    pub fn replaced_halves(&self) -> u32 {
        self.replaced_halves
    }

    /// True when nothing was said.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// True when it holds as much as a preview may: 32 MiB, or 1024 parts. A host that says more than that without ever
    /// committing it is not to fill the page's memory, so whoever feeds this content stops then.
    pub fn is_full(&self) -> bool {
        self.taken > MOST_BYTES || self.parts.len().max(self.places.len()) >= MOST_PARTS
    }

    /// Takes a Delta. The cost depends on the Delta alone.
    pub fn push(&mut self, delta: &Delta) -> Growth {
        self.taken = self.taken.saturating_add(delta.fragment().text.len());
        match delta {
            Delta::TextDelta { delta } => {
                let lead = self.text_half.join(delta, &mut self.replaced_halves);
                let opened = !matches!(self.parts.last(), Some(Part::Text(_)));
                if opened {
                    self.parts.push(Part::Text(String::new()));
                }
                self.grow_last(opened, lead, &delta.text)
            }
            Delta::ReasoningDelta { delta } => {
                let lead = self.reasoning_half.join(delta, &mut self.replaced_halves);
                let opened = !matches!(self.parts.last(), Some(Part::Reasoning(_)));
                if opened {
                    self.parts.push(Part::Reasoning(String::new()));
                }
                self.grow_last(opened, lead, &delta.text)
            }
            Delta::ToolCallDelta { id, name, args_delta } => self.push_call(id, name, args_delta),
        }
    }

    /// What has to be added to this content to make `whole`: for each part that grows, a Delta that says so and what it
    /// does. None when this content is not a beginning of `whole` (C3.2).
    pub fn missing_from(&self, whole: &Self) -> Option<Vec<(Delta, Growth)>> {
        if self.parts.len() > whole.parts.len() {
            return None;
        }
        let mut missing = Vec::new();
        for (number, part) in whole.parts.iter().enumerate() {
            let ours = self.parts.get(number);
            if ours.is_some_and(|ours| !ours.same_place(part)) {
                return None;
            }
            let suffix = part.text().strip_prefix(ours.map_or("", Part::text))?;
            let (before, name) = (ours.map_or("", Part::name), part.name());
            if !before.is_empty() && !name.is_empty() && before != name {
                return None;
            }
            if ours.is_none() || !suffix.is_empty() || before.is_empty() && !name.is_empty() {
                let growth = Growth { part: number, opened: ours.is_none(), lead: None };
                missing.push((part.delta(suffix), growth));
            }
        }
        Some(missing)
    }

    /// Takes the names of calls that `before` had been told and this content was not.
    pub fn keep_names(&mut self, before: &Self) {
        for (part, before) in self.parts.iter_mut().zip(&before.parts) {
            if let (Part::Call { name, .. }, Part::Call { name: before, .. }) = (part, before)
                && name.is_empty()
            {
                name.clone_from(before);
            }
        }
    }

    fn grow_last(&mut self, opened: bool, lead: Option<char>, text: &str) -> Growth {
        if let Some(part) = self.parts.last_mut() {
            part.push(lead, text);
        }
        Growth { part: self.parts.len().saturating_sub(1), opened, lead }
    }

    /// Parallel calls interleave, so the part is found by its call id, from the end: the newest calls are the ones that
    /// grow. An opener of an id that has grown whole already is still the same call: ids are unique within a batch.
    fn push_call(&mut self, call: &CallId, tool: &str, args_delta: &Fragment) -> Growth {
        let found = self.calls.iter().rposition(|(id, ..)| id == call);
        let opened = found.is_none();
        let at = found.unwrap_or(self.calls.len());
        if opened {
            self.calls.push((call.clone(), self.parts.len(), Half::default()));
            self.parts.push(Part::Call { id: call.clone(), name: tool.to_owned(), args: PartialJson::new() });
        }
        let (mut number, mut lead) = (0, None);
        if let Some((_, part, half)) = self.calls.get_mut(at) {
            number = *part;
            lead = half.join(args_delta, &mut self.replaced_halves);
        }
        if let Some(part) = self.parts.get_mut(number) {
            if let Part::Call { name, .. } = part
                && name.is_empty()
            {
                tool.clone_into(name);
            }
            part.push(lead, &args_delta.text);
        }
        Growth { part: number, opened, lead }
    }
}

/// The first half of a character whose second half may come with the next Delta of its kind (A1).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Half(Option<u16>);

impl Half {
    /// The character that the half that waited and the fragment's first half come to, if there is either; a half that
    /// finds no other is U+FFFD. The fragment's last half waits from now on.
    pub(super) fn join(&mut self, fragment: &Fragment, replaced: &mut u32) -> Option<char> {
        if fragment.is_empty() {
            return None;
        }
        let lead = match (self.0.take(), fragment.lead) {
            (Some(high), Some(low)) => match char::decode_utf16([high, low]).next() {
                Some(Ok(character)) => Some(character),
                Some(Err(_)) | None => Some(lost(replaced)),
            },
            (Some(_), None) | (None, Some(_)) => Some(lost(replaced)),
            (None, None) => None,
        };
        self.0 = fragment.tail;
        lead
    }
}

fn lost(replaced: &mut u32) -> char {
    *replaced = replaced.saturating_add(1);
    char::REPLACEMENT_CHARACTER
}

#[cfg(test)]
mod tests;
