//! The table of A5, which JavaScript reads too.

use super::*;
use crate::json::{read, write};
use serde_json::Value;
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const TABLE: &str = include_str!("../../tests/fixtures/classify.json");

#[test]
fn every_event_goes_where_the_table_says() {
    let table: Vec<Value> = serde_json::from_str(TABLE).unwrap();
    let mut kinds = BTreeSet::new();
    for case in &table {
        let event: AgentEvent = read(&case["event"].to_string()).unwrap();
        let route: Value = serde_json::from_str(&write(&classify(&event))).unwrap();
        assert_eq!(route, case["route"], "{}", case["event"]);
        kinds.insert(case["event"]["event"]["type"].as_str().unwrap());
    }
    assert_eq!(kinds.len(), 12, "{kinds:?}");
}
