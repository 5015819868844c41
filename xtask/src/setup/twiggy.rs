//! twiggy, which says what a wasm module is made of.

use super::cache;
use crate::failure::Outcome;
use crate::run::Run;
use std::path::PathBuf;

const VERSION: &str = "0.8.0";

/// The program.
pub fn twiggy() -> Outcome<PathBuf> {
    let root = cache::ensure(&format!("twiggy-{VERSION}"), &format!("twiggy {VERSION} (one minute, once)"), |place| {
        Run::new("cargo").args(["install", "--quiet", "twiggy", "--version", VERSION, "--root"]).arg(place).run()
    })?;
    Ok(root.join("bin/twiggy"))
}
