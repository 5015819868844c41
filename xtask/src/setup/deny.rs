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
        // Its own release profile optimises for long use and takes half as long again to compile.
        Run::new("cargo")
            .args(install)
            .arg(place)
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .run()
    })?;
    Ok(root.join("bin/cargo-deny"))
}
