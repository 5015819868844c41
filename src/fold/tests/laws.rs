//! The laws of A3.8 over random threads.

use super::reference::fold_slowly;
use super::threads::thread;
use super::*;
use crate::audit;
use crate::event::{Disposition, Epoch, RunId};
use crate::thread::Log;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

type Facts = BTreeMap<Position, PlacedFact>;

fn changes(state: &mut Fold, records: &[Record]) -> Vec<Change> {
    records.iter().flat_map(|record| state.append(record)).collect()
}

fn applied(changes: &[Change]) -> Facts {
    let mut map = Facts::new();
    changes.iter().for_each(|change| change.apply(&mut map));
    map
}

fn runs(records: &[Record]) -> BTreeSet<RunId> {
    records.iter().filter_map(|record| record.run_id().cloned()).collect()
}

fn is_terminal(fact: &Fact) -> bool {
    matches!(fact, Fact::RunFinished { .. } | Fact::RunFailed { .. })
}

proptest! {
    #[test]
    fn at_every_prefix_the_applied_changes_are_what_a_slow_cold_reading_gives(records in thread()) {
        let mut state = Fold::new();
        let mut map = Facts::new();
        for upto in 0..records.len() {
            state.append(&records[upto]).iter().for_each(|change| change.apply(&mut map));
            prop_assert_eq!(&map, &fold_slowly(&records[..=upto]), "after record {}", upto);
        }
        prop_assert_eq!(map, fold(&records));
    }

    #[test]
    fn pages_that_overlap_or_come_twice_change_nothing(records in thread(), page in 1..7_usize, back in 0..7_usize) {
        let mut log = Log::new(Epoch::from("e"));
        let mut state = Fold::new();
        let mut map = Facts::new();
        for start in (0..records.len()).step_by(page) {
            let again = records[start.saturating_sub(back)..records.len().min(start + page)].to_vec();
            for records in [again.clone(), again] {
                for record in log.join(records).applied {
                    state.append(&record).iter().for_each(|change| change.apply(&mut map));
                }
            }
        }
        prop_assert_eq!(map, fold(&records));
        prop_assert!(state.anomalies().iter().all(|anomaly| anomaly.code != AnomalyCode::OutOfOrder));
    }

    #[test]
    fn records_that_the_fold_had_change_nothing(records in thread()) {
        let mut state = Fold::new();
        changes(&mut state, &records);
        prop_assert_eq!(changes(&mut state, &records), Vec::new());
    }

    #[test]
    fn positions_ascend_and_each_is_added_once(records in thread(), windowed in any::<bool>()) {
        let mut state = if windowed { Fold::windowed() } else { Fold::new() };
        let added: Vec<Position> = changes(&mut state, &records)
            .into_iter()
            .filter_map(|change| match change {
                Change::Add(placed) => Some(placed.position),
                Change::Amend { .. } => None,
            })
            .collect();
        prop_assert!(added.is_sorted_by(|a, b| a < b), "{:?}", added);
    }

    #[test]
    fn only_the_disposition_of_a_call_is_ever_amended_and_never_to_what_it_was(records in thread()) {
        let mut map = Facts::new();
        for change in changes(&mut Fold::new(), &records) {
            if let Change::Amend { position, fact } = &change {
                let before = map.get(position).map(|placed| placed.fact.clone());
                let (
                    Some(Fact::ToolCall { id, name, input, disposition }),
                    Fact::ToolCall { id: new_id, name: new_name, input: new_input, disposition: new },
                ) = (before, fact)
                else {
                    return Err(TestCaseError::fail(format!("amended {fact:?}")));
                };
                prop_assert_eq!((&id, &name, &input), (new_id, new_name, new_input));
                prop_assert_ne!(disposition, *new);
                prop_assert!(!matches!(disposition, Disposition::Executed | Disposition::Unresolved));
            }
            change.apply(&mut map);
        }
    }

    #[test]
    fn a_run_ends_once_and_only_by_its_ended_row(records in thread()) {
        let facts = fold(&records);
        for run in runs(&records) {
            let ends: Vec<u64> =
                facts.values().filter(|placed| placed.run_id == run && is_terminal(&placed.fact)).map(|placed| placed.position.seq).collect();
            let ended: Vec<u64> = records
                .iter()
                .filter(|record| matches!(record, Record::Run(row) if row.run_id == run && row.state.is_ended()))
                .map(Record::seq)
                .take(1)
                .collect();
            prop_assert_eq!(ends, ended);
        }
    }

    #[test]
    fn what_other_runs_commit_in_between_changes_nothing_of_a_run(records in thread()) {
        let all = fold(&records);
        for run in runs(&records) {
            let alone: Vec<Record> = records.iter().filter(|record| record.run_id() == Some(&run)).cloned().collect();
            let of_run: Facts = all.iter().filter(|(_, placed)| placed.run_id == run).map(|(at, placed)| (*at, placed.clone())).collect();
            prop_assert_eq!(fold(&alone), of_run);
        }
    }

    #[test]
    fn a_window_moves_no_position_and_lacks_only_what_unread_rows_tell(records in thread(), cut in 0..40_usize) {
        let start = cut.min(records.len());
        let (unread, window) = records.split_at(start);
        let over: BTreeSet<&RunId> = unread
            .iter()
            .filter_map(|record| match record {
                Record::Run(row) if row.state.is_ended() => Some(&row.run_id),
                Record::Run(_) | Record::Message(_) | Record::Aside(_) => None,
            })
            .collect();
        // What a run yields after its end is an anomaly that a window can't tell; which call a result answers and
        // which response a plain id is may be written in rows that are unread.
        let comparable = |facts: Facts| -> BTreeMap<Position, (RunId, Fact)> {
            facts
                .into_iter()
                .filter(|(at, placed)| at.seq >= start as u64 && !over.contains(&placed.run_id))
                .map(|(at, placed)| (at, (placed.run_id, placed.fact)))
                .collect()
        };
        let mut state = Fold::windowed();
        let seen = comparable(applied(&changes(&mut state, window)));
        let whole = comparable(fold(&records));
        for (at, fact) in &seen {
            prop_assert_eq!(whole.get(at), Some(fact), "{:?}", at);
        }
        for at in whole.keys().filter(|at| !seen.contains_key(at)) {
            prop_assert_eq!(at.index, 0);
            let run = whole.get(at).and_then(|(run, _)| state.run(run)).unwrap();
            prop_assert!(run.partial && run.first_seq == at.seq, "{:?} of {:?}", at, run);
        }
    }

    #[test]
    fn a_log_that_is_read_whole_has_no_partial_run_in_a_window_either(records in thread()) {
        let mut state = Fold::windowed();
        let seen = applied(&changes(&mut state, &records));
        prop_assert!(state.runs().all(|run| !run.partial));
        prop_assert_eq!(seen, fold(&records));
    }

    #[test]
    fn the_audit_holds_the_starts_waits_goings_on_and_ends_in_order(records in thread()) {
        let audited: Vec<(Position, String, String)> = audit::project_changes(&changes(&mut Fold::new(), &records))
            .into_iter()
            .map(|record| (record.position, record.kind, record.payload.as_str().to_owned()))
            .collect();
        let expected: Vec<(Position, String, String)> = fold_slowly(&records)
            .into_values()
            .filter(|placed| {
                matches!(placed.fact.kind(), "run_started" | "awaiting" | "continuation" | "run_finished" | "run_failed")
            })
            .map(|placed| (placed.position, placed.fact.kind().to_owned(), write(&placed.fact)))
            .collect();
        prop_assert_eq!(audited, expected);
    }
}
