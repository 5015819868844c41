//! The house keeps its shape: dependencies run downwards, the core is pure, a file is one concept.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module and what it may use. Whoever adds an edge says here that it runs downwards.
const ALLOWED: &[(&str, &[&str])] = &[
    ("json", &["text"]),
    ("sorted", &[]),
    ("names", &["text"]),
    ("text", &[]),
    ("event", &["json", "thread"]),
    ("thread", &["json", "event"]),
    ("classify", &["json", "event"]),
    ("fold", &["json", "names", "sorted", "text", "event", "thread"]),
    ("audit", &["json", "event", "classify", "fold"]),
    ("transcode", &["json", "names", "text", "event", "thread"]),
    ("preview", &["json", "event"]),
    ("follow", &["json", "names", "text", "event", "thread", "preview"]),
    ("source", &["json", "text", "event", "thread", "follow"]),
    ("view", &["json", "names", "sorted", "text", "event", "thread", "fold", "preview", "follow"]),
    ("engine", &["json", "event", "thread", "fold", "preview", "follow", "transcode", "source", "view"]),
    (
        "js",
        &[
            "json",
            "text",
            "event",
            "thread",
            "fold",
            "classify",
            "audit",
            "transcode",
            "follow",
            "source",
            "view",
            "engine",
        ],
    ),
];

/// The rooms that touch the browser; every other one is the core, so that no new room escapes the rule.
const EDGE: &[&str] = &["js"];

const IMPURE: &[&str] = &[
    "wasm_bindgen",
    "web_sys",
    "js_sys",
    "std::time::Instant",
    "std::time::SystemTime",
    "std::fs",
    "std::net",
    "std::thread::spawn",
    "std::env",
    "unsafe ",
];

#[test]
fn dependencies_run_downwards() {
    let mut upwards = Vec::new();
    for (module, files) in modules() {
        let allowed = ALLOWED.iter().find(|(name, _)| *name == module).map(|(_, allowed)| *allowed);
        let allowed = allowed.unwrap_or_else(|| panic!("{module} is a new room: say in ALLOWED what it may use"));
        for (path, text) in files.iter().filter(|(path, _)| !is_test(path)) {
            for used in edges(text) {
                if used != module && !allowed.contains(&used.as_str()) {
                    upwards.push(format!("{} uses {used}", path.display()));
                }
            }
        }
    }
    assert!(upwards.is_empty(), "{upwards:#?}");
}

#[test]
fn the_core_is_pure() {
    let mut impure = Vec::new();
    for (module, files) in modules() {
        if EDGE.contains(&module.as_str()) {
            continue;
        }
        for (path, text) in files.iter().filter(|(path, _)| !is_test(path)) {
            for word in IMPURE.iter().filter(|word| text.contains(**word)) {
                impure.push(format!("{} has {word}", path.display()));
            }
        }
    }
    assert!(impure.is_empty(), "{impure:#?}");
}

#[test]
fn no_file_is_past_one_concept() {
    let long: Vec<String> = modules()
        .into_values()
        .flatten()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > 600)
        .map(|(path, lines)| format!("{} has {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// The tables of the policies say of each row in which function it is: `module::function`, or `Type::function`.
#[test]
fn each_row_of_the_policies_is_where_the_architecture_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let page = fs::read_to_string(page).expect("the page can be read");
    let rows = page.split("## The follower").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the section");
    let files = modules().remove("follow").expect("the follower");
    let mut places = 0;
    let code = rows.lines().filter(|line| line.starts_with('|')).flat_map(|row| row.split('`').skip(1).step_by(2));
    for (owner, function) in code.filter_map(|code| code.split_once("::")) {
        let is_module = owner.starts_with(|c: char| c.is_lowercase());
        let is_there = files.iter().filter(|(path, _)| !is_test(path)).any(|(path, text)| {
            let is_owner = if is_module {
                path.file_stem().is_some_and(|stem| stem == owner)
            } else {
                text.contains(&format!("impl {owner} {{"))
            };
            is_owner && text.contains(&format!("fn {function}("))
        });
        assert!(is_there, "{owner}::{function} is not there");
        places += 1;
    }
    assert!(places > 40, "only {places} places were found");
}

/// The modules that a text uses by `crate::`, as `use crate::{a, b}` or in a path.
fn edges(text: &str) -> Vec<String> {
    let mut used = Vec::new();
    for line in text.lines().map(str::trim_start).filter(|line| !line.starts_with("//")) {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let names = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or_default().split(',').collect(),
                None => vec![rest],
            };
            for name in names {
                let name: String = name.trim().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
                if ALLOWED.iter().any(|(module, _)| *module == name) {
                    used.push(name);
                }
            }
        }
    }
    used
}

fn modules() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules: BTreeMap<String, Vec<(PathBuf, String)>> = BTreeMap::new();
    let mut folders = vec![src.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("src can be read") {
            let path = entry.expect("src can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let inside = path.strip_prefix(&src).expect("below src");
                let room = inside.components().next().expect("a name").as_os_str().to_string_lossy();
                let room = room.trim_end_matches(".rs").to_owned();
                if room != "lib" {
                    let text = fs::read_to_string(&path).expect("a source file can be read");
                    modules.entry(room).or_default().push((path, text));
                }
            }
        }
    }
    assert!(modules.len() >= 10, "found only {modules:?}");
    modules
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")))
}
