//! What a record changes in the map of Facts, and the map itself (A3.8).

use super::Fold;
use crate::event::{Fact, PlacedFact, Position};
use crate::sorted::Sorted;
use crate::thread::Record;
use std::collections::BTreeMap;

/// One change of the Facts. A replaced log has no change of its own: whoever replaces it starts a new [`Fold`] and
/// forgets the old Facts.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A new Fact; each position comes once, and positions ascend.
    Add(PlacedFact),
    /// The Fact at this position reads so from now on. Only a call's disposition is ever amended.
    Amend {
        /// The place of the Fact.
        position: Position,
        /// The whole Fact as it reads now.
        fact: Fact,
    },
}

impl Change {
    /// Applies the change to Facts in order of position, as [`Change::apply`] does to a map.
    pub(crate) fn apply_sorted(self, facts: &mut Sorted<Position, PlacedFact>) {
        match self {
            Self::Add(placed) => {
                facts.insert(placed.position, placed);
            }
            Self::Amend { position, fact } => {
                if let Some(placed) = facts.get_mut(&position) {
                    placed.fact = fact;
                }
            }
        }
    }

    /// Applies the change to a map of Facts. An amendment of a Fact that the map does not hold does nothing.
    pub fn apply(&self, facts: &mut BTreeMap<Position, PlacedFact>) {
        match self {
            Self::Add(placed) => {
                facts.insert(placed.position, placed.clone());
            }
            Self::Amend { position, fact } => {
                if let Some(placed) = facts.get_mut(position) {
                    placed.fact = fact.clone();
                }
            }
        }
    }
}

/// The cold fold: all Facts of a log that begins with these records (A3).
pub fn fold(records: &[Record]) -> BTreeMap<Position, PlacedFact> {
    let mut state = Fold::new();
    let mut facts = BTreeMap::new();
    for change in records.iter().flat_map(|record| state.append(record)) {
        change.apply(&mut facts);
    }
    facts
}

/// The cold fold as a list in order of position: [`fold`] for whoever needs no map.
pub fn facts<'a>(mut state: Fold, records: impl IntoIterator<Item = &'a Record>) -> Vec<PlacedFact> {
    let mut facts = Sorted::default();
    for change in records.into_iter().flat_map(|record| state.append(record)) {
        change.apply_sorted(&mut facts);
    }
    facts.into_values().collect()
}
