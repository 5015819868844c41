//! The npm packages of a folder, exactly as its `package-lock.json` has them: the root's for the build and the tests,
//! `bench/`'s for the measurements. They are installed in the cache under the lock file's key, and `node_modules` in the
//! folder is a link to them.

use super::cache::{self, digest};
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::{Run, on_path};
use std::fs;
use std::path::{Path, PathBuf};

/// The file that npm reads beside the manifest and the lock file.
const FILES: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

/// The root's `node_modules` folder.
pub fn packages() -> Outcome<PathBuf> {
    packages_of(&layout::root())
}

/// The `node_modules` folder of a folder with a manifest and a lock file.
pub fn packages_of(folder: &Path) -> Outcome<PathBuf> {
    let installed = install(folder, "npm", "the npm packages of package-lock.json")?;
    let link = folder.join("node_modules");
    point(&link, &installed.join("node_modules"))?;
    Ok(link)
}

/// A folder with the bundlers, frameworks and compilers that the packed package is tried in. Projects below it find
/// them, and nothing of the repository.
pub fn packaging() -> Outcome<PathBuf> {
    install(&layout::root().join("tests/packaging"), "npm-packaging", "the bundlers that the package is tried in")
}

fn install(folder: &Path, name: &str, what: &str) -> Outcome<PathBuf> {
    node()?;
    let mut contents = Vec::new();
    for name in FILES {
        contents.push(fs::read(folder.join(name)).context(format!("reading {name}"))?);
    }
    let key = digest(&contents.iter().map(Vec::as_slice).collect::<Vec<_>>());
    cache::ensure(&format!("{name}-{key}"), what, |place| {
        for name in FILES {
            fs::copy(folder.join(name), place.join(name)).context(format!("copying {name}"))?;
        }
        Run::new("npm").args(["ci", "--no-audit", "--no-fund"]).within(place).run()
    })
}

/// The oldest Node that the tests run on.
const OLDEST_NODE: u32 = 20;

fn node() -> Outcome {
    let wanted = || Failure::Failed(format!("Node.js {OLDEST_NODE} or newer with npm is needed; please install it"));
    if on_path("node").is_none() || on_path("npm").is_none() {
        return Err(wanted());
    }
    let printed = Run::new("node").arg("--version").read()?;
    if major(&printed).is_some_and(|major| major >= OLDEST_NODE) { Ok(()) } else { Err(wanted()) }
}

/// `v20.20.2` gives 20.
fn major(printed: &str) -> Option<u32> {
    printed.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Makes `link` a link to `folder`, in place of a link to another version or of a folder that npm made.
fn point(link: &Path, folder: &Path) -> Outcome {
    if fs::read_link(link).is_ok_and(|present| present == folder) {
        return Ok(());
    }
    match fs::symlink_metadata(link) {
        Ok(present) if present.is_dir() => fs::remove_dir_all(link).context("removing the old node_modules")?,
        Ok(_) => fs::remove_file(link).context("removing the old link node_modules")?,
        Err(_) => {}
    }
    std::os::unix::fs::symlink(folder, link).context("linking node_modules")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_of_node_is_read_from_what_it_prints() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("20"), None);
    }

    #[test]
    fn the_link_replaces_an_older_link_and_a_folder() {
        let here = layout::target().join("xtask-tests/link");
        let _ = fs::remove_dir_all(&here);
        for folder in ["old", "new", "node_modules/left"] {
            assert!(fs::create_dir_all(here.join(folder)).is_ok());
        }
        let link = here.join("node_modules");
        for folder in ["old", "new", "new"] {
            assert!(point(&link, &here.join(folder)).is_ok());
            assert_eq!(fs::read_link(&link).ok(), Some(here.join(folder)));
        }
    }
}
