//! Chromium and the driver of the same version: what `CHROME` and `CHROMEDRIVER` name, what is on the path, or
//! Debian's.

use super::apt;
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::on_path;
use serde_json::json;
use std::env;
use std::fs;
use std::path::PathBuf;

/// No window, no sandbox (containers have none to give), and no traffic of the browser's own.
pub const FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The two programs.
pub struct Browser {
    /// Chromium.
    pub chrome: PathBuf,
    /// ChromeDriver.
    pub driver: PathBuf,
}

/// Finds them, or installs Debian's.
pub fn browser() -> Outcome<Browser> {
    if let Some(browser) = found() {
        return Ok(browser);
    }
    apt::install("Chromium with its driver", &["chromium", "chromium-driver"])?;
    found().ok_or_else(|| Failure::of("the installed Chromium is not on the path; name it in CHROME"))
}

fn found() -> Option<Browser> {
    let chrome = program("CHROME", &["chromium", "google-chrome", "chrome"])?;
    Some(Browser { chrome, driver: program("CHROMEDRIVER", &["chromedriver"])? })
}

pub(super) fn program(variable: &str, names: &[&str]) -> Option<PathBuf> {
    let named = env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named.or_else(|| names.iter().find_map(|name| on_path(name)))
}

impl Browser {
    /// Writes the capabilities that wasm-bindgen's test runner asks its browser for.
    pub fn webdriver_json(&self) -> Outcome<PathBuf> {
        let file = layout::target().join("webdriver.json");
        let capabilities = json!({ "goog:chromeOptions": { "binary": self.chrome, "args": FLAGS } });
        fs::create_dir_all(layout::target()).context("making the target folder")?;
        fs::write(&file, capabilities.to_string()).context(format!("writing {}", file.display()))?;
        Ok(file)
    }
}
