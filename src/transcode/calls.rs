//! The ids of tool calls on the wire: unique per occurrence, where the provider's are unique only per batch (A3.4).

use super::response::Key;
use crate::event::{CallId, Position};
use std::collections::HashSet;

#[derive(Debug, Clone)]
struct Entry {
    id: CallId,
    response: Key,
    /// None while the call is only previewed.
    position: Option<Position>,
    wire: String,
}

/// All calls that were written.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    entries: Vec<Entry>,
    wires: HashSet<String>,
}

impl Calls {
    /// The wire id of a previewed call.
    pub fn preview(&mut self, id: &CallId, response: &Key) -> String {
        let known = self.entries.iter().rev().find(|e| e.id == *id && e.response == *response && e.position.is_none());
        match known {
            Some(entry) => entry.wire.clone(),
            None => self.add(id, response, None),
        }
    }

    /// The wire id of a committed call: its preview's, or a new one.
    pub fn commit(&mut self, id: &CallId, response: &Key, position: Position) -> String {
        if let Some(wire) = self.wire(position) {
            return wire.to_owned();
        }
        let previewed =
            self.entries.iter_mut().find(|e| e.id == *id && e.response == *response && e.position.is_none());
        match previewed {
            Some(entry) => {
                entry.position = Some(position);
                entry.wire.clone()
            }
            None => self.add(id, response, Some(position)),
        }
    }

    /// The wire id of the call at this position.
    pub fn wire(&self, position: Position) -> Option<&str> {
        self.entries.iter().rev().find(|e| e.position == Some(position)).map(|e| e.wire.as_str())
    }

    /// A preview is withdrawn, and with it the calls that only it had.
    pub fn withdraw(&mut self, response: &Key) {
        let wires = &mut self.wires;
        self.entries.retain(|e| {
            let stays = e.position.is_some() || e.response != *response;
            if !stays {
                wires.remove(&e.wire);
            }
            stays
        });
    }

    /// The response is known by another key now.
    pub fn rename(&mut self, from: &Key, to: &Key) {
        self.entries.iter_mut().filter(|e| e.response == *from).for_each(|e| e.response = to.clone());
    }

    fn add(&mut self, id: &CallId, response: &Key, position: Option<Position>) -> String {
        let mut wire = id.as_str().to_owned();
        let mut number = 1_u32;
        while !self.wires.insert(wire.clone()) {
            number = number.saturating_add(1);
            wire = format!("{id}#{number}");
        }
        self.entries.push(Entry { id: id.clone(), response: response.clone(), position, wire: wire.clone() });
        wire
    }
}
