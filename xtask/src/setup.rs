//! What the commands need beside Rust and Node: each tool is installed once per version, outside of the repository,
//! and found again by later runs.

pub mod apt;
pub mod bindgen;
pub mod browser;
pub mod cache;
pub mod crates;
pub mod dsh;
pub mod firefox;
pub mod npm;
pub mod python;
pub mod twiggy;
pub mod wasm_std;

use crate::args::Args;
use crate::failure::Outcome;
use crate::layout;
use crate::run::seconds;
use std::fmt::Display;
use std::time::Instant;

pub const USAGE: &str = "";

/// Installs everything, and says where it is.
pub fn run(arguments: &[String]) -> Outcome {
    Args::parse(arguments, &[])?;
    everything()?;
    say("cargo-deny", crates::cargo_deny()?.display());
    Ok(())
}

/// All that the demo and the tests in a browser need.
pub struct Tools {
    /// Cargo with a standard library for wasm32.
    pub wasm: wasm_std::Toolchain,
    /// Chromium with its driver.
    pub browser: browser::Browser,
}

/// Installs what is missing, and says what is there.
pub fn everything() -> Outcome<Tools> {
    let start = Instant::now();
    say("installed tools", layout::cache()?.display());
    let wasm = wasm_std::toolchain()?;
    say("wasm32 standard library", &wasm);
    say("wasm-bindgen", bindgen::folder()?.display());
    say("npm packages", npm::packages()?.display());
    let browser = browser::browser()?;
    say("Chromium", format!("{}, {}", browser.chrome.display(), browser.driver.display()));
    say("Python", python::python()?.display());
    say("set up in", seconds(start.elapsed()));
    Ok(Tools { wasm, browser })
}

fn say(what: &str, found: impl Display) {
    println!("   {what}: {found}");
}
