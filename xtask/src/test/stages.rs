//! The stages, in the order in which they run: what is quick to fail comes first.

use super::counts::Counts;
use crate::failure::{Context, Outcome};
use crate::run::Run;
use crate::setup::{self, bindgen, browser, crates, firefox, npm, python, wasm_std};
use crate::{build, demo, layout, pack, replay, size, soak};
use std::fs;
use std::path::PathBuf;

/// One stage. What it needs it sets up itself, so that it can be run alone.
pub struct Stage {
    /// The name for `--stage`.
    pub name: &'static str,
    /// What it shows when it passes.
    pub what: &'static str,
    /// Runs it. A failure counts as one failed check.
    pub run: fn() -> Outcome<Counts>,
}

pub const STAGES: &[Stage] = &[
    Stage { name: "setup", what: "the tools are installed", run: set_up },
    Stage { name: "fmt", what: "rustfmt has nothing to change", run: fmt },
    Stage { name: "clippy", what: "no lint and no warning, natively and for wasm32", run: clippy },
    Stage { name: "deny", what: "licences, bans and sources of all dependencies", run: deny },
    Stage { name: "core", what: "the crate's tests, natively", run: core },
    Stage { name: "sim", what: "100,000 simulated schedules, and each state of a small world", run: simulation },
    Stage { name: "host", what: "the host's and the commands' tests", run: host },
    Stage { name: "wasm", what: "the crate's tests as wasm in Chromium", run: wasm },
    Stage { name: "json", what: "the JSON reader against JSON.parse in Node", run: json_in_node },
    Stage { name: "beside", what: "the decoders beside other parsers and Chromium's EventSource", run: beside_others },
    Stage { name: "dsh", what: "recorded dsh sessions, whole and damaged", run: recordings },
    Stage { name: "peers", what: "the transcoders, judged by each protocol's own client", run: peers },
    Stage { name: "adapters", what: "the adapters and the host's other wires, through stock clients", run: adapters },
    Stage { name: "node", what: "the package in Node", run: node },
    Stage { name: "browser", what: "page, package and host in Chromium", run: in_browser },
    Stage { name: "firefox", what: "reload, reconnect, offline and the way back, in Firefox", run: in_firefox },
    Stage { name: "conformance", what: "the conformance kit, on good servers and on broken ones", run: conformance },
    Stage { name: "docs", what: "every block of code in the documentation, and the newcomer's path", run: docs },
    Stage { name: "packaging", what: "the packed package in bundlers, frameworks and compilers", run: packaging },
    Stage { name: "size", what: "the default entry has not grown", run: not_grown },
];

fn set_up() -> Outcome<Counts> {
    setup::everything()?;
    crates::cargo_deny()?;
    Ok(Counts::CHECK)
}

fn fmt() -> Outcome<Counts> {
    Run::new("cargo").args(["fmt", "--all", "--check"]).run()?;
    Ok(Counts::CHECK)
}

fn clippy() -> Outcome<Counts> {
    Run::new("cargo").args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run()?;
    let toolchain = wasm_std::toolchain()?;
    toolchain.cargo("clippy").args(["--package", "threadfold", "--all-targets", "--", "-D", "warnings"]).run()?;
    Ok(Counts::CHECK)
}

fn deny() -> Outcome<Counts> {
    Run::new(crates::cargo_deny()?).args(["check", "licenses", "bans", "sources"]).run()?;
    Ok(Counts::CHECK)
}

fn core() -> Outcome<Counts> {
    native(&["--package", "threadfold"])
}

/// Built optimised. The exploration is a test of the library, and goes to its end only here.
fn simulation() -> Outcome<Counts> {
    let run = |targets: &[&str], filter: &[&str]| -> Outcome<Counts> {
        let test = soak::simulator(targets).args(["--", "--nocapture"]).args(filter);
        let (status, output) = test.tee()?;
        Ok(Counts::of_cargo(&output).checked(status))
    };
    Ok(run(&["--test", "sim"], &[])? + run(&["--lib"], &["explore"])?)
}

fn host() -> Outcome<Counts> {
    native(&["--workspace", "--exclude", "threadfold"])
}

