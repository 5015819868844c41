//! The dsh host, which some tests follow: a Python package whose wheel holds one executable.

use super::{apt, cache, python};
use crate::failure::{Failure, Outcome};
use crate::run::Run;
use std::path::{Path, PathBuf};

/// The package and the version that the tests were written against.
const PACKAGE: &str = "deepseek-harness-runtime-bin";
const VERSION: &str = "0.2.1rc2";
/// Where the wheel puts the executable.
const PROGRAM: &str = "deepseek_harness_runtime/runtime/deepseek-harness-sdk-runtime-linux-x64";

/// The host's program.
pub fn program() -> Outcome<PathBuf> {
    let what = "the dsh host (90 MB, from the Python registry)";
    let folder = cache::ensure(&format!("dsh-{VERSION}"), what, install)?;
    let program = folder.join(PROGRAM);
    if program.is_file() {
        return Ok(program);
    }
    Err(Failure::Failed(format!("{PACKAGE} {VERSION} holds no {PROGRAM}; the host runs on Linux x64 alone")))
}

fn install(place: &Path) -> Outcome {
    let python = python::python()?;
    let pip = || Run::new(&python).args(["-m", "pip"]);
    if pip().arg("--version").read().is_err() {
        apt::install("Python's installer of packages", &["python3-pip"])?;
    }
    // Into a folder of its own: no environment changes, and the folder may be moved.
    let quiet = ["install", "--quiet", "--no-deps", "--disable-pip-version-check", "--root-user-action=ignore"];
    pip().args(quiet).arg("--target").arg(place).arg(format!("{PACKAGE}=={VERSION}")).run()
}
