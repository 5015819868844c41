//! The reference backend of threadfold, as a program.

use clap::Parser;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use threadfold_host::agent::{Model, Script};
use threadfold_host::api::Site;
use threadfold_host::cli::Cli;
use threadfold_host::run::Limits;
use threadfold_host::server::{Host, Options};
use threadfold_host::store::SqliteStore;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
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
    let model: Arc<dyn Model> = Arc::new(Script { pace: Duration::from_millis(cli.delta_ms) });
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
    println!("threadfold host: http://{}/", host.address);
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    tokio::select! {
        served = host.serve() => return served.map_err(|error| error.to_string()),
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    host.stop().await;
    Ok(())
}
