//! An event stream: it says the same however it is cut, and an event over the limit is an error however it is cut.
//!
//! The first byte chooses the limit, the second how the rest is cut.

use super::choices::Choices;
use threadfold::source::sse::{Decoder, SseError};

type Said = (Vec<(String, String, String)>, Option<u64>, u64, Vec<SseError>);

pub fn run(data: &[u8]) {
    let mut choices = Choices::new(data);
    let limit = *choices.of(&[1 << 20, 16, 64, 1 << 10]);
    let mut seed = u32::from(choices.byte()) + 1;
    let stream = choices.rest();
    let whole = decode(limit, [stream]);
    assert_eq!(whole, decode(limit, stream.chunks(1)), "in single bytes");
    let mut pieces = Vec::new();
    let mut left = stream;
    while !left.is_empty() {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (piece, rest) = left.split_at((seed >> 28) as usize % (left.len() + 1));
        pieces.push(piece);
        left = rest;
    }
    assert_eq!(whole, decode(limit, pieces), "in pieces");
    let (events, _, _, errors) = whole;
    assert!(errors.len() <= 1);
    assert!(events.iter().all(|(name, data, id)| name.len() + data.len() + id.len() <= 4 * stream.len() + 7));
}

fn decode<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Said {
    let mut decoder = Decoder::new(limit);
    let (mut events, mut errors) = (Vec::new(), Vec::new());
    for piece in pieces {
        let pushed = decoder.push(piece, &mut |event| {
            events.push((event.name.to_owned(), event.data.to_owned(), event.last_event_id.to_owned()));
        });
        errors.extend(pushed.err());
    }
    decoder.finish();
    (events, decoder.retry(), decoder.comments(), errors)
}
