//! Partial JSON at every beginning of a text: the same however it came, always JSON, and complete exactly when the text is.
//!
//! The first byte chooses how the text is cut.

use threadfold::json::{ErrorKind, Raw};
use threadfold::preview::PartialJson;
use threadfold::preview::partial::State;

pub fn run(data: &[u8]) {
    let Some((stride, text)) = data.split_first() else { return };
    // Each beginning is looked at whole, so a long text says no more than a short one.
    let text = String::from_utf8_lossy(text.get(..2000).unwrap_or(text));
    let stride = usize::from(*stride % 7) + 1;
    let mut growing = PartialJson::new();
    let (mut last, mut broken) = (None, None);
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).chain([text.len()]).collect();
    let mut start = 0;
    for end in ends.into_iter().step_by(stride) {
        growing.push(&text[start..end]);
        start = end;
        let beginning = &text[..end];
        assert_eq!(growing.raw(), beginning);
        let shown = growing.completed();
        if let Some(shown) = &shown
            && let Err(error) = Raw::parse(shown)
        {
            panic!("{beginning:?} shows {shown:?}: {error}");
        }
        let parsed = Raw::parse(beginning);
        match growing.state() {
            State::Complete => assert!(parsed.is_ok(), "{beginning:?} is not complete"),
            State::Empty => assert!(beginning.trim_matches([' ', '\t', '\r', '\n']).is_empty()),
            // A number at the top may go on, and is JSON all the same.
            State::Open => assert!(
                parsed
                    .as_ref()
                    .map_or_else(|error| error.kind == ErrorKind::Incomplete, |kept| is_number(kept.as_str())),
                "{beginning:?} can go on: {parsed:?}"
            ),
            State::Broken { at } => {
                assert!(parsed.is_err(), "{beginning:?} is JSON");
                assert!(at < end && text.is_char_boundary(at));
                assert!(broken.is_none_or(|before| before == (at, shown.clone())), "what is broken stays as it is");
                broken = Some((at, shown.clone()));
            }
        }
        if broken.is_some() {
            assert!(matches!(growing.state(), State::Broken { .. }));
            assert_eq!(growing.open_path(), None);
        }
        assert!(last.is_none() || shown.is_some(), "what was there went away");
        last = shown;
    }
    let mut whole = PartialJson::new();
    whole.push(&text[..start]);
    assert_eq!((whole.state(), whole.completion()), (growing.state(), growing.completion()));
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}
