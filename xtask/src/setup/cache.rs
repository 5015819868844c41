//! A folder of installed tools under version keys. What is there is whole: an install happens beside its place and is
//! moved there when it has succeeded, and a lock keeps two commands from installing the same tool at once.

use crate::failure::{Context, Outcome};
use crate::layout;
use crate::run::seconds;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The folder of `key`, which `install` fills if it isn't there. `what` says what is installed and how long it takes.
pub fn ensure(key: &str, what: &str, install: impl FnOnce(&Path) -> Outcome) -> Outcome<PathBuf> {
    ensure_in(&layout::cache()?, key, what, install)
}

fn ensure_in(cache: &Path, key: &str, what: &str, install: impl FnOnce(&Path) -> Outcome) -> Outcome<PathBuf> {
    let place = cache.join(key);
    if place.is_dir() {
        return Ok(place);
    }
    fs::create_dir_all(cache).context(format!("making {}", cache.display()))?;
    let lock = File::create(cache.join(format!(".{key}.lock"))).context("making a lock file")?;
    lock.lock().context("waiting for another command that installs the same")?;
    if place.is_dir() {
        return Ok(place);
    }
    println!("── installing {what} into {}", place.display());
    let start = Instant::now();
    let partial = cache.join(format!(".{key}.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).context("removing an interrupted install")?;
    }
    fs::create_dir_all(&partial).context(format!("making {}", partial.display()))?;
    install(&partial)?;
    fs::rename(&partial, &place).context(format!("moving the install to {}", place.display()))?;
    println!("   installed in {}", seconds(start.elapsed()));
    Ok(place)
}

/// Sixteen digits that change with the contents. They serve as a key on one machine: another Rust may give others,
/// which costs one install or one build more.
pub fn digest(contents: &[&[u8]]) -> String {
    let mut hasher = DefaultHasher::new();
    contents.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    fn empty_cache(name: &str) -> PathBuf {
        let folder = layout::target().join("xtask-tests").join(name);
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_is_installed_once_is_not_installed_again() {
        let cache = empty_cache("once");
        let first = ensure_in(&cache, "tool-1", "a tool", |to| fs::write(to.join("tool"), "1").context("writing"));
        let second = ensure_in(&cache, "tool-1", "a tool", |_| Err(Failure::of("installed twice")));
        assert_eq!(first.ok(), Some(cache.join("tool-1")));
        assert_eq!(second.ok(), Some(cache.join("tool-1")));
        assert!(cache.join("tool-1/tool").is_file());
    }

    #[test]
    fn an_install_that_fails_half_way_is_not_taken_for_a_whole_one() {
        let cache = empty_cache("half");
        let failed = ensure_in(&cache, "tool-1", "a tool", |to| {
            fs::write(to.join("left-over"), "").context("writing")?;
            Err(Failure::of("the network went away"))
        });
        assert!(failed.is_err());
        assert!(!cache.join("tool-1").exists());
        let again = ensure_in(&cache, "tool-1", "a tool", |to| fs::write(to.join("tool"), "").context("writing"));
        assert!(again.is_ok_and(|place| place.join("tool").is_file() && !place.join("left-over").exists()));
    }

    #[test]
    fn a_key_changes_with_each_of_its_contents_and_with_where_one_ends() {
        let keys = [digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]), digest(&[b"ab", b"d"]), digest(&[b"abc"])];
        let mut different = keys.to_vec();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), keys.len());
        assert_eq!(keys.first(), Some(&digest(&[b"ab", b"c"])));
    }
}
