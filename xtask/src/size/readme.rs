//! The figures in the README, between two marks.

use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use std::fs;

const BEGIN: &str = "<!-- `cargo xtask size --readme` writes what follows. -->\n";
const END: &str = "<!-- So far. -->\n";

/// Puts `figures` in the place of the last ones.
pub fn write(figures: &str) -> Outcome {
    let file = layout::root().join("README.md");
    let text = fs::read_to_string(&file).context("reading README.md")?;
    let new = between(&text, figures).ok_or_else(|| Failure::of("README.md has no place for the sizes"))?;
    fs::write(file, new).context("writing README.md")
}

fn between(text: &str, figures: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{figures}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_marks_is_replaced_and_nothing_else() {
        let text = format!("a\n{BEGIN}old\n{END}b\n");
        assert_eq!(between(&text, "new\n"), Some(format!("a\n{BEGIN}new\n{END}b\n")));
        assert_eq!(between("no marks", "new\n"), None);
    }
}