fn native(packages: &[&str]) -> Outcome<Counts> {
    let test = Run::new("cargo").arg("test").args(packages).args(["--no-fail-fast", "--", "--format", "terse"]);
    let (status, output) = test.tee()?;
    Ok(Counts::of_cargo(&output).checked(status))
}

/// `WASM_BINDGEN_USE_BROWSER` sends every test to the browser unless its file says otherwise, so that unit tests and
/// `tests/*.rs` need no `wasm_bindgen_test_configure!`: with `use wasm_bindgen_test::wasm_bindgen_test as test` under
/// `cfg(target_arch = "wasm32")`, `#[test]` is a native test and a browser test at once. A file of `tests/` that only
/// makes sense natively begins with `#![cfg(not(target_arch = "wasm32"))]`. Documentation tests run natively alone.
fn wasm() -> Outcome<Counts> {
    let toolchain = wasm_std::toolchain()?;
    let runner = bindgen::folder()?.join("wasm-bindgen-test-runner");
    let browser = browser::browser()?;
    let test = ["--package", "threadfold", "--lib", "--tests", "--no-fail-fast"];
    let (status, output) = toolchain
        .cargo("test")
        .args(test)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        .env("CHROMEDRIVER", &browser.driver)
        .env("WASM_BINDGEN_USE_BROWSER", "1")
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser.webdriver_json()?)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
        .tee()?;
    Ok(Counts::of_cargo(&output).checked(status))
}

