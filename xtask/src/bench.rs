//! `cargo xtask bench`: threadfold beside its peers, and what must not grow; `--gate` counts instructions.

mod gate;

use crate::args::{Args, Takes};
use crate::build;
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::Run;
use crate::setup::{browser, npm, wasm_std};
use std::fs;

pub const USAGE: &str = "[--quick] [--only CASE…] [--rounds N] [--where PLACE…] | --gate [--accept]";

const FLAGS: &[(&str, Takes)] = &[
    ("--quick", Takes::Nothing),
    ("--only", Takes::Many),
    ("--rounds", Takes::One),
    ("--where", Takes::Many),
    ("--gate", Takes::Nothing),
    ("--accept", Takes::Nothing),
];

/// Installs what is needed, builds the package, measures.
pub fn run(arguments: &[String]) -> Outcome {
    let args = Args::parse(arguments, FLAGS)?;
    if args.has("--gate") {
        return gate::run(args.has("--accept"));
    }
    if args.has("--accept") {
        return Err(Failure::Usage("--accept goes with --gate".to_owned()));
    }
    let places = args.all("--where");
    if let Some(place) = places.iter().find(|place| !["node", "chromium"].contains(place)) {
        return Err(Failure::Usage(format!("--where takes node and chromium, not `{place}`")));
    }
    if let Some(rounds) = args.last("--rounds").filter(|rounds| rounds.parse::<u32>().is_err()) {
        return Err(Failure::Usage(format!("--rounds takes a number, not `{rounds}`")));
    }
    npm::packages()?;
    npm::packages_of(&layout::root().join("bench"))?;
    build::package(&wasm_std::toolchain()?)?;
    fs::create_dir_all(layout::target()).context("making the target folder")?;
    Run::new("node")
        .args(["--no-warnings", "bench/main.mjs"])
        .args(arguments)
        .env("CHROME", browser::browser()?.chrome)
        .env("BENCH_OUT", layout::target())
        .run()
}
