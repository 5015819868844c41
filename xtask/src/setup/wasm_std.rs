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
    /// Debian's, with the standard library that is built of its sources.
    Debian {
        /// The compiler's version.
        version: String,
        /// The folder of the standard library.
        sysroot: PathBuf,
    },
}

/// A panic is a trap and nothing else: no message, no place, no formatting code, which would be a seventh of the
/// module. Nothing in the crate panics, and a page could not read the message anyway. All that is linked has to be
/// compiled in this way, the standard library too, and the compiler wants to be told that this is not stable yet.
const WITHOUT_MESSAGES: &str = "-Zunstable-options -Cpanic=immediate-abort";

impl Toolchain {
    /// `cargo SUBCOMMAND --target wasm32-unknown-unknown`, to be continued with arguments.
    pub fn cargo(&self, subcommand: &str) -> Run {
        match self {
            Toolchain::Ordinary => Self::run(Run::new("cargo").arg(subcommand)),
            Toolchain::Debian { sysroot, .. } => Self::debian(subcommand, sysroot, ""),
        }
    }

    /// `cargo build --release` for the package. With Debian's toolchain a panic has no message; rustup's library is
    /// compiled already, so there the module is somewhat larger.
    pub fn release(&self) -> Outcome<Run> {
        let run = match self {
            Toolchain::Ordinary => self.cargo("build"),
            Toolchain::Debian { version, .. } => {
                let sysroot = sysroot(version, &Library::Package)?;
                Self::debian("build", &sysroot, WITHOUT_MESSAGES).env("RUSTC_BOOTSTRAP", "1")
            }
        };
        Ok(run.arg("--release"))
    }

    fn debian(subcommand: &str, sysroot: &Path, flags: &str) -> Run {
        // rustup's `cargo-clippy` comes first on the path and would bring its own compiler.
        let run = match subcommand {
            "clippy" => Run::new(DEBIAN_CLIPPY).arg("clippy"),
            _ => Run::new(DEBIAN_CARGO).arg(subcommand),
        };
        let flags = format!("--sysroot={} {flags}", sysroot.display());
        Self::run(run)
            .env("CARGO", DEBIAN_CARGO)
            .env("RUSTC", DEBIAN_RUSTC)
            .env("RUSTDOC", "/usr/bin/rustdoc")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags.trim_end())
    }

    fn run(cargo: Run) -> Run {
        cargo.args(["--target", TARGET]).env("CARGO_TARGET_DIR", target())
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Toolchain::Ordinary => out.write_str("the ordinary toolchain's"),
            Toolchain::Debian { sysroot, .. } => write!(out, "{} for {DEBIAN_RUSTC}", sysroot.display()),
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

fn debian(version: &str) -> Outcome<Toolchain> {
    Ok(Toolchain::Debian { version: version.to_owned(), sysroot: sysroot(version, &Library::Tests)? })
}

/// What a standard library is built for.
enum Library {
    /// For tests, which want to say why they failed.
    Tests,
    /// For the package, as small as it gets.
    Package,
}

/// Builds the standard library once per compiler and use, as a by-product of an empty crate.
fn sysroot(version: &str, library: &Library) -> Outcome<PathBuf> {
    // `test` is what `cargo test` links against. The bitcode lets the release build optimise across crates.
    let (key, use_, crates, features, level, flags) = match library {
        Library::Tests => ("wasm-std", "for tests", "std,panic_abort,test", "", "3", ""),
        Library::Package => {
            ("wasm-std-small", "for the package", "std,panic_abort", "optimize_for_size", "s", WITHOUT_MESSAGES)
        }
    };
    let what = format!("the wasm32 standard library of Rust {version} {use_} (one to two minutes, once)");
    cache::ensure(&format!("{key}-{version}"), &what, |place| {
        let empty = place.join("build");
        fs::create_dir_all(&empty).context("making an empty crate")?;
        fs::write(empty.join("lib.rs"), "").context("writing an empty crate")?;
        let manifest = "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
                        [lib]\npath = \"lib.rs\"\n[workspace]\n";
        fs::write(empty.join("Cargo.toml"), manifest).context("writing an empty crate")?;
        Run::new(DEBIAN_CARGO)
            .args(["build", "--quiet", "--release", "--target", TARGET])
            .args(["-Z", &format!("build-std={crates}"), "-Z", &format!("build-std-features={features}")])
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO", DEBIAN_CARGO)
            .env("RUSTC", DEBIAN_RUSTC)
            .env("RUSTFLAGS", format!("-Cembed-bitcode=yes {flags}").trim_end())
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)
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
    })
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
