//! Numbered blocks: the content of a stream that says which block a piece belongs to (B1).

use super::content::{Content, Growth, Half, Part, with_lead};
use super::partial::PartialJson;
use crate::event::Delta;

/// A block that was seen.
#[derive(Debug, Clone)]
pub(super) struct Place {
    block: u64,
    /// The part that shows it; None while nothing of it was said.
    part: Option<usize>,
    /// It is whole: what comes for it is ignored.
    frozen: bool,
    half: Half,
}

/// What a piece of a block did to the content.
#[derive(Debug, Clone, PartialEq)]
pub enum Placed {
    /// Nothing that is seen.
    Nothing,
    /// A part grew, as by this Delta.
    Grew(Delta, Growth),
    /// Parts are others than they were: all of it is to be shown anew.
    Rebuilt,
}

impl Content {
    /// A block is there. The order of blocks is that in which they were first seen.
    pub fn begin_block(&mut self, block: u64) {
        self.place(block);
    }

    /// Takes a piece of a block.
    pub fn push_block(&mut self, block: u64, delta: Delta) -> Placed {
        let at = self.place(block);
        let mut replaced = 0;
        self.taken = self.taken.saturating_add(delta.fragment().text.len());
        let Some(place) = self.places.get_mut(at).filter(|place| !place.frozen) else { return Placed::Nothing };
        let lead = place.half.join(delta.fragment(), &mut replaced);
        let part = place.part;
        self.replaced_halves = self.replaced_halves.saturating_add(replaced);
        let Some(part) = part else {
            let text = with_lead(lead, &delta.fragment().text);
            let new = match &delta {
                Delta::TextDelta { .. } | Delta::ReasoningDelta { .. } if text.is_empty() => return Placed::Nothing,
                Delta::TextDelta { .. } => Part::Text(text),
                Delta::ReasoningDelta { .. } => Part::Reasoning(text),
                Delta::ToolCallDelta { id, name, .. } => Part::call(id.clone(), name.clone(), &text),
            };
            return self.insert_part(at, new, delta, lead);
        };
        if let Some(shown) = self.parts.get_mut(part) {
            if let (Part::Call { name, .. }, Delta::ToolCallDelta { name: tool, .. }) = (&mut *shown, &delta)
                && name.is_empty()
            {
                name.clone_from(tool);
            }
            shown.push(lead, &delta.fragment().text);
        }
        Placed::Grew(delta, Growth { part, opened: false, lead })
    }

    /// A block is whole: this is all of it, and takes the place of what was shown.
    pub fn end_block(&mut self, block: u64, whole: Part) -> Placed {
        let at = self.place(block);
        let Some(place) = self.places.get_mut(at).filter(|place| !place.frozen) else { return Placed::Nothing };
        place.frozen = true;
        self.taken = self.taken.saturating_add(whole.text().len());
        let Some(part) = place.part else {
            if whole.text().is_empty() && !matches!(whole, Part::Call { .. }) {
                return Placed::Nothing;
            }
            let delta = whole.delta(whole.text());
            return self.insert_part(at, whole, delta, None);
        };
        let Some(shown) = self.parts.get_mut(part) else { return Placed::Nothing };
        let suffix = if shown.is_beginning_of(&whole) { whole.text().strip_prefix(shown.text()) } else { None };
        let placed = match suffix {
            Some("") => Placed::Nothing,
            Some(text) => Placed::Grew(whole.delta(text), Growth { part, opened: false, lead: None }),
            None => Placed::Rebuilt,
        };
        if placed != Placed::Nothing {
            *shown = whole;
        }
        if placed == Placed::Rebuilt { self.rebuilt() } else { placed }
    }

    /// All of it is to be shown anew, which a host may not ask for without end.
    fn rebuilt(&mut self) -> Placed {
        let all: usize = self.parts.iter().map(|part| part.text().len()).sum();
        self.taken = self.taken.saturating_add(all);
        Placed::Rebuilt
    }

    /// The block's place, made at the end where the block was not seen before.
    fn place(&mut self, block: u64) -> usize {
        // The newest blocks are the ones that grow.
        self.places.iter().rposition(|place| place.block == block).unwrap_or_else(|| {
            self.places.push(Place { block, part: None, frozen: false, half: Half::default() });
            self.places.len().saturating_sub(1)
        })
    }

    /// Shows the block at this place for the first time: below the blocks that were seen before it.
    fn insert_part(&mut self, at: usize, new: Part, delta: Delta, lead: Option<char>) -> Placed {
        let (before, from) = self.places.split_at_mut(at);
        let part = before.iter().filter(|place| place.part.is_some()).count();
        let mut places = from.iter_mut();
        if let Some(place) = places.next() {
            place.part = Some(part);
        }
        places.filter_map(|place| place.part.as_mut()).for_each(|later| *later = later.saturating_add(1));
        let is_last = part == self.parts.len();
        self.parts.insert(part.min(self.parts.len()), new);
        if is_last { Placed::Grew(delta, Growth { part, opened: true, lead }) } else { self.rebuilt() }
    }
}

impl Part {
    /// A call whose arguments are this text so far.
    pub fn call(id: crate::event::CallId, name: String, text: &str) -> Self {
        let mut args = PartialJson::new();
        args.push(text);
        Self::Call { id, name, args }
    }

    /// True when nothing but text is missing.
    fn is_beginning_of(&self, whole: &Self) -> bool {
        match (self, whole) {
            (Self::Call { id, name, .. }, Self::Call { id: other, name: tool, .. }) => id == other && name == tool,
            _ => self.same_place(whole),
        }
    }
}

#[cfg(test)]
mod tests;
