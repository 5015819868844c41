//! The fold against tables, field cases and laws.

mod cases;
mod incremental;
mod laws;
mod reference;
mod table;
mod threads;

use super::*;
use crate::event::{Fact, PlacedFact, Position};
use crate::json::{read, write};

/// Records from their wire form, one a line.
fn records(lines: &[&str]) -> Vec<Record> {
    lines.iter().map(|line| read(line).unwrap()).collect()
}

/// A Fact with its place on one line, as the tests write it.
fn line(position: Position, fact: &Fact) -> String {
    format!("{}.{} {}", position.seq, position.index, write(fact))
}

/// A change on one line.
fn change_line(change: &Change) -> String {
    match change {
        Change::Add(placed) => format!("add {}", line(placed.position, &placed.fact)),
        Change::Amend { position, fact } => format!("amend {}", line(*position, fact)),
    }
}

/// All Facts of a log, a line each.
fn facts(records: &[Record]) -> Vec<String> {
    fold(records).values().map(|placed| line(placed.position, &placed.fact)).collect()
}

/// The one Fact of a log that matches.
fn only(records: &[Record], matches: impl Fn(&PlacedFact) -> bool) -> PlacedFact {
    let mut found = fold(records).into_values().filter(matches);
    let fact = found.next().expect("a Fact that matches");
    assert_eq!(found.next(), None);
    fact
}
