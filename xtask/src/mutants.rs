//! `cargo xtask mutants --minutes N`: the unit tests, judged by whether they notice small changes of the code.
//!
//! cargo-mutants changes one place of `fold`, `follow`, `preview` or `json` at a time and runs the unit tests natively:
//! first those that take no time, which notice nearly all, then on what they let live the long ones too. What was caught is kept in `target/mutants/` and not tried again, so that several runs get through all of it, as do
//! shards on several machines. A mutant that survives and is not in `tests/mutants.txt` with its reason is a hole in the
//! tests.

use crate::args::{Args, Takes};
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::Run;
use crate::setup::crates;
use std::fs;
use std::time::Instant;

pub const USAGE: &str = "--minutes N [--jobs N] [--shard K/N] [--in MODULE…]";

const MODULES: &[&str] = &["fold", "follow", "preview", "json"];
/// Survivors that are no hole in the tests, each with its reason.
const KNOWN: &str = "tests/mutants.txt";

/// Tests that take longer than the others together, by parts of their names.
const LONG: &[&str] = &["floods", "hostile", "law", "schedules", "sse::tests"];
/// It takes minutes and belongs to the simulator.
const EXPLORATION: &[&str] = &["explore"];

/// Tries mutants for so many minutes, and names those that survived without a reason.
pub fn run(arguments: &[String]) -> Outcome {
    let args = Args::parse(
        arguments,
        &[("--minutes", Takes::One), ("--jobs", Takes::One), ("--shard", Takes::One), ("--in", Takes::Many)],
    )?;
    let minutes = args.last("--minutes").ok_or_else(|| Failure::Usage("mutants needs --minutes N".to_owned()))?;
    let minutes: u64 =
        minutes.parse().map_err(|_| Failure::Usage(format!("--minutes takes a number, not `{minutes}`")))?;
    let jobs = args.last("--jobs").unwrap_or("1");
    let modules = args.all("--in");
    if let Some(other) = modules.iter().find(|module| !MODULES.contains(module)) {
        return Err(Failure::Usage(format!("`{other}` is none of {}", MODULES.join(" "))));
    }
    let place = layout::target().join("mutants");
    fs::create_dir_all(&place).context(format!("making {}", place.display()))?;
    let shard = args.last("--shard");
    let modules: Vec<String> = MODULES
        .iter()
        .filter(|module| modules.is_empty() || modules.contains(module))
        .map(|module| format!("src/{module}/**"))
        .collect();
    let try_out = |seconds: u64, patience: &str, only: &[String], skipped: &[&str]| -> Outcome {
        let mut run = Run::new("timeout")
            // cargo-mutants writes down what it knows when it is interrupted.
            .args(["--signal=INT", "--kill-after=60", &seconds.to_string(), "nice", "-n", "19"])
            .arg(crates::cargo_mutants()?)
            .args(["mutants", "--package", "threadfold", "--iterate", "--no-times", "--baseline", "skip"])
            // Nothing but the unit tests is built for a mutant, and no mutant may hang for long.
            .args(["--cargo-arg=--lib", "--profile", "mutant", "--build-timeout", "600", "--timeout", patience])
            .args(["--jobs", jobs, "--output"])
            .arg(&place);
        for module in &modules {
            run = run.args(["--file", module]);
        }
        for mutant in only {
            run = run.args(["--re", mutant]);
        }
        // The survivors are of the shard.
        if let Some(shard) = shard.filter(|_| only.is_empty()) {
            run = run.args(["--shard", shard]);
        }
        run = run.args(["--", "--"]);
        for test in skipped {
            run = run.args(["--skip", test]);
        }
        run.status().map(drop)
    };
    let began = Instant::now();
    let left = || (minutes * 60).saturating_sub(began.elapsed().as_secs()).max(1);
    // What lives is tried again in the rest of the time.
    try_out(minutes * 60 * 4 / 5, "20", &[], &[LONG, EXPLORATION].concat())?;
    let survivors = fs::read_to_string(place.join("mutants.out/missed.txt")).unwrap_or_default();
    if !survivors.is_empty() {
        let only: Vec<String> = survivors.lines().map(exactly).collect();
        try_out(left(), "90", &only, EXPLORATION)?;
    }
    let told = |name: &str| fs::read_to_string(place.join("mutants.out").join(name)).unwrap_or_default();
    let known = fs::read_to_string(layout::root().join(KNOWN)).context(format!("reading {KNOWN}"))?;
    let (missed, caught) = (told("missed.txt"), told("caught.txt"));
    let caught =
        caught.lines().count() + told("previously_caught.txt").lines().count() + told("timeout.txt").lines().count();
    let holes = without_reason(&missed, &known);
    println!(
        "\n{caught} mutants caught so far or no programs at all, {} survived in this run, of them {} without a reason",
        missed.lines().count(),
        holes.len()
    );
    holes.iter().for_each(|hole| println!("   {hole}"));
    if holes.is_empty() { Ok(()) } else { Err(Failure::Code(1)) }
}

/// A mutant's name as an expression that matches nothing else.
fn exactly(mutant: &str) -> String {
    let mut escaped = String::new();
    for c in mutant.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    format!("^{escaped}$")
}

/// The mutants that are not in the list. Its lines are a mutant as cargo-mutants names it, without line and column, then
/// a reason behind ` -- `.
fn without_reason<'a>(missed: &'a str, known: &str) -> Vec<&'a str> {
    let known: Vec<&str> = known.lines().filter_map(|line| line.split_once(" -- ")).map(|(mutant, _)| mutant).collect();
    missed.lines().filter(|mutant| !known.contains(&without_place(mutant).as_str())).collect()
}

/// `src/a.rs:12:3: replace x with y` gives `src/a.rs: replace x with y`, which lasts.
fn without_place(mutant: &str) -> String {
    let mut parts = mutant.splitn(4, ':');
    let (file, what) = (parts.next().unwrap_or_default(), parts.nth(2).unwrap_or_default());
    format!("{file}:{what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_matched_as_it_stands() {
        assert_eq!(exactly("src/a.rs:1:2: replace f -> T with ()"), r"^src/a\.rs:1:2: replace f -> T with \(\)$");
    }

    #[test]
    fn a_survivor_is_known_by_its_name_and_not_by_its_line() {
        let missed = "src/a.rs:1:2: replace f -> bool with true\nsrc/a.rs:9:2: replace g with ()\n";
        let known = "# why\nsrc/a.rs: replace f -> bool with true -- it only saves time\n";
        assert_eq!(without_reason(missed, known), ["src/a.rs:9:2: replace g with ()"]);
    }
}
