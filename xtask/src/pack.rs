//! `cargo xtask pack`: the npm packages as they would be published, with the size of each file in them.

use crate::args::Args;
use crate::failure::Outcome;
use crate::run::Run;
use crate::setup::wasm_std;
use crate::{build, layout};
use std::path::PathBuf;

pub const USAGE: &str = "";

/// Builds and packs; `npm publish` takes the tarballs.
pub fn run(arguments: &[String]) -> Outcome {
    Args::parse(arguments, &[])?;
    tarball().map(drop)
}

/// Builds the package and packs it, and the conformance kit beside it.
pub fn tarball() -> Outcome<PathBuf> {
    build::package(&wasm_std::toolchain()?)?;
    let out = layout::target().join("pack");
    Run::new("node").arg("xtask/scripts/pack.mjs").arg(layout::root()).arg(&out).run()?;
    Ok(out.join("threadfold.tgz"))
}
