//! The reference backend of threadfold, as a program.

use clap::Parser;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use threadfold_host::agent::{Model, Script};
use threadfold_host::api::Site;
use threadfold_host::cli::Cli;
use threadfold_host::provider::{OpenAi, Replay};
use threadfold_host::run::Limits;
use threadfold_host::server::{Host, Options};
use threadfold_host::store::SqliteStore;
use threadfold_host::supervise::supervise;
use tokio::io::AsyncReadExt;
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("threadfold-host: can't start its threads: {error}");
            return ExitCode::FAILURE;
        }
    };
    let done = runtime.block_on(async {
        if cli.supervise {
            supervise(std::env::args_os().skip(1).filter(|argument| argument != "--supervise").collect()).await
        } else {
            run(cli).await
        }
    });
    // A read of the standard input may still block; nothing is lost with it.
    runtime.shutdown_background();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("threadfold-host: {message}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<(), String> {
    let store =
        SqliteStore::open(&cli.db).map_err(|error| format!("can't open the database {}: {error}", cli.db.display()))?;
    let pace = Duration::from_millis(cli.delta_ms);
    let replay = if cli.replay.is_empty() {
        None
    } else {
        Some(Replay::start(&cli.replay, pace).await.map_err(|error| format!("can't replay: {error}"))?)
    };
    let model = model(replay.as_ref(), pace)?;
    let options = Options {
        port: cli.port,
        origins: cli.origins,
        token: cli.token,
        allow_faults: cli.allow_faults,
        ping: Duration::from_millis(cli.ping_ms),
        limits: Limits {
            max_steps: cli.max_steps,
            retry: Duration::from_millis(cli.retry_ms),
            queue: usize::try_from(cli.queue).unwrap_or(1024),
            ..Limits::default()
        },
        site: Site { www: cli.www, pkg: cli.pkg },
    };
    let mut host = Host::start(Arc::new(store), model, options).await.map_err(|error| error.to_string())?;
    // Before the line: whoever reads it may tell this process to stop at once.
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    println!("threadfold host: http://{}/", host.address);
    tokio::select! {
        served = host.serve() => return served.map_err(|error| error.to_string()),
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
        () = stdin_closed(cli.until_stdin_closes) => {}
    }
    host.stop().await;
    Ok(())
}

/// Ends when the standard input does, if that matters; otherwise never.
async fn stdin_closed(matters: bool) {
    if !matters {
        std::future::pending::<()>().await;
    }
    let mut sink = [0; 64];
    let mut stdin = tokio::io::stdin();
    while let Ok(1..) = stdin.read(&mut sink).await {}
}

/// Recordings if there are any, the endpoint that the environment names, or the script.
fn model(replay: Option<&Replay>, pace: Duration) -> Result<Arc<dyn Model>, String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(replay) = replay {
        eprintln!("answers come from recordings");
        return Ok(Arc::new(OpenAi::new(&replay.base, None, "replay")?));
    }
    let Some(base) = variable("OPENAI_BASE_URL") else {
        eprintln!("answers come from the scripted agent; say /help to it");
        return Ok(Arc::new(Script { pace }));
    };
    let model = variable("OPENAI_MODEL").ok_or("OPENAI_BASE_URL is set, so OPENAI_MODEL must name a model")?;
    eprintln!("answers come from {model} at {base}");
    Ok(Arc::new(OpenAi::new(&base, variable("OPENAI_API_KEY"), &model)?))
}