/// What is compared with the engine's own `JSON.parse` runs in Node's engine too.
fn json_in_node() -> Outcome<Counts> {
    let runner = bindgen::folder()?.join("wasm-bindgen-test-runner");
    let (status, output) = wasm_std::toolchain()?
        .cargo("test")
        .args(["--package", "threadfold", "--test", "json_parse"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        .tee()?;
    Ok(Counts::of_cargo(&output).checked(status))
}

/// Each file is given `THREADFOLD_DECODE` (the program of `examples/decode.rs`) and `CHROME`.
fn beside_others() -> Outcome<Counts> {
    npm::packages()?;
    let build = ["build", "--quiet", "--profile", "replay", "--package", "threadfold", "--example", "decode"];
    Run::new("cargo").args(build).run()?;
    let program = layout::target().join("replay/examples/decode");
    let node = Run::new("node").env("THREADFOLD_DECODE", program).env("CHROME", browser::browser()?.chrome);
    node_tests(node, "tests/differential", 1)
}

fn node() -> Outcome<Counts> {
    build::package(&wasm_std::toolchain()?)?;
    node_tests(Run::new("node"), "pkg/tests", 1)
}

/// Each file is given `THREADFOLD_REPLAY` (the program of `examples/dsh_replay.rs`).
fn recordings() -> Outcome<Counts> {
    let whole = node_tests(Run::new("node").env("THREADFOLD_REPLAY", replay::program()?), "tests/dsh", 2)?;
    let run = ["run", "--quiet", "--profile", "replay", "--package", "threadfold", "--example", "dsh_damaged"];
    let (status, output) = Run::new("cargo").args(run).tee()?;
    Ok(whole + Counts::of_replays(&output).checked(status))
}

/// One program judges all, given `THREADFOLD_TRANSCODE` (the program of `examples/transcode.rs`) and `THREADFOLD_HOST`.
fn peers() -> Outcome<Counts> {
    build::package(&wasm_std::toolchain()?)?;
    npm::packages()?;
    Run::new("cargo").args(["build", "--package", "threadfold", "--example", "transcode"]).run()?;
    let program = layout::target().join("debug/examples/transcode");
    // What the simulator's pages are told, on schedules that its own stage does not play.
    let told = layout::target().join("peers/simulated.jsonl");
    fs::create_dir_all(layout::target().join("peers")).context("making a folder")?;
    let schedules = soak::simulator(&["--test", "sim"]).env("SIM_SEED", "1000001").env("SIM_SCHEDULES", "2000");
    schedules.env("SIM_EVENTS", &told).run()?;
    let node = Run::new("node").env("THREADFOLD_TRANSCODE", program).env("THREADFOLD_HOST", demo::host()?);
    let node = node.env("PEERS_SIMULATED", told);
    let (status, output) = node.arg("tests/peers/main.mjs").tee()?;
    Ok(Counts::of_node(&output).checked(status))
}

/// Each file is given `THREADFOLD_HOST` (the host's program).
fn adapters() -> Outcome<Counts> {
    build::package(&wasm_std::toolchain()?)?;
    node_tests(Run::new("node").env("THREADFOLD_HOST", demo::host()?), "tests/adapters", 2)
}

/// Each file is given `CHROME` (Chromium) and `THREADFOLD_HOST` (the host's program).
fn in_browser() -> Outcome<Counts> {
    node_tests(with_browser()?, "www/tests", 1)
}

/// The browser tests whose matter a browser may take otherwise, with `BROWSER`, `FIREFOX` and `GECKODRIVER` beside what
/// [`in_browser`] gives.
fn in_firefox() -> Outcome<Counts> {
    let firefox = firefox::firefox()?;
    let files =
        ["recovery", "cache", "lifecycle"].map(|name| layout::root().join(format!("www/tests/{name}.test.mjs")));
    let node =
        with_browser()?.env("BROWSER", "firefox").env("FIREFOX", firefox.firefox).env("GECKODRIVER", firefox.driver);
    tests_of(node, files, 1)
}

pub fn with_browser() -> Outcome<Run> {
    build::package(&wasm_std::toolchain()?)?;
    build::examples()?;
    python::python()?;
    Ok(Run::new("node").env("CHROME", browser::browser()?.chrome).env("THREADFOLD_HOST", demo::host()?))
}

/// Each file is given `THREADFOLD_HOST` (the host's program) and `THREADFOLD_AXUM` (that of `host/examples/strict`).
fn conformance() -> Outcome<Counts> {
    let host = demo::host()?;
    Run::new("cargo").args(["build", "--package", "threadfold-host", "--example", "strict"]).run()?;
    let axum = layout::target().join("debug/examples/strict");
    node_tests(Run::new("node").env("THREADFOLD_HOST", host).env("THREADFOLD_AXUM", axum), "conformance/tests", 1)
}

fn docs() -> Outcome<Counts> {
    node_tests(with_package()?, "tests/docs", 1)
}

fn packaging() -> Outcome<Counts> {
    node_tests(with_package()?, "tests/packaging", 2)
}

/// Each file is given `CHROME`, `THREADFOLD_PACKAGE` (the tarball) and `THREADFOLD_TOOLS` (where the bundlers are).
pub fn with_package() -> Outcome<Run> {
    let package = pack::tarball()?;
    let node = Run::new("node").env("CHROME", browser::browser()?.chrome);
    Ok(node.env("THREADFOLD_PACKAGE", package).env("THREADFOLD_TOOLS", npm::packaging()?))
}

/// Runs the `*.test.mjs` of a folder, so many files at a time: two browsers at once would be slow on two cores.
fn node_tests(node: Run, folder: &str, at_a_time: u8) -> Outcome<Counts> {
    tests_of(node, files_of(folder)?, at_a_time)
}

fn tests_of(node: Run, files: impl IntoIterator<Item = PathBuf>, at_a_time: u8) -> Outcome<Counts> {
    // A file that hangs fails, long before whoever runs all of it gives up; the longest one takes a few minutes.
    let options = ["--test", "--test-reporter=spec", "--test-timeout=1200000"];
    let at_a_time = format!("--test-concurrency={at_a_time}");
    let (status, output) = node.args(options).arg(at_a_time).args(files).tee()?;
    Ok(Counts::of_node(&output).checked(status))
}

/// The `*.test.mjs` of a folder.
pub fn files_of(folder: &str) -> Outcome<Vec<PathBuf>> {
    let here = layout::root().join(folder);
    let entries = fs::read_dir(&here).context(format!("reading {folder}"))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    files.sort();
    Ok(files)
}

fn not_grown() -> Outcome<Counts> {
    build::package(&wasm_std::toolchain()?)?;
    size::not_grown()?;
    Ok(Counts::CHECK)
}
