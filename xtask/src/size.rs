//! `cargo xtask size`: what a browser loads for the package's default entry, against the budget.

mod parts;
mod readme;

use crate::args::{Args, Takes};
use crate::build;
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::Run;
use crate::setup::{npm, wasm_std};
use serde_json::Value;
use std::fmt::Write;

pub const USAGE: &str = "[--readme]";

/// Bytes after brotli that the default entry may come to: the module, its glue and all code imported statically.
const DEFAULT_BUDGET: u64 = 60_000;
/// The same with the lazy parts.
const TOTAL_BUDGET: u64 = 75_000;

/// What the default entry has come down to so far, with room for a standard library that keeps its panic messages and,
/// for them, its formatting. While it is over the budget, the stage of `cargo xtask test` sees to it that it does not grow
/// again; lower this with each step down, and let the stage judge by the budget in the end.
const REACHED: u64 = 123_000;

/// Builds, measures, prints what everything costs, and fails over the budget.
pub fn run(arguments: &[String]) -> Outcome {
    let args = Args::parse(arguments, &[("--readme", Takes::Nothing)])?;
    let toolchain = wasm_std::toolchain()?;
    build::package(&toolchain)?;
    let mut named = Vec::new();
    for (name, feature) in build::MODULES {
        named.push((name, parts::table(&build::named(&toolchain, (name, feature))?)?));
    }
    let files = measure(&["--peers"])?;
    for (name, parts) in named {
        print!("\nbytes of {name}_bg.wasm before compression, by part of the crate\n{parts}");
    }
    if args.has("--readme") {
        readme::write(&markdown(&files))?;
    }
    within_budget(&files)
}

/// Measures the package that is in `pkg/`, prints, and fails when it has grown.
pub fn not_grown() -> Outcome {
    let files = measure(&[])?;
    if let Err(over) = within_budget(&files) {
        println!("   the budget is not met yet: {over}");
    }
    no_more_than(&files, REACHED)
}

fn measure(flags: &[&str]) -> Outcome<Vec<File>> {
    npm::packages()?;
    let out = layout::target().join("size");
    let script = Run::new("node").arg("xtask/scripts/size.mjs").args(flags);
    let measured = script.arg(layout::root()).arg(out).read()?;
    let files = measured.lines().map(File::parse).collect::<Outcome<Vec<_>>>()?;
    print!("{}", table(&files));
    Ok(files)
}

/// One file that a browser may load.
struct File {
    name: String,
    part: Part,
    raw: u64,
    gzip: u64,
    brotli: u64,
}

/// When a file is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// With the default entry.
    Default,
    /// By the default entry, when it is needed.
    Lazy,
    /// With an entry of its own, which a page asks for by name; no budget counts it.
    Own,
    /// What people would use instead.
    Peer,
}

impl Part {
    fn of(word: &str) -> Option<Self> {
        match word {
            "default" => Some(Self::Default),
            "lazy" => Some(Self::Lazy),
            "own" => Some(Self::Own),
            "peer" => Some(Self::Peer),
            _ => None,
        }
    }
}

impl File {
    fn parse(line: &str) -> Outcome<Self> {
        let value: Value = serde_json::from_str(line).context(format!("reading `{line}`"))?;
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let file = (|| {
            Some(File {
                name: text("file")?.to_owned(),
                part: Part::of(text("part")?)?,
                raw: number("raw")?,
                gzip: number("gzip")?,
                brotli: number("brotli")?,
            })
        })();
        file.ok_or_else(|| Failure::Failed(format!("the measure lacks a field: {line}")))
    }
}

fn brotli(files: &[File], part: Part) -> u64 {
    files.iter().filter(|file| file.part == part).map(|file| file.brotli).sum()
}

fn table(files: &[File]) -> String {
    let mut text = format!("{:>9} {:>9} {:>9}\n", "brotli", "gzip", "raw");
    for file in files {
        let part = match file.part {
            Part::Default => "",
            Part::Lazy => "  (lazy)",
            Part::Own => "  (an entry of its own, without what the default entry has)",
            Part::Peer => "  (a peer, without React)",
        };
        let _ = writeln!(text, "{:>9} {:>9} {:>9}  {}{part}", file.brotli, file.gzip, file.raw, file.name);
    }
    let entry = brotli(files, Part::Default);
    let _ = writeln!(text, "{entry:>9} of {DEFAULT_BUDGET} bytes: all that the default entry loads");
    let total = entry + brotli(files, Part::Lazy);
    let _ = writeln!(text, "{total:>9} of {TOTAL_BUDGET} bytes: with the lazy parts");
    text
}

