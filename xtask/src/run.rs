//! Starts processes: says what is run, streams what they print, and ends by id what outlives its use.

use crate::failure::{Context, Failure, Outcome};
use crate::layout;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A process to be run in the repository's root.
pub struct Run {
    command: Command,
    line: String,
}

impl Run {
    /// A program by name or path, with no standard input.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(&program);
        command.current_dir(layout::root()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if of_cargo_run(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        Self { command, line: program.as_ref().to_string_lossy().into_owned() }
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.line.push(' ');
        self.line += &argument.as_ref().to_string_lossy();
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Run::arg)
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it in another folder than the repository's root.
    pub fn within(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it to its end, printing what it prints; anything but exit code 0 is a failure.
    pub fn run(self) -> Outcome {
        let line = self.line.clone();
        let status = self.status()?;
        if status.success() { Ok(()) } else { Err(Failure::Failed(format!("`{line}` ended with {status}"))) }
    }

    /// Runs it to its end, printing what it prints.
    pub fn status(mut self) -> Outcome<ExitStatus> {
        self.announce();
        self.command.status().context(format!("starting `{}`", self.line))
    }

    /// Runs it to its end, printing what it prints, and keeps its standard output.
    pub fn tee(mut self) -> Outcome<(ExitStatus, String)> {
        self.announce();
        let mut child = self.command.stdout(Stdio::piped()).spawn().context(format!("starting `{}`", self.line))?;
        let mut kept = String::new();
        if let Some(stdout) = child.stdout.take() {
            for line in lines(stdout) {
                println!("{line}");
                kept += &line;
                kept.push('\n');
            }
        }
        let status = child.wait().context(format!("waiting for `{}`", self.line))?;
        Ok((status, kept))
    }

    /// Runs it silently and gives what it wrote to its standard output.
    pub fn read(mut self) -> Outcome<String> {
        let output = self.command.output().context(format!("starting `{}`", self.line))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::Failed(format!("`{}` ended with {}\n{said}", self.line, output.status)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Starts a server and waits until it prints a line that `ready` recognises.
    pub fn serve<T: Send + 'static>(
        mut self,
        within: Duration,
        ready: impl Fn(&str) -> Option<T> + Send + 'static,
    ) -> Outcome<(Server, T)> {
        self.announce();
        let mut child = self.command.stdout(Stdio::piped()).spawn().context(format!("starting `{}`", self.line))?;
        let stdout = child.stdout.take();
        let server = Server { child };
        let (found, waiting) = mpsc::channel();
        // The thread goes on printing for as long as the server lives; it ends with the server's output.
        std::thread::spawn(move || {
            for line in stdout.into_iter().flat_map(lines) {
                println!("{line}");
                if let Some(value) = ready(&line) {
                    let _ = found.send(value);
                }
            }
        });
        match waiting.recv_timeout(within) {
            Ok(value) => Ok((server, value)),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                Err(Failure::Failed(format!("`{}` was not ready after {}", self.line, seconds(within))))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                Err(Failure::Failed(format!("`{}` ended before it was ready", self.line)))
            }
        }
    }

    fn announce(&self) {
        println!("$ {}", self.line.replace(&format!("{}/", layout::root().display()), ""));
        let _ = std::io::stdout().flush();
    }
}

/// Whether `cargo run` has set the variable for this package alone. Build scripts that watch such variables would run
/// again whenever a build is started in another way, and the loader's path is of a toolchain that need not be the next
/// process's.
fn of_cargo_run(name: &str) -> bool {
    let of_a_package = ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.starts_with(prefix));
    of_a_package || matches!(name, "CARGO" | "LD_LIBRARY_PATH")
}

/// Lines of a process's output, whatever bytes it prints.
fn lines(output: impl std::io::Read) -> impl Iterator<Item = String> {
    let mut output = BufReader::new(output);
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        match output.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
        }
    })
}

/// A process that serves until it is ended: at the latest when this value goes.
pub struct Server {
    child: Child,
}

impl Server {
    /// The exit status, once it has ended by itself.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Asks it to end, and makes it end if it doesn't within five seconds.
    pub fn end(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        if self.ended().is_some() {
            return;
        }
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let patience = if asked.is_ok_and(|status| status.success()) { 5 } else { 0 };
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(patience) {
            if self.ended().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The first folder of `PATH` that holds the program.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A time as it is printed everywhere: `3.4 s`, `2 min 05 s`.
pub fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(60) {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed_in_seconds_and_then_in_minutes() {
        assert_eq!(seconds(Duration::from_millis(3449)), "3.4 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 05 s");
    }

    #[test]
    fn a_process_is_not_told_that_it_runs_for_this_package() {
        let told = Run::new("env").read().unwrap_or_default();
        assert!(told.lines().any(|line| line.starts_with("PATH=")));
        let for_package = told.lines().filter_map(|line| line.split_once('=')).find(|(name, _)| of_cargo_run(name));
        assert_eq!(for_package, None);
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some(), "cargo sets it for tests");
    }

    #[test]
    fn lines_survive_bytes_that_are_not_text() {
        assert_eq!(lines(&b"a\r\n\xff\nlast"[..]).collect::<Vec<_>>(), ["a", "\u{fffd}", "last"]);
    }
}
