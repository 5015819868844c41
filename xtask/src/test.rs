//! `cargo xtask test`: what CI runs, stage by stage. A stage that fails doesn't stop the others. `--hosts` runs what CI
//! does not: hosts that others ship.

mod cases;
mod counts;
mod hosts;
mod stages;

use crate::args::{Args, Takes};
use crate::failure::{Failure, Outcome};
use crate::run::seconds;
pub use cases::case_tests;
use counts::Counts;
use stages::{STAGES, Stage};
use std::fmt::Write;
use std::time::{Duration, Instant};

pub const USAGE: &str = "[--list] [--stage NAME…] [--peers] | --hosts [SCENARIO…]";

/// Runs the stages that were asked for, all of them by default, and prints one table at the end.
pub fn run(arguments: &[String]) -> Outcome {
    // Scenarios may follow the flag, or not.
    if let Some((_, scenarios)) = arguments.split_first().filter(|(first, _)| *first == "--hosts") {
        return hosts::run(scenarios);
    }
    let args =
        Args::parse(arguments, &[("--stage", Takes::Many), ("--peers", Takes::Nothing), ("--list", Takes::Nothing)])?;
    if args.has("--list") {
        for stage in STAGES {
            println!("{:<11} {}", stage.name, stage.what);
        }
        return Ok(());
    }
    let mut results = Vec::new();
    let mut names = args.all("--stage");
    if args.has("--peers") {
        names.push("peers");
    }
    for stage in chosen(&names)? {
        println!("\n━━ {}: {}", stage.name, stage.what);
        let start = Instant::now();
        let counts = (stage.run)().unwrap_or_else(|failure| {
            println!("   {} failed: {failure}", stage.name);
            Counts { passed: 0, failed: 1 }
        });
        results.push(Done { stage, counts, time: start.elapsed() });
    }
    print!("\n{}", table(&results));
    let total = total(&results);
    println!("\n{} passed, {} failed", total.passed, total.failed);
    if total.failed == 0 { Ok(()) } else { Err(Failure::Code(1)) }
}

struct Done {
    stage: &'static Stage,
    counts: Counts,
    time: Duration,
}

fn chosen(names: &[&str]) -> Outcome<Vec<&'static Stage>> {
    for name in names {
        if !STAGES.iter().any(|stage| stage.name == *name) {
            let known: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
            return Err(Failure::Usage(format!("there is no stage `{name}`; the stages are: {}", known.join(" "))));
        }
    }
    Ok(STAGES.iter().filter(|stage| names.is_empty() || names.contains(&stage.name)).collect())
}

fn total(results: &[Done]) -> Counts {
    results.iter().fold(Counts::default(), |sum, done| sum + done.counts)
}

fn table(results: &[Done]) -> String {
    let mut text = format!("{:<11} {:>7} {:>7} {:>13}\n", "stage", "passed", "failed", "time");
    let mut row = |name: &str, counts: Counts, time: Duration, what: &str| {
        let time = seconds(time);
        let _ = writeln!(text, "{name:<11} {:>7} {:>7} {time:>13}  {what}", counts.passed, counts.failed);
    };
    for done in results {
        row(done.stage.name, done.counts, done.time, done.stage.what);
    }
    row("all", total(results), results.iter().map(|done| done.time).sum(), "");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_run_in_the_order_of_the_table_whatever_order_they_are_asked_for_in() {
        let names = |asked: &[&str]| chosen(asked).map(|stages| stages.iter().map(|stage| stage.name).collect()).ok();
        let backwards: Vec<_> = STAGES.iter().rev().map(|stage| stage.name).collect();
        let forwards: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        assert_eq!(names(&backwards), Some(forwards.clone()));
        assert_eq!(names(&[]), Some(forwards));
        assert_eq!(names(&["core", "fmt"]), Some(vec!["fmt", "core"]));
    }

    #[test]
    fn a_stage_that_does_not_exist_is_a_usage_error() {
        assert!(matches!(chosen(&["core", "cor"]), Err(Failure::Usage(reason)) if reason.contains("`cor`")));
    }

    #[test]
    fn the_table_adds_up_what_the_stages_counted() {
        let done =
            |stage, passed, failed| Done { stage, counts: Counts { passed, failed }, time: Duration::from_secs(1) };
        let found = [(3, 1), (4, 0)];
        let results: Vec<_> =
            STAGES.iter().zip(found).map(|(stage, (passed, failed))| done(stage, passed, failed)).collect();
        assert_eq!(total(&results), Counts { passed: 7, failed: 1 });
        let text = table(&results);
        let last: Vec<_> = text.lines().last().into_iter().flat_map(str::split_whitespace).collect();
        assert_eq!(last, ["all", "7", "1", "2.0", "s"]);
    }
}
