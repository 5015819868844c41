//! The demo page and the package, so that the page and the contract share an origin.

use super::{App, Site};
use axum::Router;
use axum::http::{HeaderValue, header};
use std::sync::Arc;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

/// Adds the files' routes. A path never leaves its directory, and nothing is stored by browsers.
pub(super) fn serve(router: Router<Arc<App>>, site: &Site) -> Router<Arc<App>> {
    let no_store = || SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let mut router = router;
    if let Some(pkg) = &site.pkg {
        router = router.merge(Router::new().nest_service("/pkg", ServeDir::new(pkg)).layer(no_store()));
    }
    match &site.www {
        Some(www) => router.merge(Router::new().fallback_service(ServeDir::new(www)).layer(no_store())),
        None => router.fallback(super::error::no_route),
    }
}
