//! What the parts of the crate cost in a module: functions are counted to the part that they are of, by their names.

use crate::failure::{Context, Outcome};
use crate::run::Run;
use crate::setup::twiggy;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The parts of a module with names and their bytes, as a table, the largest first.
pub fn table(module: &Path) -> Outcome<String> {
    let listed = Run::new(twiggy::twiggy()?).args(["top", "-n", "1000000", "-f", "json"]).arg(module).read()?;
    let items: Vec<Value> = serde_json::from_str(&listed).context("reading what twiggy lists")?;
    Ok(text(&parts(&items)))
}

fn parts(items: &[Value]) -> BTreeMap<String, u64> {
    let mut parts = BTreeMap::new();
    for item in items {
        let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
        let bytes = item.get("shallow_size").and_then(Value::as_u64).unwrap_or_default();
        if let Some(part) = part_of(name) {
            *parts.entry(part).or_default() += bytes;
        }
    }
    parts
}

/// None for what the package's module does not have: the names themselves.
fn part_of(name: &str) -> Option<String> {
    if name.contains("custom section") || name.contains("subsection") {
        return None;
    }
    if name.starts_with("data segment") {
        return Some("constants".to_owned());
    }
    // Names of the newer kind carry a hash after the crate's name.
    let own = name.match_indices("threadfold").find_map(|(at, word)| {
        let rest = name.get(at + word.len()..)?;
        let rest = rest.strip_prefix('[').map_or(Some(rest), |hash| hash.split_once(']').map(|(_, rest)| rest))?;
        let mut path = rest.strip_prefix("::")?.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (module, within) = (path.next()?, path.find(|word| !word.is_empty()));
        let is_dsh = matches!((module, within), ("follow" | "source", Some("dsh")));
        Some(if is_dsh { format!("{module}/dsh") } else { module.to_owned() })
    });
    let freeing = name.contains("drop_in_place") || name.contains("ops::drop::Drop");
    Some(match own {
        Some(_) if freeing => "freeing values".to_owned(),
        Some(part) => part,
        None => "standard library and glue".to_owned(),
    })
}

fn text(parts: &BTreeMap<String, u64>) -> String {
    let all: u64 = parts.values().sum();
    let mut rows: Vec<_> = parts.iter().collect();
    rows.sort_by_key(|(_, bytes)| std::cmp::Reverse(**bytes));
    let mut text = String::new();
    for (part, bytes) in rows {
        let _ = writeln!(text, "{bytes:>9} {:>5.1} %  {part}", *bytes as f64 / all as f64 * 100.0);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_counted_to_its_part() {
        let parts = [
            ("<threadfold[4eb26863dd46047f]::follow::follower::Follower>::handle", "follow"),
            ("threadfold[4eb26863dd46047f]::follow::dsh::policy::item", "follow/dsh"),
            ("<threadfold::source::dsh::event::Data as threadfold::json::wire::Wire>::read", "source/dsh"),
            ("core::ptr::drop_in_place<threadfold::view::item::Item>", "freeing values"),
            ("alloc::vec::Vec<threadfold::fold::change::Change>::push", "fold"),
            ("<dlmalloc[6340]::dlmalloc::Dlmalloc>::malloc", "standard library and glue"),
            ("data segment \".rodata\"", "constants"),
        ];
        for (name, part) in parts {
            assert_eq!(part_of(name).as_deref(), Some(part), "{name}");
        }
        assert_eq!(part_of("\"function names\" subsection"), None);
    }

    #[test]
    fn the_largest_part_comes_first() {
        let parts = BTreeMap::from([("a".to_owned(), 25), ("b".to_owned(), 75)]);
        assert_eq!(text(&parts), "       75  75.0 %  b\n       25  25.0 %  a\n");
    }
}
