//! Items of the follow stream, and windows of the log (B1, B3).
#![allow(non_snake_case)]

use super::event;
use super::stream::{self, Record};
use crate::event::AttemptId;
use crate::follow::dsh::{Active, Baseline, Event, Frame, Item, Snapshot, Window};
use crate::json::{Error, Limits, Notes, Reader, Wire, wire_object};

/// Reads the value of an item of `session/follow`. `Ok(None)` for an item that this version does not know.
///
/// # Errors
/// What does not fit, with its place; the item is then as good as lost.
pub fn read_item(value: &str) -> Result<Option<(Item, Notes)>, Error> {
    let mut r = Reader::new(value, Limits::default())?;
    let kind = r.tag("type")?.ok_or_else(|| r.missing("type"))?;
    let item = match &*kind {
        "assistant-stream" => field(&mut r, "frame", Frame::read).map(Item::Frame)?,
        "event" => field(&mut r, "event", event::read).map(Item::Event)?,
        "snapshot" => snapshot(&mut r).map(|snapshot| Item::Snapshot(Box::new(snapshot)))?,
        _ => return Ok(None),
    };
    r.end()?;
    Ok(Some((item, r.notes)))
}

/// Reads the value of an answer to `session/page`.
///
/// # Errors
/// As [`read_item`].
pub fn read_window(value: &str) -> Result<(Window, Notes), Error> {
    let mut r = Reader::new(value, Limits::default())?;
    let (mut events, mut has_more) = (None, false);
    r.object(|r, key| {
        match key {
            "records" => events = Some(records(r)?),
            "hasMore" => has_more = r.boolean()?,
            _ => r.skip()?,
        }
        Ok(())
    })?;
    let events = events.ok_or_else(|| r.missing("records"))?;
    Ok((Window { events, has_more }, r.notes))
}

/// The one field that matters of an object.
fn field<T>(r: &mut Reader<'_>, name: &'static str, read: fn(&mut Reader<'_>) -> Result<T, Error>) -> Result<T, Error> {
    let mut found = None;
    r.object(|r, key| {
        if key == name {
            found = Some(read(r)?);
            return Ok(());
        }
        r.skip()
    })?;
    found.ok_or_else(|| r.missing(name))
}

fn records(r: &mut Reader<'_>) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    r.array(|r| {
        events.push(field(r, "event", event::read)?);
        Ok(())
    })?;
    Ok(events)
}

fn snapshot(r: &mut Reader<'_>) -> Result<Snapshot, Error> {
    let (mut header, mut cursor, mut events, mut has_more) = (None, None, None, false);
    let (mut inbox, mut baseline) = (None, None);
    r.object(|r, key| {
        match key {
            "header" => header = Some(Header::read(r)?),
            "cursor" => cursor = Some(<Option<u64>>::read(r)?),
            "records" => events = Some(records(r)?),
            "hasMore" => has_more = r.boolean()?,
            "projections" => inbox = event::inbox(r.raw()?),
            "assistantStream" => baseline = Some(self::baseline(StreamState::read(r)?)),
            _ => r.skip()?,
        }
        Ok(())
    })?;
    // A host's header says much that does not matter here.
    r.notes.unknown_keys = 0;
    r.notes.first_unknown_key = None;
    match (header, cursor, events) {
        (Some(header), Some(cursor), Some(events)) => {
            let (session, version) = (header.id, header.version);
            Ok(Snapshot { session, version, cursor, events, has_more, inbox, baseline })
        }
        (None, ..) => Err(r.missing("header")),
        (_, None, _) => Err(r.missing("cursor")),
        (.., None) => Err(r.missing("records")),
    }
}

/// A stream that can't be expanded has no chunks, and so is not as long as it says.
fn baseline(state: StreamState) -> Baseline {
    let active = state.activeAttempt.map(|active| Active {
        attempt: active.attemptId,
        started_after: active.startedAfterSeq,
        turn: active.turn,
        step: active.step,
        next: active.nextIndex,
        chunks: stream::expand(active.stream).unwrap_or_default().into_iter().map(|timed| timed.chunk).collect(),
    });
    Baseline { revision: state.revision, active }
}

wire_object! {
    struct Header {
        id: String,
        version: u64,
    }
}

wire_object! {
    struct StreamState {
        revision: u64,
        activeAttempt: Option<ActiveAttempt> => optional,
    }
}

wire_object! {
    struct ActiveAttempt {
        attemptId: AttemptId,
        startedAfterSeq: Option<u64>,
        turn: u32,
        step: u32,
        nextIndex: u64,
        stream: Vec<Record>,
    }
}
