//! Every refusal: a status and `{error: {code, message}}` (C1).

use crate::run::Rejected;
use crate::store::StoreError;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use threadfold::json::{self, Wire};
use threadfold::source::threadfold::{Refusal, Refused};

/// A refusal on its way out.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    message: String,
    retry_after: Option<u32>,
}

impl Problem {
    /// A refusal with this status.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None }
    }

    /// A parameter or body that makes no sense.
    pub fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// An unknown thread or run.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// Says when to come again, in seconds.
    pub fn after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Refused { error: Refusal { code: self.code.to_owned(), message: self.message } };
        let mut response = json_response(self.status, &body);
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        eprintln!("the store failed: {error}");
        let message = "the store can't answer now; the same request may be sent again";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable", message).after(1)
    }
}

impl From<Rejected> for Problem {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::NotFound(message) => Self::not_found(message),
            Rejected::Bad(code, message) => Self::bad(code, message),
            Rejected::Conflict(code, message) => Self::new(StatusCode::CONFLICT, code, message),
            Rejected::Store(error) => error.into(),
        }
    }
}

/// A JSON answer, not to be stored.
pub fn json_response(status: StatusCode, body: &impl Wire) -> Response {
    json_text(status, json::write(body))
}

/// As [`json_response`], of text that is JSON already.
pub fn json_text(status: StatusCode, body: String) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, body).into_response()
}

/// The body as a value of the wire: JSON by its media type, bounded, whole.
///
/// # Errors
/// 415, 413 or 400, with a sentence.
pub fn read_body<T: Wire>(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<T, Problem> {
    let text = json_body(headers, body)?;
    json::read(&text).map_err(|error| Problem::bad(error.code(), format!("the body: {error}")))
}

/// The body's text, checked for its media type.
///
/// # Errors
/// As [`read_body`].
pub fn json_body(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<String, Problem> {
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A form or plain text can be posted by any page without asking; JSON can't.
    if media.split(';').next().map(str::trim) != Some("application/json") {
        let message = format!("the body must be application/json, not \"{media}\"");
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message));
    }
    let body = body.map_err(|rejection| {
        let status = rejection.status();
        let code = if status == StatusCode::PAYLOAD_TOO_LARGE { "body_too_large" } else { "bad_body" };
        Problem::new(status, code, format!("the body can't be read: {}", rejection.body_text()))
    })?;
    String::from_utf8(body.to_vec()).map_err(|_| Problem::bad("bad_utf8", "the body is not UTF-8"))
}

/// No such route.
pub async fn no_route() -> Problem {
    Problem::not_found("there is no such resource; the contract's are /v1/threads/{thread}/committed, live and runs")
}

/// Such a route, but not for this method.
pub async fn no_method() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this resource has no such method")
}
