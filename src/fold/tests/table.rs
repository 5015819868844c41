//! Every rule of A2 to A4 as a row of the table that JavaScript reads too; its Facts were written by hand.

use super::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const TABLE: &str = include_str!("../../../tests/fixtures/fold.json");

fn value<T: crate::json::Wire>(wire: &T) -> Value {
    serde_json::from_str(&write(wire)).unwrap()
}

#[test]
fn every_case_of_the_table_folds_to_what_was_written_by_hand() {
    let table: Vec<Value> = serde_json::from_str(TABLE).unwrap();
    for case in &table {
        let name = format!("{} ({})", case["name"].as_str().unwrap(), case["rule"].as_str().unwrap());
        let windowed = case.get("windowed").is_some_and(|windowed| windowed == true);
        let mut state = if windowed { Fold::windowed() } else { Fold::new() };
        let mut map = BTreeMap::new();
        for record in case["records"].as_array().unwrap() {
            let record: Record = read(&record.to_string()).unwrap_or_else(|error| panic!("{name}: {error}"));
            state.append(&record).iter().for_each(|change| change.apply(&mut map));
        }
        let folded: Vec<Value> = map.values().map(value).collect();
        assert_eq!(Value::from(folded), case["facts"], "{name}");
        let anomalies: Vec<Value> = state.anomalies().iter().map(value).collect();
        assert_eq!(Value::from(anomalies), case["anomalies"], "{name}");
        let partial: Vec<Value> =
            state.runs().filter(|run| run.partial).map(|run| Value::from(run.run_id.as_str())).collect();
        assert_eq!(
            Value::from(partial),
            case.get("partial").cloned().unwrap_or_else(|| Value::from(vec![0; 0])),
            "{name}"
        );
    }
}

#[test]
fn the_table_reads_back_as_placed_facts() {
    let table: Vec<Value> = serde_json::from_str(TABLE).unwrap();
    for fact in table.iter().flat_map(|case| case["facts"].as_array().unwrap()) {
        let placed: PlacedFact = read(&fact.to_string()).unwrap();
        assert_eq!(value(&placed), *fact);
    }
}

#[test]
fn the_table_covers_every_rule_and_every_kind_of_fact() {
    let table: Vec<Value> = serde_json::from_str(TABLE).unwrap();
    let rules: BTreeSet<&str> = table.iter().map(|case| case["rule"].as_str().unwrap()).collect();
    for rule in ["A2.2", "A2.3", "A3.1", "A3.2", "A3.3", "A3.4", "A3.5", "A3.6", "A3.7", "A4"] {
        assert!(rules.contains(rule), "{rule}");
    }
    let kinds: BTreeSet<&str> = table
        .iter()
        .flat_map(|case| case["facts"].as_array().unwrap())
        .map(|placed| placed["fact"]["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.len(), 9, "{kinds:?}");
}
