//! JSON of every wire: taken exactly when it is JSON, and what is read as a type of the contract is read as the same
//! after it was written.
//!
//! The first byte chooses the type.

use std::fmt::Debug;
use threadfold::event::{AgentEvent, Delta, Envelope, PlacedFact};
use threadfold::fold::{Fold, facts};
use threadfold::follow::Live;
use threadfold::json::{ErrorKind, Fragment, Raw, Wire, read, write};
use threadfold::source::dsh;
use threadfold::source::threadfold::{ResumeRequest, SendRequest, live_event, plain_event, read_page, response};
use threadfold::thread::{Message, Record, ResumeTicket, RunState};
use threadfold::transcode::Input;

const FRAMES: &[&str] = &["opened", "start", "delta", "end", "committed", "ping", "bye", "message", "other"];

pub fn run(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else { return };
    let text = &*String::from_utf8_lossy(text);
    is_judged_like_serde_json(text);
    match kind % 24 {
        0 => same::<Record>(text),
        1 => same::<AgentEvent>(text),
        2 => same::<Envelope>(text),
        3 => same::<Delta>(text),
        4 => same::<PlacedFact>(text),
        5 => same::<Message>(text),
        6 => same::<RunState>(text),
        7 => same::<ResumeTicket>(text),
        8 => same::<Input>(text),
        9 => same::<SendRequest>(text),
        10 => same::<ResumeRequest>(text),
        11 => same::<Fragment>(text),
        12 => page(text),
        13 => drop(response(text)),
        14 => drop((dsh::read_item(text), dsh::read_window(text))),
        kind => frame(FRAMES[usize::from(kind) % FRAMES.len()], text),
    }
}

fn is_judged_like_serde_json(text: &str) {
    let theirs = serde_json::from_str::<serde::de::IgnoredAny>(text);
    match Raw::parse(text) {
        Ok(kept) => {
            // Halves of surrogate pairs are kept here and refused there.
            assert!(theirs.is_ok() || text.contains("\\u"), "{text:?}");
            assert_eq!(write(&kept), kept.as_str());
        }
        Err(error) if matches!(error.kind, ErrorKind::TooDeep(_)) => {}
        Err(error) => {
            assert!(text.is_char_boundary(error.at));
            assert!(theirs.is_err(), "{text:?}: {error}");
        }
    }
}

fn same<T: Wire + PartialEq + Debug>(text: &str) {
    let Ok(value) = read::<T>(text) else { return };
    let written = write(&value);
    match read::<T>(&written) {
        Ok(again) => assert_eq!(again, value, "{written}"),
        Err(error) => panic!("{written}: {error}"),
    }
}

fn page(text: &str) {
    let Ok((page, _)) = read_page("application/json", text) else { return };
    let (again, notes) = read_page("application/json", &write(&page)).expect("what is written can be read");
    assert_eq!((&again, notes.unknown_keys), (&page, 0));
    let mut records: Vec<Record> = page.into_records();
    records.sort_by_key(Record::seq);
    for fold in [Fold::new(), Fold::windowed(), Fold::by_rows()] {
        for pair in facts(fold, &records).windows(2) {
            assert!(pair[0].position < pair[1].position);
        }
    }
}

fn frame(name: &str, text: &str) {
    if let Live::Frame(frame, _) = live_event(name, text) {
        let (name, data) = frame.write();
        match live_event(name, &data) {
            Live::Frame(again, _) => assert_eq!(again, frame, "{data}"),
            other => panic!("{data} is {other:?}"),
        }
    }
    let _ = plain_event(name, text);
}
