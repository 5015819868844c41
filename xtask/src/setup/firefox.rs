//! Firefox and its driver: what `FIREFOX` and `GECKODRIVER` name, what is on the path, or Debian's browser and the driver
//! from the crate registry.

use super::browser::program;
use super::{apt, crates};
use crate::failure::{Failure, Outcome};
use std::path::PathBuf;

/// The two programs.
pub struct Firefox {
    /// Firefox.
    pub firefox: PathBuf,
    /// geckodriver.
    pub driver: PathBuf,
}

/// Finds them, or installs them.
pub fn firefox() -> Outcome<Firefox> {
    let browser = || program("FIREFOX", &["firefox-esr", "firefox"]);
    if browser().is_none() {
        apt::install("Firefox", &["firefox-esr"])?;
    }
    let firefox =
        browser().ok_or_else(|| Failure::of("the installed Firefox is not on the path; name it in FIREFOX"))?;
    let driver = match program("GECKODRIVER", &["geckodriver"]) {
        Some(driver) => driver,
        None => crates::geckodriver()?,
    };
    Ok(Firefox { firefox, driver })
}
