//! `cargo xtask demo`: everything from nothing to a page that streams, and `--check`, the same with a script in the
//! place of a person.
//!
//! The check is `www/tests/check.mjs`. It is given `CHROME` (Chromium), `THREADFOLD_HOST` (the host's program),
//! `THREADFOLD_DB` (a file that doesn't exist yet), `THREADFOLD_SCREENSHOT` (the picture to write) in its environment
//! and `--replay FILE…`, `--fault NAME`, `--tamper` as its arguments. It starts the host itself, prints one line of
//! JSON at its end, and its exit code is this command's.

use crate::args::{Args, Takes};
use crate::build;
use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use crate::run::{Run, seconds};
use crate::setup;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub const USAGE: &str = "[--port N] | --check [--replay FILE…] [--fault NAME] [--tamper]";

const FLAGS: &[(&str, Takes)] = &[
    ("--port", Takes::One),
    ("--check", Takes::Nothing),
    ("--replay", Takes::Many),
    ("--fault", Takes::One),
    ("--tamper", Takes::Nothing),
];

/// The port that the address bar remembers; any other by `--port`, and 0 for a free one.
const PORT: u16 = 8787;

/// What the command line asks for.
#[derive(Debug, PartialEq)]
enum Wanted {
    /// The host in the foreground, on this port.
    Serve(u16),
    /// The scripted session, with these arguments.
    Check(Vec<String>),
}

/// Sets up, builds, and serves or checks.
pub fn run(arguments: &[String]) -> Outcome {
    let wanted = wanted(&Args::parse(arguments, FLAGS)?)?;
    let start = Instant::now();
    let tools = setup::everything()?;
    let set_up = start.elapsed();
    build::package(&tools.wasm)?;
    build::examples()?;
    let host = host()?;
    println!("   ready after {}, of which {} were set-up", seconds(start.elapsed()), seconds(set_up));
    match wanted {
        Wanted::Serve(port) => serve(&host, port),
        Wanted::Check(arguments) => check(&host, &tools.browser.chrome, &arguments),
    }
}

fn wanted(args: &Args) -> Outcome<Wanted> {
    if !args.has("--check") {
        if let Some(flag) = ["--replay", "--fault", "--tamper"].iter().find(|flag| args.has(flag)) {
            return Err(Failure::Usage(format!("{flag} goes with --check")));
        }
        let port = args.last("--port").map_or(Ok(PORT), str::parse);
        return port
            .map(Wanted::Serve)
            .map_err(|_| Failure::of("--port takes a number from 0 to 65535"))
            .or_else(usage);
    }
    if args.has("--port") {
        return Err(Failure::Usage("--port goes without --check, which takes a free one".to_owned()));
    }
    let mut passed = Vec::new();
    let files = args.all("--replay");
    if !files.is_empty() {
        passed.push("--replay".to_owned());
        for file in files {
            // The check runs in the repository's root, which need not be where the command was given.
            let absolute = std::path::absolute(file).context(format!("finding {file}"))?;
            passed.push(absolute.to_string_lossy().into_owned());
        }
    }
    if let Some(fault) = args.last("--fault") {
        passed.extend(["--fault".to_owned(), fault.to_owned()]);
    }
    if args.has("--tamper") {
        passed.push("--tamper".to_owned());
    }
    Ok(Wanted::Check(passed))
}

fn usage<T>(failure: Failure) -> Outcome<T> {
    Err(Failure::Usage(failure.to_string()))
}

/// Builds the reference host and gives its program.
pub fn host() -> Outcome<PathBuf> {
    Run::new("cargo").args(["build", "--package", "threadfold-host"]).run()?;
    Ok(layout::target().join("debug/threadfold-host"))
}

fn serve(host: &Path, port: u16) -> Outcome {
    let folder = layout::target().join("demo");
    fs::create_dir_all(&folder).context("making the demo's folder")?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("listening to Ctrl-C")?;
    }
    let (mut server, address) = Run::new(host)
        .args(["--port", &port.to_string(), "--db"])
        .arg(folder.join("threads.sqlite"))
        // The page's buttons break the wire and kill the host, which has to come back.
        .args(["--www", "www", "--pkg", "pkg", "--allow-faults", "--supervise"])
        .serve(Duration::from_secs(20), |line| line.strip_prefix("threadfold host: ").map(str::to_owned))?;
    println!("\n   the demo is at {address}\n   Ctrl-C ends it\n");
    while !stop.load(Ordering::Relaxed) {
        if let Some(status) = server.ended() {
            // Ctrl-C in a terminal reaches the host as well, perhaps before this process.
            std::thread::sleep(Duration::from_millis(100));
            if stop.load(Ordering::Relaxed) {
                break;
            }
            return Err(Failure::Failed(format!("the host ended by itself with {status}")));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    server.end();
    println!("\n   the host has ended");
    Ok(())
}

fn check(host: &Path, chrome: &Path, arguments: &[String]) -> Outcome {
    let folder = layout::target().join("demo");
    fs::create_dir_all(&folder).context("making the demo's folder")?;
    for name in ["check.sqlite", "check.sqlite-wal", "check.sqlite-shm"] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Failure::Failed(format!("removing the last check's {name}: {error}")));
            }
            _ => {}
        }
    }
    let start = Instant::now();
    let status = Run::new("node")
        .arg("www/tests/check.mjs")
        .args(arguments)
        .env("CHROME", chrome)
        .env("THREADFOLD_HOST", host)
        .env("THREADFOLD_DB", folder.join("check.sqlite"))
        .env("THREADFOLD_SCREENSHOT", layout::target().join("demo.png"))
        .status()?;
    // On the other stream: the last line of the output is the check's JSON.
    eprintln!("   checked in {}", seconds(start.elapsed()));
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(Failure::Code(u8::try_from(code).unwrap_or(1))),
        None => Err(Failure::Failed(format!("the check ended with {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Wanted, String> {
        let arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        Args::parse(&arguments, FLAGS).and_then(|args| wanted(&args)).map_err(|failure| match failure {
            Failure::Usage(reason) => reason,
            other => format!("not a usage error: {other}"),
        })
    }

    #[test]
    fn without_a_check_the_host_is_served_on_the_port() {
        assert_eq!(read(""), Ok(Wanted::Serve(PORT)));
        assert_eq!(read("--port 0"), Ok(Wanted::Serve(0)));
        assert!(read("--port 99999").is_err_and(|reason| reason.contains("65535")));
    }

    #[test]
    fn the_checks_flags_are_passed_on_and_mean_nothing_without_it() {
        let passed = ["--replay", "/a", "/b", "--fault", "cut", "--tamper"].map(str::to_owned).to_vec();
        assert_eq!(read("--check --tamper --fault cut --replay /a /b"), Ok(Wanted::Check(passed)));
        assert_eq!(read("--tamper"), Err("--tamper goes with --check".to_owned()));
        assert!(read("--check --port 80").is_err());
    }
}
