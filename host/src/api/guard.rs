//! Who may ask. A loopback host that may hold a key must not be drivable by any page that a browser happens to show:
//! `Host` must name the loopback (a page that rebinds its name can't), and an `Origin` must be this host's own or listed.

use super::App;
use super::error::Problem;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tower_http::cors::CorsLayer;

/// The checks.
pub struct Guard {
    /// The port that `Host` must name.
    port: u16,
    /// Other origins that may ask, exactly as browsers write them.
    origins: Vec<String>,
    /// What `Authorization` or the cookie must carry.
    token: RwLock<Option<String>>,
}

impl Guard {
    /// Checks for a host on this port.
    pub fn new(port: u16, origins: Vec<String>, token: Option<String>) -> Self {
        Self { port, origins, token: RwLock::new(token) }
    }

    /// Other origins may ask, with their cookies, and read the answers.
    pub(super) fn cors(&self) -> CorsLayer {
        let origins: Vec<HeaderValue> = self.origins.iter().filter_map(|origin| origin.parse().ok()).collect();
        CorsLayer::new()
            .allow_origin(origins)
            .allow_credentials(true)
            .allow_methods([Method::GET, Method::POST])
            .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE, header::IF_NONE_MATCH, header::CACHE_CONTROL])
            .expose_headers([header::ETAG, header::RETRY_AFTER])
            .max_age(Duration::from_secs(600))
    }

    /// Changes the token; None lets everybody in.
    pub(super) fn set_token(&self, token: Option<String>) {
        *self.token.write().unwrap_or_else(PoisonError::into_inner) = token;
    }

    fn is_own_host(&self, host: &str) -> bool {
        ["127.0.0.1", "localhost", "[::1]"]
            .iter()
            .any(|name| host.strip_prefix(name).is_some_and(|rest| rest == format!(":{}", self.port)))
    }

    /// The page that asks was served by this host.
    fn is_own_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_own_host(host))
    }

    fn is_authorized(&self, headers: &HeaderMap) -> bool {
        let token = self.token.read().unwrap_or_else(PoisonError::into_inner);
        let Some(token) = token.as_deref() else { return true };
        let bearer = text(headers, header::AUTHORIZATION).strip_prefix("Bearer ").is_some_and(|sent| sent == token);
        bearer
            || text(headers, header::COOKIE)
                .split(';')
                .filter_map(|cookie| cookie.trim().split_once('='))
                .any(|(name, value)| name == "threadfold" && value == token)
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// On every request.
pub async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = text(headers, header::HOST);
    if !app.guard.is_own_host(host) {
        let message = format!("this host answers to 127.0.0.1:{}, not to \"{host}\"", app.guard.port);
        return Problem::new(StatusCode::FORBIDDEN, "host_refused", message).into_response();
    }
    let origin = text(headers, header::ORIGIN);
    let own = !headers.contains_key(header::ORIGIN) || app.guard.is_own_origin(origin);
    let listed = app.guard.origins.iter().any(|listed| listed == origin);
    // Only this host's own page has the buttons that break things.
    let admin = request.uri().path().starts_with("/admin");
    if own || (listed && !admin) {
        return next.run(request).await;
    }
    let message = format!("the origin \"{origin}\" is not allowed here; start the host with --origin {origin}");
    Problem::new(StatusCode::FORBIDDEN, "origin_refused", message).into_response()
}

/// On every request of the contract.
pub async fn authorize(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if app.guard.is_authorized(request.headers()) {
        return next.run(request).await;
    }
    let message = "send the token as \"Authorization: Bearer …\" or as the cookie \"threadfold\"";
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", message).into_response()
}
