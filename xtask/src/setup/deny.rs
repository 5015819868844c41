//! cargo-deny, which checks licences, bans and sources against `deny.toml`.

use super::cache;
use crate::failure::Outcome;
use crate::run::Run;
use std::path::PathBuf;

const VERSION: &str = "0.20.2";

/// The program.
pub fn cargo_deny() -> Outcome<PathBuf> {
    let what = format!("cargo-deny {VERSION} (two to three minutes, once)");
    let root = cache::ensure(&format!("cargo-deny-{VERSION}"), &what, |place| {
        let install = ["install", "--quiet", "--locked", "cargo-deny", "--version", VERSION, "--root"];
        Run::new("cargo").args(install).arg(place).run()
    })?;
    Ok(root.join("bin/cargo-deny"))
}
