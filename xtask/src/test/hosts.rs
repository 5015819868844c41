//! `cargo xtask test --hosts`: Chromium on real hosts that others ship, installed from their packages. CI doesn't run it.
//!
//! The scenarios are `www/tests/hosts/run.mjs`. It is given `CHROME` (Chromium) and `THREADFOLD_DSH` (the dsh host's
//! program) in its environment and names of scenarios as its arguments, all without any; it prints one table, and its
//! exit code is this command's.

use crate::build;
use crate::failure::{Failure, Outcome};
use crate::run::Run;
use crate::setup::{browser, dsh, npm, wasm_std};

/// Runs the scenarios.
pub fn run(scenarios: &[String]) -> Outcome {
    if let Some(flag) = scenarios.iter().find(|scenario| scenario.starts_with("--")) {
        return Err(Failure::Usage(format!("unknown argument `{flag}`; after --hosts come names of scenarios")));
    }
    let program = dsh::program()?;
    build::package(&wasm_std::toolchain()?)?;
    npm::packages()?;
    let node = Run::new("node").env("CHROME", browser::browser()?.chrome).env("THREADFOLD_DSH", program);
    let status = node.arg("www/tests/hosts/run.mjs").args(scenarios).status()?;
    if status.success() { Ok(()) } else { Err(Failure::Code(1)) }
}
