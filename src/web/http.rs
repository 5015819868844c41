//! Committed reads and commands over `fetch`, and what all requests to a host share.

use super::clock::Due;
use super::driver::{Asked, Driver};
use super::host::Host;
use crate::follow::{Command, CommandId, Fetch, Input, Live, Outcome, ReadError};
use crate::source::threadfold::{self, HttpRequest, with_query};
use gloo_net::http::{Headers, Method, RequestBuilder, Response};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, AbortSignal, RequestCache, RequestCredentials};

/// How a host is reached.
#[derive(Debug)]
pub struct Http {
    /// The thread's address: `{base}/threads/{thread}`.
    pub address: String,
    /// Added to the addresses of the live stream and of committed reads.
    pub query: Vec<(String, String)>,
    /// As in fetch.
    pub credentials: RequestCredentials,
    /// Whether the app gives headers.
    pub with_headers: bool,
    /// How long a read or a command may take, in milliseconds.
    pub timeout: u64,
    /// How the live stream is read.
    pub transport: Transport,
    /// Whether the stream is one of plain envelopes (C4).
    pub plain: bool,
}

/// How the live stream is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// By the platform's `EventSource`.
    EventSource,
    /// By `fetch`.
    Fetch,
}

/// A request under way; dropping it aborts it.
#[derive(Debug)]
pub struct InFlight {
    controller: AbortController,
    _timeout: Due,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.controller.abort();
    }
}

/// Why there is no response.
#[derive(Debug)]
pub struct Failed {
    /// `headers_failed` when the app's headers could not be had, otherwise `network`.
    pub code: &'static str,
    /// What was said.
    pub message: String,
}

impl Http {
    /// The address of the live stream.
    pub fn live_address(&self) -> String {
        with_query(format!("{}/live", self.address), &self.query)
    }

    /// Asks for the live stream.
    pub async fn get_live(&self, host: &Host, signal: &AbortSignal) -> Result<Response, Failed> {
        let headers = self.headers(host).await?;
        headers.set("accept", "text/event-stream");
        let request = self.request(&self.live_address(), headers, signal).cache(RequestCache::NoStore);
        request.build().map_err(failed)?.send().await.map_err(failed)
    }

    fn request(&self, address: &str, headers: Headers, signal: &AbortSignal) -> RequestBuilder {
        RequestBuilder::new(address).credentials(self.credentials).headers(headers).abort_signal(Some(signal))
    }

    /// The headers of one attempt, asked anew.
    async fn headers(&self, host: &Host) -> Result<Headers, Failed> {
        if !self.with_headers {
            return Ok(Headers::new());
        }
        match JsFuture::from(host.headers()).await {
            Ok(headers) => Ok(Headers::from_raw(headers.unchecked_into())),
            Err(error) => {
                let message = format!("the headers for a request could not be had: {}", said(&error));
                Err(Failed { code: "headers_failed", message })
            }
        }
    }
}

/// Reads what was committed.
pub fn read(driver: &Driver, fetch: &Fetch) {
    let id = fetch.id;
    let request = HttpRequest { method: "GET", path: threadfold::fetch_query(fetch), body: None };
    ask(driver, Asked::Page(id), request, move |answer| {
        let page = match answer {
            Ok(Answer { status, retry_after, content_type, body }) => {
                threadfold::read_page(status, retry_after, &content_type, &body)
            }
            Err(failed) => Err(ReadError::Network(failed.message)),
        };
        Input::Page(id, page)
    });
}

/// Carries out a command.
pub fn command(driver: &Driver, id: CommandId, command: &Command) {
    ask(driver, Asked::Command(id), threadfold::request(command), move |answer| {
        let outcome = match answer {
            Ok(Answer { status, retry_after, body, .. }) => threadfold::response(status, retry_after, &body),
            Err(failed) => Outcome::Network(failed.message),
        };
        Input::Response(id, outcome)
    });
}

/// What an event of the live stream says.
pub fn event(plain: bool, name: &str, data: &str) -> Live {
    if plain { threadfold::plain_event(name, data) } else { threadfold::live_event(name, data) }
}

/// The status and content type of an answer.
pub fn status_and_type(response: &Response) -> (u16, String) {
    (response.status(), response.headers().get("content-type").unwrap_or_default())
}

/// The `Retry-After` of an answer in milliseconds, whether it gives seconds or a date.
pub fn retry_after(response: &Response) -> Option<u64> {
    let header = response.headers().get("retry-after")?;
    threadfold::retry_after(&header).or_else(|| {
        let wait = js_sys::Date::parse(&header) - js_sys::Date::now();
        (wait > 0.0).then_some(wait as u64)
    })
}

struct Answer {
    status: u16,
    retry_after: Option<u64>,
    content_type: String,
    body: String,
}

/// Sends a request and feeds the driver what its answer means, unless it was aborted in the meantime.
fn ask(
    driver: &Driver,
    asked: Asked,
    request: HttpRequest,
    meaning: impl FnOnce(Result<Answer, Failed>) -> Input + 'static,
) {
    let super::Source::Http(http) = &driver.inner().source else { return };
    let Ok(controller) = AbortController::new() else {
        let message = "this platform has no AbortController".to_owned();
        return driver.feed([meaning(Err(Failed { code: "network", message }))]);
    };
    let signal = controller.signal();
    let late = controller.clone();
    let timeout = Due::after(http.timeout, move || late.abort());
    driver.keep_request(asked, InFlight { controller, _timeout: timeout });
    let driver = driver.clone();
    spawn_local(async move {
        let answer = send(&driver, request, &signal).await;
        if driver.finish_request(asked) {
            driver.feed([meaning(answer)]);
        }
    });
}

async fn send(driver: &Driver, request: HttpRequest, signal: &AbortSignal) -> Result<Answer, Failed> {
    let super::Source::Http(http) = &driver.inner().source else {
        return Err(Failed { code: "network", message: String::new() });
    };
    let headers = http.headers(&driver.inner().host).await?;
    headers.set("accept", "application/json");
    let mut address = format!("{}/{}", http.address, request.path);
    let is_read = request.method == "GET";
    if is_read {
        address = with_query(address, &http.query);
    }
    let built = match request.body {
        _ if is_read => http.request(&address, headers, signal).build(),
        None => http.request(&address, headers, signal).method(Method::POST).build(),
        Some(body) => {
            headers.set("content-type", "application/json");
            http.request(&address, headers, signal).method(Method::POST).body(body)
        }
    };
    let response = built.map_err(failed)?.send().await.map_err(failed)?;
    let (status, content_type) = status_and_type(&response);
    let retry_after = retry_after(&response);
    let body = response.text().await.map_err(failed)?;
    driver.count_bytes(body.len());
    Ok(Answer { status, retry_after, content_type, body })
}

/// Browsers word a lost network differently ("Load failed", "network error", "fetch failed"); it is one thing (N12).
fn failed(error: gloo_net::Error) -> Failed {
    Failed { code: "network", message: error.to_string() }
}

fn said(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}
