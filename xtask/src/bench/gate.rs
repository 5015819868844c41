//! `cargo xtask bench --gate`: how many instructions the hot paths take, against `bench/instructions.json`.
//!
//! Counted is a native build with the release profile's settings under callgrind, so the figures are the same on a busy
//! machine and a quiet one. They follow the compiler: another version of Rust may move them without anybody's doing.

use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::{Run, on_path};
use crate::setup::apt;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A path: its name, and the pieces of the stream and how many of them pass between two frames.
struct Hot {
    name: &'static str,
    /// Fragments, and messages before them.
    conversation: [u32; 2],
    /// Bytes of a piece, and pieces to a frame.
    pieces: [u32; 2],
}

const PATHS: &[Hot] = &[
    Hot { name: "mixed, 1 KiB pieces, a frame for 16", conversation: [4000, 0], pieces: [1024, 16] },
    Hot { name: "mixed, 1 KiB pieces, a frame for each", conversation: [4000, 0], pieces: [1024, 1] },
    Hot { name: "mixed, 64-byte pieces, a frame for each", conversation: [4000, 0], pieces: [64, 1] },
    Hot { name: "mixed after 1,000 messages, a frame for each", conversation: [4000, 1000], pieces: [1024, 1] },
];

/// A rise of more than this part is a failure.
const TOLERANCE: f64 = 0.02;

/// Counts, prints, and fails on a rise; with `accept` the counts become those to be held.
pub fn run(accept: bool) -> Outcome {
    if on_path("valgrind").is_none() {
        apt::install("valgrind", &["valgrind"])?;
    }
    let build = ["build", "--package", "threadfold", "--profile", "bench-count", "--example", "hot_path"];
    Run::new("cargo").args(build).run()?;
    let held: Value = serde_json::from_str(&fs::read_to_string(file()).unwrap_or_else(|_| "{}".to_owned()))
        .context("reading bench/instructions.json")?;
    let (mut counts, mut risen) = (serde_json::Map::new(), Vec::new());
    for path in PATHS {
        let count = count(path)?;
        let before = held.get(path.name).and_then(Value::as_u64);
        println!("   {:>12} {}{}", count, path.name, before.map(|before| change(count, before)).unwrap_or_default());
        if before.is_none_or(|before| has_risen(count, before)) {
            risen.push(path.name);
        }
        counts.insert(path.name.to_owned(), json!(count));
    }
    if accept {
        let text = serde_json::to_string_pretty(&counts).context("writing the counts")?;
        return fs::write(file(), text + "\n").context("writing bench/instructions.json");
    }
    match risen.as_slice() {
        [] => Ok(()),
        names => Err(Failure::Failed(format!(
            "more instructions than held: {}. Make it cheaper, or say in the commit why it is worth it and write the \
             counts down with --gate --accept",
            names.join("; ")
        ))),
    }
}

fn file() -> PathBuf {
    layout::root().join("bench/instructions.json")
}

fn has_risen(count: u64, before: u64) -> bool {
    count as f64 > before as f64 * (1.0 + TOLERANCE)
}

fn change(count: u64, before: u64) -> String {
    format!(" ({:+.1} % of {before})", (count as f64 / before as f64 - 1.0) * 100.0)
}

/// Instructions of the whole program, reading the stream included, which is the same for all versions.
fn count(path: &Hot) -> Outcome<u64> {
    let work = layout::target().join("bench");
    fs::create_dir_all(&work).context("making a folder")?;
    let [fragments, history] = path.conversation;
    let wire = work.join(format!("wire-{fragments}-{history}"));
    Run::new("node")
        .args(["--no-warnings", "bench/src/write-wire.mjs"])
        .args([fragments.to_string(), history.to_string()])
        .arg(&wire)
        .read()?;
    let report = work.join("callgrind.out");
    let program = layout::target().join("bench-count/examples/hot_path");
    let counter = ["--tool=callgrind".to_owned(), format!("--callgrind-out-file={}", report.display())];
    Run::new("valgrind")
        .args(counter)
        .arg(program)
        .arg(&wire)
        .arg(wire.with_extension("page"))
        .args(path.pieces.map(|number| number.to_string()))
        .read()?;
    total(&report)
}

fn total(report: &Path) -> Outcome<u64> {
    let text = fs::read_to_string(report).context("reading callgrind's report")?;
    total_of(&text).ok_or_else(|| Failure::of("callgrind's report has no total"))
}

/// The number after `totals:` or `summary:`.
fn total_of(report: &str) -> Option<u64> {
    let line = report.lines().find_map(|line| line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")));
    line?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_a_report_is_its_first_number() {
        assert_eq!(total_of("version: 1\nevents: Ir\nfn=(1) main\ntotals: 123 4\n"), Some(123));
        assert_eq!(total_of("events: Ir\nsummary: 77\n"), Some(77));
        assert_eq!(total_of("events: Ir\n"), None);
    }

    #[test]
    fn a_rise_within_the_tolerance_is_none() {
        assert!(!has_risen(1_019, 1_000));
        assert!(has_risen(1_021, 1_000));
        assert!(!has_risen(500, 1_000));
    }
}