/// The figures for readers, in kB.
fn markdown(files: &[File]) -> String {
    let kilo = |bytes: u64| format!("{:.1}", bytes as f64 / 1000.0);
    let module = |name: &str| files.iter().filter(|file| file.name.ends_with(name)).map(|file| file.brotli).sum();
    let entry = brotli(files, Part::Default);
    let wasm: u64 = module("threadfold_bg.wasm");
    let mut rows = vec![
        ("the default entry, all of it".to_owned(), entry),
        ("of it the module".to_owned(), wasm),
        ("of it JavaScript".to_owned(), entry.saturating_sub(wasm)),
        ("loaded when the first transcoder is made".to_owned(), brotli(files, Part::Lazy)),
    ];
    let rest =
        |part: Part| files.iter().filter(move |file| file.part == part).map(|file| (file.name.clone(), file.brotli));
    rows.extend(rest(Part::Own).map(|(name, size)| (format!("`threadfold/{}`", name.trim_end_matches(".js")), size)));
    rows.extend(rest(Part::Peer).map(|(name, size)| (format!("beside it, {name}"), size)));
    let mut text = "\n| | kB after brotli |\n|---|---:|\n".to_owned();
    for (what, bytes) in rows {
        let _ = writeln!(text, "| {what} | {} |", kilo(bytes));
    }
    text.push('\n');
    text
}

fn within_budget(files: &[File]) -> Outcome {
    let entry = brotli(files, Part::Default);
    let total = entry + brotli(files, Part::Lazy);
    if entry > DEFAULT_BUDGET {
        return Err(Failure::Failed(format!(
            "over the budget: the default entry is {entry} bytes of {DEFAULT_BUDGET}"
        )));
    }
    if total > TOTAL_BUDGET {
        return Err(Failure::Failed(format!("over the budget: {total} bytes of {TOTAL_BUDGET} with the lazy parts")));
    }
    Ok(())
}

fn no_more_than(files: &[File], reached: u64) -> Outcome {
    let entry = brotli(files, Part::Default);
    if entry > reached {
        return Err(Failure::Failed(format!("the default entry has grown to {entry} bytes; it was {reached}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(part: Part, brotli: u64) -> File {
        File { name: "a.js".to_owned(), part, raw: 2 * brotli, gzip: brotli, brotli }
    }

    #[test]
    fn a_line_of_the_measure_is_read_and_one_without_a_size_is_refused() {
        let line = r#"{"file":"x.js","part":"lazy","raw":3,"gzip":2,"brotli":1}"#;
        assert!(
            File::parse(line)
                .is_ok_and(|file| file.part == Part::Lazy && (file.raw, file.gzip, file.brotli) == (3, 2, 1))
        );
        assert!(File::parse(r#"{"file":"x.js","part":"lazy","raw":3,"gzip":2}"#).is_err());
    }

    #[test]
    fn readers_are_told_the_entry_whole_and_in_its_two_parts() {
        let module = File { name: "pkg/wasm/threadfold_bg.wasm".to_owned(), ..file(Part::Default, 90_000) };
        let text = markdown(&[module, file(Part::Default, 10_100), file(Part::Peer, 45_000)]);
        for row in ["all of it | 100.1 |", "the module | 90.0 |", "JavaScript | 10.1 |", "beside it, a.js | 45.0 |"] {
            assert!(text.contains(row), "{row} in {text}");
        }
    }

    #[test]
    fn what_has_grown_is_told_and_lazy_parts_may_grow() {
        assert!(no_more_than(&[file(Part::Default, 100), file(Part::Lazy, 50)], 100).is_ok());
        assert!(no_more_than(&[file(Part::Default, 101)], 100).is_err());
    }

    #[test]
    fn the_budget_holds_up_to_its_last_byte_and_lazy_parts_count_only_in_the_total() {
        assert!(within_budget(&[file(Part::Default, 20_000), file(Part::Default, 40_000)]).is_ok());
        assert!(within_budget(&[file(Part::Default, 60_001)]).is_err());
        assert!(within_budget(&[file(Part::Default, 60_000), file(Part::Lazy, 15_000)]).is_ok());
        assert!(within_budget(&[file(Part::Default, 60_000), file(Part::Lazy, 15_001)]).is_err());
    }
}
