//! `cargo xtask replay FILE…`: recorded dsh sessions through source and engine, judged by `tests/dsh/oracle.mjs`, which
//! knows none of the crate's code.
//!
//! The judge is `tests/dsh/replay.mjs`. It is given `THREADFOLD_REPLAY` (the program of `examples/dsh_replay.rs`) in its
//! environment and the files as its arguments, prints one line of JSON for each, and its exit code is this command's.

use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::Run;
use std::path::{Path, PathBuf};

pub const USAGE: &str = "FILE…";

/// Replays the files.
pub fn run(arguments: &[String]) -> Outcome {
    let files = files(arguments)?;
    let node = Run::new("node").env("THREADFOLD_REPLAY", program()?);
    let status = node.arg("tests/dsh/replay.mjs").args(files).status()?;
    if status.success() { Ok(()) } else { Err(Failure::Code(1)) }
}

/// Builds the program that follows a session on its standard input.
pub fn program() -> Outcome<PathBuf> {
    Run::new("cargo").args(["build", "--quiet", "--package", "threadfold", "--example", "dsh_replay"]).run()?;
    Ok(layout::target().join("debug/examples/dsh_replay"))
}

fn files(arguments: &[String]) -> Outcome<Vec<PathBuf>> {
    if let Some(flag) = arguments.iter().find(|argument| argument.starts_with("--")) {
        return Err(Failure::Usage(format!("unknown argument `{flag}`; replay takes files alone")));
    }
    if arguments.is_empty() {
        return Err(Failure::Usage("replay needs a file".to_owned()));
    }
    // The judge runs in the repository's root, which need not be where the command was given.
    arguments.iter().map(|file| std::path::absolute(Path::new(file)).context(format!("finding {file}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replay_takes_files_and_nothing_else() {
        let refused = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
            matches!(files(&arguments), Err(Failure::Usage(_)))
        };
        assert!(refused(&[]));
        assert!(refused(&["a.jsonl", "--quick"]));
        assert!(!refused(&["a.jsonl", "b.jsonl"]));
    }
}
