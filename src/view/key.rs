//! Render keys: unique in a view, and the same for a response before and after its commit (A2.2).

use crate::event::{Coordinate, MessageId, RunId};
use crate::follow::LaneId;
use crate::names::Names;
use crate::text::{Shared, decimal, join, push_decimal};

/// The key of an item.
pub(super) type Key = Shared;

/// The keys that are in use.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys(Names);

impl Keys {
    /// Takes this key or, where it is in use, one that the qualifier (with its number, if it has one) makes of it. A qualifier from committed truth
    /// makes the same key after a reload.
    pub fn claim(&mut self, wish: String, qualifier: &str, counted: Option<u64>) -> Key {
        let mut key = Key::from(&*wish);
        if !self.0.add(&key, 0) {
            let mut other = join(&[&wish, "#", qualifier, &counted.map(decimal).unwrap_or_default()]);
            key = Key::from(&*other);
            while !self.0.add(&key, 0) {
                other.push('#');
                key = Key::from(&*other);
            }
        }
        key
    }

    /// True when an item has this key.
    pub fn holds(&self, key: &str) -> bool {
        self.0.contains(key)
    }

    /// The item is gone.
    pub fn free(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// All items but those with these keys are gone.
    pub fn keep_only(&mut self, keys: impl Iterator<Item = Key>) {
        self.0.clear();
        keys.for_each(|key| self.0.insert(&key, 0));
    }
}

/// The key of a response, made of its coordinate on both sides.
pub(super) fn response(coordinate: &Coordinate) -> String {
    let Coordinate { run_id, step, response } = coordinate;
    numbered("assistant:", run_id.as_str(), &[u64::from(*step), u64::from(*response)])
}

/// The key of a message that is no response with a coordinate.
pub(super) fn message(id: &MessageId) -> String {
    numbered("message:", id.as_str(), &[])
}

/// The key of a lane whose stream says no coordinate.
pub(super) fn lane(run_id: &RunId, lane: LaneId) -> String {
    numbered("preview:", run_id.as_str(), &[u64::from(lane.0)])
}

/// The key of a boundary of a run.
pub(super) fn boundary(run_id: &RunId, seq: u64) -> String {
    numbered("run:", run_id.as_str(), &[seq])
}

/// The key of a result without a call.
pub(super) fn orphan(seq: u64, block: usize) -> String {
    join(&["result:", &decimal(seq), "/", &decimal(block as u64)])
}

/// A key of its parts, in one text that is made once: a long log has one for each of its rows.
fn numbered(kind: &str, id: &str, numbers: &[u64]) -> String {
    let mut key = String::with_capacity(kind.len() + id.len() + 8 * numbers.len());
    key.push_str(kind);
    key.push_str(id);
    for number in numbers {
        key.push('/');
        push_decimal(&mut key, *number);
    }
    key
}
