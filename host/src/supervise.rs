//! Keeps a host running: a child that crashes is started anew, on the same port and file.

use std::ffi::OsString;
use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::signal::unix::{SignalKind, signal};

/// Between a crash and the next start.
const PAUSE: Duration = Duration::from_millis(200);

/// Runs this program with these arguments until it ends well, or this one is told to stop.
///
/// The child's standard input is held open: when this process goes, in whatever way, the child stops too.
///
/// # Errors
/// When the child can't be started, or ends before it ever accepted connections.
pub async fn supervise(mut arguments: Vec<OsString>) -> Result<(), String> {
    let failed = |error: io::Error| format!("can't start the host: {error}");
    let program = std::env::current_exe().map_err(failed)?;
    arguments.push(OsString::from("--until-stdin-closes"));
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut address: Option<String> = None;
    loop {
        let mut command = Command::new(&program);
        command.args(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(failed)?;
        let held = child.stdin.take();
        let line = first_line(&mut child).await;
        match (&line, &address) {
            (Some(line), None) => {
                println!("{line}");
                // From now on the same port, even if any was asked for.
                if let Some(port) = line.trim_end_matches('/').rsplit(':').next() {
                    arguments.extend([OsString::from("--port"), OsString::from(port)]);
                }
                address = Some(line.clone());
            }
            (Some(_), Some(_)) => eprintln!("the host is back"),
            (None, _) => {}
        }
        tokio::select! {
            ended = child.wait() => {
                let status = ended.map_err(failed)?;
                if status.success() {
                    return Ok(());
                }
                if address.is_none() {
                    return Err("the host could not start".to_owned());
                }
                eprintln!("the host ended with {status}; it is started anew");
            }
            _ = terminate.recv() => return stop(child, held).await,
            _ = tokio::signal::ctrl_c() => return stop(child, held).await,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn first_line(child: &mut Child) -> Option<String> {
    let stdout = child.stdout.take()?;
    BufReader::new(stdout).lines().next_line().await.ok().flatten()
}

async fn stop(mut child: Child, held: Option<ChildStdin>) -> Result<(), String> {
    drop(held);
    // It says goodbye to its clients; should it hang, it is killed when dropped.
    let _ = tokio::time::timeout(Duration::from_secs(3), child.wait()).await;
    Ok(())
}
