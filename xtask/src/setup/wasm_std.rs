//! A cargo that can build for wasm32: it needs a standard library for that target.
//!
//! In this order: what the ordinary toolchain has; on Debian as root (a container, a CI machine) Debian's own
//! toolchain, whose sources give the library; else what rustup can add. Debian comes before rustup so that a machine
//! that reaches nothing but package registries builds in the same way as any other that is set up by itself.

use super::{apt, cache};
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::{Run, on_path};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// The oldest compiler that builds the crate: `rust-version` in `Cargo.toml`.
const OLDEST: (u32, u32) = (1, 95);

const DEBIAN: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "rust-web-clippy", "lld-22"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_CLIPPY: &str = "/usr/bin/cargo-clippy";

/// Builds for wasm32, in a target folder of its own.
pub enum Toolchain {
    /// The toolchain that native builds use.
    Ordinary,
    /// Debian's, with the standard library in the given folder.
    Debian(PathBuf),
}

impl Toolchain {
    /// `cargo SUBCOMMAND --target wasm32-unknown-unknown`, to be continued with arguments.
    pub fn cargo(&self, subcommand: &str) -> Run {
        let run = match self {
            Toolchain::Ordinary => Run::new("cargo").arg(subcommand),
            Toolchain::Debian(sysroot) => {
                // rustup's `cargo-clippy` comes first on the path and would bring its own compiler.
                let run = match subcommand {
                    "clippy" => Run::new(DEBIAN_CLIPPY).arg("clippy"),
                    _ => Run::new(DEBIAN_CARGO).arg(subcommand),
                };
                let flags = format!("--sysroot={}", sysroot.display());
                run.env("CARGO", DEBIAN_CARGO)
                    .env("RUSTC", DEBIAN_RUSTC)
                    .env("RUSTDOC", "/usr/bin/rustdoc")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags)
            }
        };
        run.args(["--target", TARGET]).env("CARGO_TARGET_DIR", target())
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Toolchain::Ordinary => out.write_str("the ordinary toolchain's"),
            Toolchain::Debian(sysroot) => write!(out, "{} for {DEBIAN_RUSTC}", sysroot.display()),
        }
    }
}

/// The target folder of wasm builds: the compiler may not be the one that builds natively.
pub fn target() -> PathBuf {
    layout::target().join("wasm")
}

/// Finds or makes the toolchain.
pub fn toolchain() -> Outcome<Toolchain> {
    if ordinary_has_it() {
        return Ok(Toolchain::Ordinary);
    }
    if let Some(version) = debian_version() {
        return debian(&version);
    }
    if apt::possible() {
        apt::install("Debian's Rust with sources", DEBIAN)?;
        let version = debian_version()
            .ok_or_else(|| Failure::Failed(format!("{DEBIAN_RUSTC} is older than {}.{}", OLDEST.0, OLDEST.1)))?;
        return debian(&version);
    }
    if on_path("rustup").is_some() {
        println!("── adding the wasm32 standard library to the toolchain");
        if Run::new("rustup").args(["target", "add", TARGET]).status()?.success() && ordinary_has_it() {
            return Ok(Toolchain::Ordinary);
        }
    }
    Err(Failure::Failed(format!(
        "there is no standard library for {TARGET}; one of these brings it:\n    rustup target add {TARGET}\n    \
         sudo apt-get install --no-install-recommends {}",
        DEBIAN.join(" ")
    )))
}

fn ordinary_has_it() -> bool {
    let folder = Run::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).read();
    folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

/// The version of Debian's compiler, when all of its parts are there and it is new enough.
fn debian_version() -> Option<String> {
    let sources = Path::new("/usr/lib/rustlib/src/rust/library/std/Cargo.toml");
    if ![Path::new(DEBIAN_CARGO), Path::new(DEBIAN_CLIPPY), sources].iter().all(|part| part.exists()) {
        return None;
    }
    let printed = Run::new(DEBIAN_RUSTC).arg("--version").read().ok()?;
    new_enough(&printed)
}

/// `rustc 1.96.0 (ac68faa20 2026-05-25)` gives `1.96.0`, unless that is too old.
fn new_enough(printed: &str) -> Option<String> {
    let version = printed.split_whitespace().nth(1)?;
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    let found = (numbers.next()?, numbers.next()?);
    (found >= OLDEST).then(|| version.to_owned())
}

/// Builds the standard library once per compiler, as a by-product of an empty crate.
fn debian(version: &str) -> Outcome<Toolchain> {
    let what = format!("the wasm32 standard library of Rust {version} (one to two minutes, once)");
    let sysroot = cache::ensure(&format!("wasm-std-{version}"), &what, |place| {
        let empty = place.join("build");
        fs::create_dir_all(&empty).context("making an empty crate")?;
        fs::write(empty.join("lib.rs"), "").context("writing an empty crate")?;
        let manifest = "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
                        [lib]\npath = \"lib.rs\"\n[workspace]\n";
        fs::write(empty.join("Cargo.toml"), manifest).context("writing an empty crate")?;
        // `test` is what `cargo test` links against. The bitcode lets the release build optimise across crates.
        Run::new(DEBIAN_CARGO)
            .args(["build", "--quiet", "--release", "-Z", "build-std=std,panic_abort,test", "--target", TARGET])
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO", DEBIAN_CARGO)
            .env("RUSTC", DEBIAN_RUSTC)
            .env("RUSTFLAGS", "-Cembed-bitcode=yes")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_TARGET_DIR", empty.join("target"))
            .within(&empty)
            .run()?;
        let libraries = place.join("lib/rustlib").join(TARGET).join("lib");
        fs::create_dir_all(&libraries).context("making the library folder")?;
        let built = empty.join("target").join(TARGET).join("release/deps");
        for file in fs::read_dir(&built).context(format!("reading {}", built.display()))?.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.ends_with(".rlib") && !name.starts_with("libempty") {
                fs::copy(file.path(), libraries.join(&name)).context(format!("copying {name}"))?;
            }
        }
        fs::remove_dir_all(&empty).context("removing the empty crate")
    })?;
    Ok(Toolchain::Debian(sysroot))
}

#[cfg(test)]
mod tests {
    use super::new_enough;

    #[test]
    fn a_compiler_is_taken_when_it_can_build_the_crate() {
        assert_eq!(
            new_enough("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)"),
            Some("1.96.0".into())
        );
        assert_eq!(new_enough("rustc 2.0.0"), Some("2.0.0".into()));
        assert_eq!(new_enough("rustc 1.63.0"), None);
        assert_eq!(new_enough("no version at all"), None);
    }
}
