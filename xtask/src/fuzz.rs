//! `cargo xtask fuzz --seconds N [TARGET…]`: the targets of `fuzz/` under libFuzzer, one after the other.
//!
//! They run on the ordinary toolchain: `RUSTC_BOOTSTRAP` lets it take the flags that instrument the code, and the runtime is
//! compiled with the crate `libfuzzer-sys`. What a run finds stays in `target/fuzz/found/`, and an input that broke
//! something in `target/fuzz/broken/`; the committed inputs are read and not written to.

use crate::args::{Args, Takes};
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::{Run, seconds};
use crate::setup::crates;
use std::fs;
use std::time::Duration;

pub const USAGE: &str = "--seconds N [TARGET…]";

const TARGETS: &[&str] = &["sse", "json", "partial", "dsh", "follower", "transcoders"];

/// Fuzzes so many seconds in all, in equal parts, and says what each target came to.
pub fn run(arguments: &[String]) -> Outcome {
    let args = Args::parse(arguments, &[("--seconds", Takes::Many)])?;
    let given = args.all("--seconds");
    let (time, names) = given.split_first().ok_or_else(|| Failure::Usage("fuzz needs --seconds N".to_owned()))?;
    let time: u64 = time.parse().map_err(|_| Failure::Usage(format!("--seconds takes a number, not `{time}`")))?;
    let targets = chosen(names)?;
    let each = (time / targets.len() as u64).max(1);
    build()?;
    let mut lines = Vec::new();
    let mut broken = 0;
    for target in targets {
        let (line, holds) = fuzz(target, each)?;
        lines.push(line);
        broken += u32::from(!holds);
    }
    println!("\n{:<12} {:>12} {:>9} {:>9} {:>9}", "target", "executions", "time", "inputs", "coverage");
    lines.iter().for_each(|line| println!("{line}"));
    if broken == 0 { Ok(()) } else { Err(Failure::Code(1)) }
}

fn chosen(names: &[&str]) -> Outcome<Vec<&'static str>> {
    match names.iter().find(|name| !TARGETS.contains(name)) {
        Some(name) => {
            Err(Failure::Usage(format!("there is no target `{name}`; the targets are: {}", TARGETS.join(" "))))
        }
        None => Ok(TARGETS.iter().copied().filter(|target| names.is_empty() || names.contains(target)).collect()),
    }
}

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

fn build() -> Outcome {
    // All of it is safe Rust, so there is nothing for a sanitizer to find, and without one no nightly compiler is needed.
    Run::new(crates::cargo_fuzz()?)
        .args(["fuzz", "build", "--fuzz-dir", "fuzz", "--sanitizer", "none", "--target", TRIPLE])
        .arg("--target-dir")
        .arg(layout::target().join("fuzz"))
        .env("RUSTC_BOOTSTRAP", "1")
        .run()
}

/// Fuzzes one target; gives its line in the table, and false when an input broke it.
fn fuzz(target: &str, time: u64) -> Outcome<(String, bool)> {
    let place = layout::target().join("fuzz");
    let (found, broken) = (place.join("found").join(target), place.join("broken").join(target));
    for folder in [&found, &broken] {
        fs::create_dir_all(folder).context(format!("making {}", folder.display()))?;
    }
    let program = place.join(TRIPLE).join("release").join(target);
    let artifacts = format!("-artifact_prefix={}/", broken.display());
    // libFuzzer speaks on its standard error, and has a line for each input that it keeps.
    let quietly = r#""$@" 2>&1 | grep -avE '^#[0-9]+\s+(NEW|REDUCE|RELOAD)'"#;
    let (status, output) = Run::new("bash")
        .args(["-o", "pipefail", "-c", quietly, "bash"])
        .arg(program)
        .arg(&found)
        .arg(layout::root().join("fuzz/corpus").join(target))
        .args([&format!("-max_total_time={time}"), "-max_len=4096", "-timeout=20", "-rss_limit_mb=2048"])
        .args([artifacts.as_str(), "-print_final_stats=1", "-verbosity=1"])
        .tee()?;
    let executions = after(&output, "stat::number_of_executed_units:").unwrap_or("?");
    let last = output.lines().rfind(|line| line.contains(" cov: ")).unwrap_or_default();
    let (coverage, inputs) = (after(last, " cov:").unwrap_or("?"), after(last, " corp:").unwrap_or("?"));
    let inputs = inputs.split('/').next().unwrap_or(inputs);
    let time = seconds(Duration::from_secs(time));
    let verdict = if status.success() { "" } else { "  BROKEN" };
    Ok((format!("{target:<12} {executions:>12} {time:>9} {inputs:>9} {coverage:>9}{verdict}"), status.success()))
}

/// The word after a label.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.split_once(label)?.1.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_are_those_of_the_crate_in_their_order() {
        let manifest = include_str!("../../fuzz/Cargo.toml");
        let named: Vec<&str> =
            manifest.split("[[bin]]\nname = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(named, TARGETS);
        assert_eq!(chosen(&["json", "sse"]).ok(), Some(vec!["sse", "json"]));
        assert!(chosen(&["jsn"]).is_err());
    }

    #[test]
    fn figures_are_read_from_what_libfuzzer_prints() {
        let line = "#2004\tREDUCE cov: 352 ft: 1568 corp: 362/42Kb lim: 496 exec/s: 20027";
        assert_eq!(
            (after(line, " cov:"), after(line, " corp:"), after(line, " no:")),
            (Some("352"), Some("362/42Kb"), None)
        );
    }
}
