//! The ids of tool calls on the wire: unique per occurrence, where the provider's are unique only per batch (A3.4).

use super::response::Key;
use crate::event::{CallId, Position};
use crate::names::Names;
use crate::text::{Shared, decimal, join};

#[derive(Debug, Clone)]
struct Entry {
    id: CallId,
    response: Key,
    /// None while the call is only previewed.
    position: Option<Position>,
    wire: Shared,
}

/// All calls that were written.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    entries: Vec<Entry>,
    wires: Names,
}

impl Calls {
    /// The wire id of a previewed call.
    pub fn preview(&mut self, id: &CallId, response: &Key) -> Shared {
        let known = self.entries.iter().rev().find(|e| e.id == *id && e.response == *response && e.position.is_none());
        match known {
            Some(entry) => Shared::clone(&entry.wire),
            None => self.add(id, response, None),
        }
    }

    /// The wire id of a committed call: its preview's, or a new one.
    pub fn commit(&mut self, id: &CallId, response: &Key, position: Position) -> Shared {
        if let Some(wire) = self.wire(position) {
            return Shared::clone(wire);
        }
        let previewed =
            self.entries.iter_mut().find(|e| e.id == *id && e.response == *response && e.position.is_none());
        match previewed {
            Some(entry) => {
                entry.position = Some(position);
                Shared::clone(&entry.wire)
            }
            None => self.add(id, response, Some(position)),
        }
    }

    /// The wire id of the call at this position.
    pub fn wire(&self, position: Position) -> Option<&Shared> {
        self.entries.iter().rev().find(|e| e.position == Some(position)).map(|e| &e.wire)
    }

    /// The provider's id of the call that has this id on the wire.
    pub fn id(&self, wire: &Shared) -> Shared {
        self.entries
            .iter()
            .find(|e| e.wire == *wire)
            .map_or_else(|| Shared::clone(wire), |e| Shared::clone(e.id.shared()))
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

    fn add(&mut self, id: &CallId, response: &Key, position: Option<Position>) -> Shared {
        let mut wire = Shared::clone(id.shared());
        let mut number = 1_u32;
        while self.wires.contains(&wire) {
            number = number.saturating_add(1);
            wire = Shared::from(&*join(&[id.as_str(), "#", &decimal(u64::from(number))]));
        }
        self.wires.insert(&wire, 0);
        self.entries.push(Entry { id: id.clone(), response: response.clone(), position, wire: Shared::clone(&wire) });
        wire
    }
}
