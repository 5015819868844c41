//! Python, for the judge that reads the database with none of the crate's code.

use super::apt;
use crate::failure::{Failure, Outcome};
use crate::run::{Run, on_path};
use std::path::PathBuf;

/// Finds a Python that can read SQLite files, or installs Debian's.
pub fn python() -> Outcome<PathBuf> {
    if let Some(python) = found() {
        return Ok(python);
    }
    apt::install("Python 3", &["python3"])?;
    found().ok_or_else(|| Failure::of("the Python on the path has no sqlite3 module; put one that has it first"))
}

fn found() -> Option<PathBuf> {
    let python = on_path("python3")?;
    Run::new(&python).args(["-c", "import sqlite3"]).read().is_ok().then_some(python)
}
