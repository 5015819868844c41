//! `cargo xtask breakage`: each patch of `xtask/breakage/` breaks one rule of the core, and a test must see it.
//!
//! A patch begins with `Test: NAME`, the test that has to fail, and a line on what it breaks. It is applied to a copy of
//! the crate under `target/`, so that the tree itself is never touched.

use crate::args::Args;
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::Run;
use std::fs;
use std::path::{Path, PathBuf};

pub const USAGE: &str = "";

/// What of the repository the crate's own tests need.
const COPIED: &[&str] =
    &["Cargo.toml", "Cargo.lock", ".cargo", "README.md", "src", "tests", "examples", "host", "xtask"];

/// Applies the patches in turn.
pub fn run(arguments: &[String]) -> Outcome {
    Args::parse(arguments, &[])?;
    let mut unseen = Vec::new();
    for patch in patches()? {
        let text = fs::read_to_string(&patch).context(format!("reading {}", patch.display()))?;
        let name = patch.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(test) = text.lines().find_map(|line| line.strip_prefix("Test: ")) else {
            return Err(Failure::Failed(format!("{name} names no test that has to fail")));
        };
        let tree = copy()?;
        Run::new("git").args(["apply", "--verbose"]).arg(&patch).within(&tree).run()?;
        let target = layout::target().join("breakage/target");
        let cargo = Run::new("cargo").args(["test", "--quiet", "--package", "threadfold", "--lib", test]);
        let (_, output) = cargo.within(&tree).env("CARGO_TARGET_DIR", target).tee()?;
        let seen = output.lines().any(|line| line.trim_start().starts_with("test result: FAILED"));
        println!("{name:<32} {}", if seen { format!("seen by {test}") } else { "NOT SEEN".to_owned() });
        if !seen {
            unseen.push(name);
        }
    }
    fs::remove_dir_all(tree()).context("removing the copy")?;
    if unseen.is_empty() { Ok(()) } else { Err(Failure::Failed(format!("no test saw {}", unseen.join(", ")))) }
}

fn patches() -> Outcome<Vec<PathBuf>> {
    let folder = layout::root().join("xtask/breakage");
    let entries = fs::read_dir(&folder).context("reading xtask/breakage")?;
    let mut patches: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    patches.retain(|path| path.extension().is_some_and(|extension| extension == "patch"));
    patches.sort();
    Ok(patches)
}

fn tree() -> PathBuf {
    layout::target().join("breakage/tree")
}

/// The tree as it stands, anew.
fn copy() -> Outcome<PathBuf> {
    let tree = tree();
    if tree.exists() {
        fs::remove_dir_all(&tree).context("removing the last copy")?;
    }
    for name in COPIED {
        copy_all(&layout::root().join(name), &tree.join(name))?;
    }
    // A repository of its own, so that patches are applied here and not to the one around it.
    Run::new("git").args(["init", "--quiet"]).within(&tree).run()?;
    Ok(tree)
}

fn copy_all(from: &Path, to: &Path) -> Outcome {
    let said = || format!("copying {}", from.display());
    if !from.is_dir() {
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).context(said())?;
        }
        fs::copy(from, to).context(said())?;
        return Ok(());
    }
    fs::create_dir_all(to).context(said())?;
    for entry in fs::read_dir(from).context(said())?.flatten() {
        let name = entry.file_name();
        if name != "node_modules" && name != "target" {
            copy_all(&entry.path(), &to.join(name))?;
        }
    }
    Ok(())
}
