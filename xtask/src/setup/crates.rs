//! Programs of others that are built from the crate registry.

use super::cache;
use crate::failure::Outcome;
use crate::run::Run;
use std::path::PathBuf;

/// cargo-fuzz, which builds the targets and starts them.
pub fn cargo_fuzz() -> Outcome<PathBuf> {
    program("cargo-fuzz", "0.13.2")
}

/// cargo-mutants, which changes the code a little and sees whether a test notices.
pub fn cargo_mutants() -> Outcome<PathBuf> {
    program("cargo-mutants", "27.1.0")
}

/// cargo-deny, which checks licences, bans and sources against `deny.toml`.
pub fn cargo_deny() -> Outcome<PathBuf> {
    program("cargo-deny", "0.20.2")
}

/// Mozilla's driver for Firefox.
pub fn geckodriver() -> Outcome<PathBuf> {
    program("geckodriver", "0.37.1")
}

fn program(name: &str, version: &str) -> Outcome<PathBuf> {
    let key = format!("{name}-{version}");
    let root = cache::ensure(&key, &format!("{name} {version} (two to three minutes, once)"), |place| {
        let install = ["install", "--quiet", "--locked", name, "--version", version, "--root"];
        // A release profile optimises for long use and takes half as long again to compile.
        Run::new("cargo")
            .args(install)
            .arg(place)
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .run()
    })?;
    Ok(root.join("bin").join(name))
}
