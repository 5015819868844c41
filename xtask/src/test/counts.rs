//! Reads from the runners' own output how many tests passed and failed.

use std::ops::Add;
use std::process::ExitStatus;

/// Tests, or checks that are one thing each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that passed.
    pub passed: u64,
    /// Those that failed, or a runner that broke.
    pub failed: u64,
}

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl Counts {
    /// One check that passed: formatting, lints, licences.
    pub const CHECK: Counts = Counts { passed: 1, failed: 0 };

    /// From cargo's test output, of native runners and of wasm-bindgen's: the sum over
    /// `test result: ok. 2 passed; 0 failed; …`.
    pub fn of_cargo(output: &str) -> Counts {
        let results = output.lines().filter_map(|line| line.trim_start().strip_prefix("test result: "));
        results.map(|result| Counts { passed: before(result, "passed"), failed: before(result, "failed") }).sum()
    }

    /// From the last line of the damaged replays: `8412 variants held, 0 failed`.
    pub fn of_replays(output: &str) -> Counts {
        let last = output.lines().last().unwrap_or_default();
        Counts { passed: before(last, "variants"), failed: before(last, "failed") }
    }

    /// From the summary of Node's test runner: `ℹ pass 3`, `ℹ fail 0`, `ℹ cancelled 0`.
    pub fn of_node(output: &str) -> Counts {
        let mut counts = Counts::default();
        for line in output.lines() {
            let Some((word, number)) = line.strip_prefix("ℹ ").and_then(|line| line.split_once(' ')) else {
                continue;
            };
            let number = number.trim().parse().unwrap_or(0);
            match word {
                "pass" => counts.passed += number,
                "fail" | "cancelled" => counts.failed += number,
                _ => {}
            }
        }
        counts
    }

    /// A runner that ended badly without naming a failed test has failed all the same, and so has one that ran none.
    pub fn checked(self, status: ExitStatus) -> Counts {
        let silent_failure = self.failed == 0 && (!status.success() || self.passed == 0);
        self + Counts { passed: 0, failed: u64::from(silent_failure) }
    }
}

impl std::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(counts: I) -> Counts {
        counts.fold(Counts::default(), Counts::add)
    }
}

/// The number before a word: `before("ok. 2 passed; 1 failed", "failed")` is 1.
fn before(text: &str, word: &str) -> u64 {
    let words: Vec<_> = text.split([' ', ';']).collect();
    let pair = words.windows(2).find(|pair| pair.last() == Some(&word));
    pair.and_then(|pair| pair.first()).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn cargos_results_are_added_up_over_all_binaries() {
        let output = "running 2 tests\ntest a ... ok\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.08s\n\
            test result: FAILED. 11 passed; 3 failed; 0 ignored; 0 filtered out; finished in 0.01s\n\
            test says_7_passed_in_its_name ... ok\n";
        assert_eq!(Counts::of_cargo(output), Counts { passed: 13, failed: 3 });
    }

    #[test]
    fn nodes_summary_counts_cancelled_tests_as_failed() {
        let output = "✔ pass 9 (1ms)\nℹ tests 6\nℹ suites 0\nℹ pass 3\nℹ fail 2\nℹ cancelled 1\nℹ skipped 0\n";
        assert_eq!(Counts::of_node(output), Counts { passed: 3, failed: 3 });
    }

    #[test]
    fn the_replays_last_line_counts() {
        let output = "       3  a row\n{\"variants\":9}\n10642 variants held, 2 failed\n";
        assert_eq!(Counts::of_replays(output), Counts { passed: 10642, failed: 2 });
    }

    #[test]
    fn a_runner_that_broke_or_ran_nothing_has_failed() {
        let (good, bad) = (ExitStatus::from_raw(0), ExitStatus::from_raw(256));
        let counts = |passed, failed| Counts { passed, failed };
        assert_eq!(counts(2, 0).checked(good), counts(2, 0));
        assert_eq!(counts(2, 0).checked(bad), counts(2, 1));
        assert_eq!(counts(2, 1).checked(bad), counts(2, 1));
        assert_eq!(counts(0, 0).checked(good), counts(0, 1));
    }
}
