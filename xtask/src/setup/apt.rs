//! Debian's packages, installed only by root: a command doesn't ask for a password.

use crate::failure::{Failure, Outcome};
use crate::run::{Run, on_path, seconds};
use std::time::Instant;

/// Whether packages can be installed without asking anybody.
pub fn possible() -> bool {
    on_path("apt-get").is_some() && Run::new("id").arg("-u").read().is_ok_and(|id| id.trim() == "0")
}

/// Installs packages, or says what command would. `what` is what they bring.
pub fn install(what: &str, packages: &[&str]) -> Outcome {
    if !possible() {
        return Err(Failure::Failed(format!(
            "{what} is missing; this installs it:\n    sudo apt-get install --no-install-recommends {}",
            packages.join(" ")
        )));
    }
    println!("── installing {what} from Debian's packages");
    let start = Instant::now();
    // Another package manager may be at work, at the machine's start for example: wait for it.
    let apt = || {
        let options = ["-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"];
        Run::new("apt-get").args(options).env("DEBIAN_FRONTEND", "noninteractive")
    };
    apt().arg("update").run()?;
    apt().args(["install", "-y", "--no-install-recommends"]).args(packages).run()?;
    println!("   installed in {}", seconds(start.elapsed()));
    Ok(())
}
