//! The host put together: store, model, threads, routes, the listening socket.

use crate::agent::Model;
use crate::api::{App, Guard, Site, router};
use crate::faults::Faults;
use crate::run::{Limits, Threads};
use crate::store::{Store, StoreError};
use axum::serve::ListenerExt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How a host is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// The port on 127.0.0.1; 0 for any.
    pub port: u16,
    /// Other origins that may ask.
    pub origins: Vec<String>,
    /// The token that the contract's requests must carry.
    pub token: Option<String>,
    /// Whether faults may be asked for.
    pub allow_faults: bool,
    /// Between two pings.
    pub ping: Duration,
    /// How runs behave.
    pub limits: Limits,
    /// The files to serve.
    pub site: Site,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 0,
            origins: Vec::new(),
            token: None,
            allow_faults: false,
            ping: Duration::from_secs(15),
            limits: Limits::default(),
            site: Site::default(),
        }
    }
}

/// A host that accepts connections.
pub struct Host {
    /// Where.
    pub address: SocketAddr,
    threads: Arc<Threads>,
    serving: JoinHandle<io::Result<()>>,
    pinging: JoinHandle<()>,
}

/// Why a host could not start.
#[derive(Debug)]
pub enum StartError {
    /// The port can't be had.
    Port(u16, io::Error),
    /// The database can't be read or written.
    Store(StoreError),
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Port(port, error) => {
                write!(f, "can't listen on 127.0.0.1:{port}: {error}; choose another with --port, or 0 for any")
            }
            Self::Store(error) => write!(f, "can't use the database: {error}"),
        }
    }
}

impl std::error::Error for StartError {}

impl Host {
    /// Settles what the last host left behind, and begins to accept connections.
    ///
    /// # Errors
    /// When the port is taken or the database fails.
    pub async fn start(store: Arc<dyn Store>, model: Arc<dyn Model>, options: Options) -> Result<Self, StartError> {
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let listener = TcpListener::bind(at).await.map_err(|error| StartError::Port(options.port, error))?;
        let address = listener.local_addr().map_err(|error| StartError::Port(options.port, error))?;
        let threads = Threads::new(store, model, options.limits);
        threads.recover().await.map_err(StartError::Store)?;
        let app = Arc::new(App {
            threads: Arc::clone(&threads),
            faults: options.allow_faults.then(Faults::default),
            guard: Guard::new(address.port(), options.origins, options.token),
            cuts: watch::Sender::new(0),
        });
        let router = router(&app, &options.site);
        // Small frames must not wait for each other.
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let serving = tokio::spawn(async move { axum::serve(listener, router).await });
        let pinging = tokio::spawn(ping(Arc::clone(&threads), options.ping));
        Ok(Self { address, threads, serving, pinging })
    }

    /// Serves until the socket fails.
    ///
    /// # Errors
    /// When accepting connections fails for good.
    pub async fn serve(&mut self) -> io::Result<()> {
        (&mut self.serving).await.unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    /// Says `bye` to everybody, lets it reach them, and stops. Runs at work stay Running in the log; the next start
    /// settles them.
    pub async fn stop(self) {
        for thread in self.threads.all() {
            thread.hub.bye("shutdown");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        self.pinging.abort();
        self.serving.abort();
    }
}

async fn ping(threads: Arc<Threads>, every: Duration) {
    let mut timer = tokio::time::interval(every);
    timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        for thread in threads.all() {
            thread.hub.ping();
        }
    }
}
