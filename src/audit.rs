//! The audit projection: a durable list of what happened to runs, for observation (A5).
//!
//! It never replaces the message log, never reconstructs a run, and is no second event API.

use crate::classify::classify_fact;
use crate::event::{PlacedFact, Position, RunId};
use crate::fold::Change;
use crate::json::{Raw, Wire, wire_object};

wire_object! {
    /// One audited Fact.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AuditRecord {
        /// The Fact's position, the record's identity.
        pub position: Position,
        /// The run.
        pub run_id: RunId,
        /// The Fact's type word, such as `run_started`.
        pub kind: String,
        /// The Fact as JSON, digit for digit.
        pub payload: Raw,
    }
}

/// The audit record of a Fact; None for a Fact that the audit leaves out.
pub fn project(placed: &PlacedFact) -> Option<AuditRecord> {
    classify_fact(&placed.fact).audit.then(|| AuditRecord {
        position: placed.position,
        run_id: placed.run_id.clone(),
        kind: placed.fact.kind().to_owned(),
        payload: Raw::from_writer(|w| placed.fact.write(w)),
    })
}

/// The audit records that these changes of a fold bring, in order. Amendments bring none: only calls are amended, and
/// calls are not audited.
pub fn project_changes(changes: &[Change]) -> Vec<AuditRecord> {
    changes
        .iter()
        .filter_map(|change| match change {
            Change::Add(placed) => project(placed),
            Change::Amend { .. } => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
