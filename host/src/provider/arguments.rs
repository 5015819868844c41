//! A call's arguments as suffixes, whichever way the provider sends them.

use threadfold::json::Fragment;
use threadfold::preview::PartialJson;
use threadfold::preview::partial::State;

/// A repetition of this many bytes is taken for one even where the text would go on as JSON.
const SURE: usize = 8;

/// The arguments of one call so far.
///
/// Some providers send all arguments so far with each chunk. That shows when a piece begins with everything before it:
/// then what is new is only the rest. A suffix that happens to begin so would have to nest the text in itself.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    so_far: PartialJson,
    cumulative: bool,
}

impl Arguments {
    /// What this piece adds; None when it adds nothing.
    pub fn take(&mut self, piece: Fragment) -> Option<Fragment> {
        let piece = if self.repeats(&piece) {
            self.cumulative = true;
            let new = piece.text.get(self.so_far.raw().len()..).unwrap_or_default();
            Fragment { lead: None, text: new.to_owned(), tail: piece.tail }
        } else {
            piece
        };
        self.so_far.push(&piece.text);
        (!piece.is_empty()).then_some(piece)
    }

    fn repeats(&self, piece: &Fragment) -> bool {
        let before = self.so_far.raw();
        if before.is_empty() || piece.lead.is_some() || !piece.text.starts_with(before) {
            return false;
        }
        if self.cumulative || before.len() >= SURE {
            return true;
        }
        let mut as_suffix = self.so_far.clone();
        as_suffix.push(&piece.text);
        matches!(as_suffix.state(), State::Broken { .. })
    }
}
