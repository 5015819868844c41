//! The command line.

use clap::Parser;
use std::path::PathBuf;

/// The reference backend of threadfold: threads in a SQLite file, served as the contract threadfold/1 on 127.0.0.1.
///
/// With OPENAI_BASE_URL set (and OPENAI_API_KEY, OPENAI_MODEL), answers come from that chat-completions endpoint;
/// otherwise from a scripted agent: say /help to it.
#[derive(Debug, Clone, Parser)]
#[command(name = "threadfold-host", version, args_override_self = true)]
pub struct Cli {
    /// The port on 127.0.0.1; 0 takes any that is free
    #[arg(long, default_value_t = 8787)]
    pub port: u16,
    /// The SQLite file; made when it is missing
    #[arg(long, value_name = "FILE")]
    pub db: PathBuf,
    /// Serves this directory at /
    #[arg(long, value_name = "DIR")]
    pub www: Option<PathBuf>,
    /// Serves this directory at /pkg/
    #[arg(long, value_name = "DIR")]
    pub pkg: Option<PathBuf>,
    /// Lets pages of this origin ask too, exactly as browsers write it (http://127.0.0.1:5173); may be repeated
    #[arg(long = "origin", value_name = "ORIGIN", value_parser = origin)]
    pub origins: Vec<String>,
    /// Requests of the contract must carry this token, as a bearer or as the cookie "threadfold"
    #[arg(long)]
    pub token: Option<String>,
    /// Allows faults by URL and the /admin endpoints; never on a host that others can reach
    #[arg(long)]
    pub allow_faults: bool,
    /// Milliseconds between two Deltas of the scripted agent and of replayed files
    #[arg(long, value_name = "MS", default_value_t = 30)]
    pub delta_ms: u64,
    /// Milliseconds between two pings on a live stream
    #[arg(long, value_name = "MS", default_value_t = 15_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub ping_ms: u64,
    /// Milliseconds before the second attempt at a response
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pub retry_ms: u64,
    /// Model steps per run
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub max_steps: u32,
    /// Frames that a client may lag before it is told to come again
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..1_000_000))]
    pub queue: u64,
    /// Takes the model's answers from these recordings of chat completions, one JSON chunk per line, a file per turn
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub replay: Vec<PathBuf>,
    /// Starts the host anew, on the same port and file, whenever it crashes
    #[arg(long)]
    pub supervise: bool,
    /// Stops when the standard input ends, as it does when a supervisor goes
    #[arg(long, hide = true)]
    pub until_stdin_closes: bool,
}

fn origin(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    match rest {
        Some(host) if !host.is_empty() && !host.contains(['/', '*', ' ']) => Ok(text.to_owned()),
        _ => Err("an origin is http://host:port or https://host, without a path or a star".to_owned()),
    }
}
