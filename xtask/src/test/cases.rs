//! The results of the tests whose names begin with a case's id, layer by layer.

use super::stages::{self, files_of};
use crate::cases::Result;
use crate::failure::Outcome;
use crate::run::Run;
use crate::{build, setup::wasm_std};

/// What Node's runner is asked for: names that begin with an id.
const PATTERN: &str = "--test-name-pattern=^[A-Za-z][0-9]{2}[ ,:]";

/// Runs them; `fast` leaves out the browser and the bundlers.
pub fn case_tests(fast: bool) -> Outcome<Vec<Result>> {
    let mut results = Vec::new();
    let cargo = Run::new("cargo").args(["test", "--package", "threadfold", "--lib", "--tests", "--no-fail-fast"]);
    results.extend(of_cargo(&cargo.tee()?.1));
    build::package(&wasm_std::toolchain()?)?;
    let node = |layer, run: Run, folder| -> Outcome<Vec<Result>> {
        let run = run.args(["--test", "--test-reporter=spec", "--test-concurrency=1", PATTERN]);
        Ok(of_node(layer, &run.args(files_of(folder)?).tee()?.1))
    };
    results.extend(node("node", Run::new("node"), "pkg/tests")?);
    if !fast {
        results.extend(node("Chromium", stages::with_browser()?, "www/tests")?);
        results.extend(node("packaging", stages::with_package()?, "tests/packaging")?);
    }
    Ok(results)
}

/// `test follow::tests::cases::r01_… ... ok`
fn of_cargo(output: &str) -> Vec<Result> {
    let tests = output.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    let result =
        |(test, verdict): (&str, &str)| Result { layer: "core", test: test.to_owned(), passed: verdict == "ok" };
    tests.map(result).collect()
}

/// `✔ N16: … (12.3ms)` and `✖ …`
fn of_node(layer: &'static str, output: &str) -> Vec<Result> {
    let mut results = Vec::new();
    for line in output.lines() {
        let line = line.trim_start();
        let (passed, rest) = match (line.strip_prefix("✔ "), line.strip_prefix("✖ ")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => continue,
        };
        let test = rest.rsplit_once(" (").map_or(rest, |(test, _)| test).to_owned();
        results.push(Result { layer, test, passed });
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_from_the_runners_own_output() {
        let cargo = of_cargo("running 2 tests\ntest a::r01_b ... ok\ntest a::r02_c ... FAILED\n");
        assert_eq!(cargo.iter().map(|result| result.passed).collect::<Vec<_>>(), [true, false]);
        let node = of_node("node", "✔ N16: one (two) (3.1ms)\n  ✖ N17: other (1ms)\nℹ pass 1\n");
        let told: Vec<_> = node.iter().map(|result| (result.test.as_str(), result.passed)).collect();
        assert_eq!(told, [("N16: one (two)", true), ("N17: other", false)]);
    }
}
