//! `cargo xtask cases`: which test shows each of the cases from the field, generated from the tests' results.
//!
//! A test shows the cases that its name begins with (`h03_h04_every_pause…`, `N16 N14: …`), in whatever layer it runs.
//! With `--list` nothing runs, and what the tests' sources name is told.

use crate::args::{Args, Takes};
use crate::failure::{Failure, Outcome};
use crate::test::case_tests;
use std::collections::BTreeMap;

pub const USAGE: &str = "[--fast]";

/// All cases; those of sharing between tabs are for later.
const CASES: &[(char, &[u8])] = &[
    ('R', &[1, 2, 4, 5, 7, 9, 10, 12, 14, 15, 17, 18]),
    ('S', &[1, 3, 5, 6, 7, 9, 11, 12, 14]),
    ('I', &[1, 3, 5, 6]),
    ('T', &[1, 2, 4, 6, 8, 9]),
    ('E', &[1, 3, 4, 5, 7, 9, 11, 12]),
    ('C', &[1, 2, 3, 5, 7, 9, 10, 11, 13, 14, 15, 17, 18]),
    ('B', &[1, 2, 4, 6, 7, 8, 10, 12, 14]),
    ('N', &[1, 3, 5, 6, 8, 9, 10, 12, 14, 16, 17, 19, 20, 22, 23]),
    ('H', &[1, 3, 4, 6]),
    ('P', &[1, 2, 4, 5, 7, 8]),
    ('W', &[1, 3, 5, 7, 8, 10, 11, 13, 14, 15, 17, 18]),
];
const LATER: &[&str] = &["N05", "N06", "N20", "N22"];

/// A test, its layer and whether it passed.
pub struct Result {
    pub layer: &'static str,
    pub test: String,
    pub passed: bool,
}

/// Runs the tests that name cases, and prints a line for each case. `--fast` leaves out the browser and the bundlers.
pub fn run(arguments: &[String]) -> Outcome {
    let args = Args::parse(arguments, &[("--fast", Takes::Nothing)])?;
    let mut shown: BTreeMap<String, Vec<Result>> = BTreeMap::new();
    for result in case_tests(args.has("--fast"))? {
        for id in ids(&result.test) {
            let Result { layer, passed, ref test } = result;
            shown.entry(id).or_default().push(Result { layer, passed, test: test.clone() });
        }
    }
    let (mut passed, mut later, mut open) = (0, 0, 0);
    println!();
    for (letter, numbers) in CASES {
        for number in *numbers {
            let id = format!("{letter}{number:02}");
            let results = shown.get(&id).map(Vec::as_slice).unwrap_or_default();
            // One that failed says more than those that passed.
            let result = results.iter().find(|result| !result.passed).or(results.first());
            match result {
                Some(Result { passed: true, layer, test }) => {
                    passed += 1;
                    println!("{id} pass {layer} {test}");
                }
                Some(Result { layer, test, .. }) => {
                    open += 1;
                    println!("{id} FAIL {layer} {test}");
                }
                None if LATER.contains(&id.as_str()) => {
                    later += 1;
                    println!("{id} later");
                }
                None => {
                    open += 1;
                    println!("{id} open");
                }
            }
        }
    }
    println!("\n{} cases: {passed} pass, {later} later, {open} open or failed", passed + later + open);
    if open == 0 { Ok(()) } else { Err(Failure::Code(1)) }
}

/// The ids that a test's name begins with.
fn ids(test: &str) -> Vec<String> {
    let name = test.rsplit("::").next().unwrap_or(test);
    let words = name.split(|separator: char| !separator.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_uppercase).take_while(|word| is_id(word)).collect()
}

fn is_id(word: &str) -> bool {
    let mut characters = word.chars();
    word.len() == 3
        && characters.next().is_some_and(|letter| CASES.iter().any(|(known, _)| *known == letter))
        && characters.all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_98_cases_and_a_name_says_which_it_shows() {
        assert_eq!(CASES.iter().map(|(_, numbers)| numbers.len()).sum::<usize>(), 98);
        assert_eq!(ids("fold::tests::h03_h04_every_pause_is_r01_told"), ["H03", "H04"]);
        assert_eq!(ids("N16, N14: connect, close and a new client"), ["N16", "N14"]);
        assert_eq!(ids("a_name_without_b01"), Vec::<String>::new());
    }
}
