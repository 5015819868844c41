//! Cutting text into Deltas, as models do: small pieces that care nothing for words.

use threadfold::event::{CallId, Delta};
use threadfold::json::Fragment;

/// The sizes of the pieces, in characters; they repeat.
const SIZES: [usize; 7] = [3, 7, 2, 5, 11, 4, 6];

/// Text as pieces.
pub(super) fn text(text: &str) -> Vec<Delta> {
    cut(text).into_iter().map(|delta| Delta::TextDelta { delta }).collect()
}

/// Reasoning as pieces.
pub(super) fn reasoning(text: &str) -> Vec<Delta> {
    cut(text).into_iter().map(|delta| Delta::ReasoningDelta { delta }).collect()
}

/// A call: an empty piece opens it, the arguments follow.
pub(super) fn call(id: &str, name: &str, args: &str) -> Vec<Delta> {
    let piece = |args_delta| Delta::ToolCallDelta { id: CallId::from(id), name: name.to_owned(), args_delta };
    let mut deltas = vec![piece(Fragment::default())];
    deltas.extend(cut(args).into_iter().map(piece));
    deltas
}

/// Two streams, a piece of each in turn.
pub(super) fn interleave(first: Vec<Delta>, second: Vec<Delta>) -> Vec<Delta> {
    let mut mixed = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    loop {
        let pair = (first.next(), second.next());
        if let (None, None) = pair {
            return mixed;
        }
        mixed.extend(pair.0);
        mixed.extend(pair.1);
    }
}

/// Text cut by UTF-16 units, so that characters beyond the basic plane fall apart into halves.
pub(super) fn halves(text: &str) -> Vec<Delta> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut rest = units.as_slice();
    let mut deltas = Vec::new();
    for size in [1, 2, 3, 2, 1, 4].iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, tail) = rest.split_at((*size).min(rest.len()));
        rest = tail;
        deltas.push(Delta::TextDelta { delta: fragment(piece) });
    }
    deltas
}

fn fragment(units: &[u16]) -> Fragment {
    let mut units = units;
    let mut fragment = Fragment::default();
    if let Some((first, rest)) = units.split_first()
        && (0xDC00..0xE000).contains(first)
    {
        fragment.lead = Some(*first);
        units = rest;
    }
    if let Some((last, rest)) = units.split_last()
        && (0xD800..0xDC00).contains(last)
    {
        fragment.tail = Some(*last);
        units = rest;
    }
    fragment.text = String::from_utf16_lossy(units);
    fragment
}

fn cut(text: &str) -> Vec<Fragment> {
    let mut chars = text.chars();
    let mut pieces = Vec::new();
    for size in SIZES.iter().cycle() {
        let piece: String = chars.by_ref().take(*size).collect();
        if piece.is_empty() {
            break;
        }
        pieces.push(Fragment::from(piece.as_str()));
    }
    pieces
}
