//! wasm-bindgen's tools, of the very version that the crate links: they refuse any other.

use super::cache;
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::Run;
use std::fs;
use std::path::PathBuf;

/// The folder that holds `wasm-bindgen` and `wasm-bindgen-test-runner`.
pub fn folder() -> Outcome<PathBuf> {
    let version = version()?;
    let what = format!("wasm-bindgen {version} (two to three minutes, once)");
    let root = cache::ensure(&format!("wasm-bindgen-{version}"), &what, |place| {
        let install = ["install", "--quiet", "wasm-bindgen-cli", "--version", &version, "--root"];
        Run::new("cargo").args(install).arg(place).run()
    })?;
    Ok(root.join("bin"))
}

/// The version that `Cargo.lock` has.
pub fn version() -> Outcome<String> {
    let lock = fs::read_to_string(layout::root().join("Cargo.lock")).context("reading Cargo.lock")?;
    locked(&lock, "wasm-bindgen").ok_or_else(|| Failure::of("Cargo.lock names no wasm-bindgen"))
}

fn locked(lock: &str, package: &str) -> Option<String> {
    let entry = format!("name = \"{package}\"");
    let mut after = lock.lines().skip_while(|line| *line != entry);
    let version = after.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')?;
    Some(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::locked;

    #[test]
    fn the_locked_version_is_of_the_package_and_of_no_other_with_a_longer_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-test\"\nversion = \"0.3.80\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked(lock, "wasm-bindgen"), Some("0.2.130".into()));
        assert_eq!(locked(lock, "wasm-bindgen-futures"), None);
    }
}
