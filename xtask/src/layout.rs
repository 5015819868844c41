//! Where things are: in the repository, in the target folder, and in the cache outside of both.

use crate::failure::{Failure, Outcome};
use std::env;
use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Cargo's target folder for native builds; wasm builds have `wasm/` in it, as their compiler may be another one.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The folder for installed tools: `$THREADFOLD_CACHE`, `$XDG_CACHE_HOME/threadfold` or `~/.cache/threadfold`.
pub fn cache() -> Outcome<PathBuf> {
    cache_in(|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn cache_in(variable: impl Fn(&str) -> Option<PathBuf>) -> Outcome<PathBuf> {
    let folder = variable("THREADFOLD_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("threadfold")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/threadfold")));
    match folder {
        Some(folder) if folder.is_absolute() => Ok(folder),
        Some(folder) => {
            Err(Failure::Failed(format!("the cache folder must be an absolute path: {}", folder.display())))
        }
        None => Err(Failure::of("no place for installed tools: set THREADFOLD_CACHE to a folder")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(variables: &[(&str, &str)]) -> Option<PathBuf> {
        let found = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value));
        cache_in(found).ok()
    }

    #[test]
    fn the_cache_is_where_the_most_specific_variable_says() {
        let home = ("HOME", "/h");
        assert_eq!(chosen(&[home]), Some("/h/.cache/threadfold".into()));
        assert_eq!(chosen(&[home, ("XDG_CACHE_HOME", "/x")]), Some("/x/threadfold".into()));
        assert_eq!(chosen(&[home, ("XDG_CACHE_HOME", "/x"), ("THREADFOLD_CACHE", "/t")]), Some("/t".into()));
    }

    #[test]
    fn without_an_absolute_folder_there_is_no_cache() {
        assert_eq!(chosen(&[]), None);
        assert_eq!(chosen(&[("THREADFOLD_CACHE", "relative")]), None);
    }
}
