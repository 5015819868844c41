//! The contract over HTTP (C1, C2), the same threads for clients of other protocols, the demo page's files, and what only tests and the demo's buttons may ask for.

mod admin;
mod command;
mod connection;
mod error;
mod guard;
mod live;
mod protocols;
mod read;
mod site;

pub use guard::Guard;

use crate::faults::Faults;
use crate::run::Threads;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

/// No request's body is longer, in bytes.
pub const BODY_LIMIT: usize = 1 << 20;

/// What the handlers share.
pub struct App {
    /// All threads.
    pub threads: Arc<Threads>,
    /// The faults that are on; None when faults are not allowed at all.
    pub faults: Option<Faults>,
    /// Who may ask.
    pub guard: Guard,
    /// Counts up when all connections are to be cut.
    pub cuts: watch::Sender<u64>,
}

/// Where the demo page's files are.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// Served at `/`.
    pub www: Option<PathBuf>,
    /// Served at `/pkg/`.
    pub pkg: Option<PathBuf>,
}

/// All routes.
pub fn router(app: &Arc<App>, site: &Site) -> Router {
    let contract = Router::new()
        .route("/threads/{thread}/committed", get(read::committed))
        .route("/threads/{thread}/audit", get(read::audit))
        .route("/threads/{thread}/live", get(live::live))
        .route("/threads/{thread}/ai-sdk", post(protocols::ai_sdk).get(protocols::ai_sdk_again))
        .route("/threads/{thread}/ai-sdk/{chat}/stream", get(protocols::ai_sdk_stream))
        .route("/threads/{thread}/ag-ui", post(protocols::ag_ui).get(protocols::ag_ui_again))
        .route("/threads/{thread}/runs", post(command::send))
        .route("/threads/{thread}/runs/{run}", get(read::run))
        .route("/threads/{thread}/runs/{run}/resume", post(command::resume))
        .route("/threads/{thread}/runs/{run}/cancel", post(command::cancel))
        .fallback(error::no_route)
        .method_not_allowed_fallback(error::no_method)
        .layer(from_fn_with_state(Arc::clone(app), guard::authorize));
    let mut router = Router::new().nest("/v1", contract);
    if app.faults.is_some() {
        router = router.nest("/admin", admin::router());
    }
    let router = site::serve(router, site);
    router
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(app.guard.cors())
        .layer(from_fn_with_state(Arc::clone(app), guard::check))
        .with_state(Arc::clone(app))
}
