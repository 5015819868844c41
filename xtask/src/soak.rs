//! `cargo xtask soak`: the simulator for as long as one likes, with the figures of all its schedules, and then every state
//! of a small world to its end.

use crate::args::{Args, Takes};
use crate::failure::{Failure, Outcome};
use crate::run::Run;

pub const USAGE: &str = "[--minutes N] [--seed N]";

/// Ten minutes by default, from a seed that the ordinary run does not reach.
pub fn run(arguments: &[String]) -> Outcome {
    let args = Args::parse(arguments, &[("--minutes", Takes::One), ("--seed", Takes::One)])?;
    let minutes = number(&args, "--minutes", 10)?;
    let seed = number(&args, "--seed", 10_000_000)?;
    let soak = simulator(&["--test", "sim"]).env("SIM_MINUTES", minutes.to_string()).env("SIM_SEED", seed.to_string());
    soak.args(["--", "--nocapture"]).run()?;
    simulator(&["--lib"]).env("SIM_EXPLORE", "whole").args(["--", "--nocapture", "explore"]).run()
}

/// Cargo's test command with the simulator's profile, which is optimised, and its count of rows.
pub fn simulator(targets: &[&str]) -> Run {
    let test = ["test", "--package", "threadfold", "--profile", "sim", "--features", "coverage"];
    Run::new("cargo").args(test).args(targets)
}

fn number(args: &Args, flag: &str, otherwise: u64) -> Outcome<u64> {
    match args.last(flag) {
        None => Ok(otherwise),
        Some(text) => text.parse().map_err(|_| Failure::Usage(format!("{flag} takes a number, not `{text}`"))),
    }
}
