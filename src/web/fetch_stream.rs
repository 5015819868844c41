//! The live stream over `fetch`: with headers, with the status of a refusal, and where there is no `EventSource`.

use super::Source;
use super::driver::{Driver, Stream};
use super::http::{Failed, Http, event, retry_after, status_and_type};
use crate::follow::{Closed, Generation, Input, Live};
use crate::source::sse::{Decoder, SseError};
use crate::source::threadfold;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, AbortSignal, ReadableStreamDefaultReader};

/// The longest event, in bytes. An `opened` carries all of an answer under way.
const LIMIT: usize = 16 << 20;

/// One opening; dropping it aborts it.
#[derive(Debug)]
pub struct FetchStream(AbortController);

impl FetchStream {
    /// Opens the stream; what comes of it is fed to the driver under this generation.
    pub fn open(driver: &Driver, generation: Generation) {
        let Ok(controller) = AbortController::new() else {
            return driver.feed([Input::Live(generation, Live::Closed(Closed::Lost))]);
        };
        let signal = controller.signal();
        driver.keep_live(generation, Stream::Fetch(Self(controller)));
        let driver = driver.clone();
        spawn_local(async move {
            let closed = match follow(&driver, generation, &signal).await {
                Ok(()) => Closed::Lost,
                Err(closed) => closed,
            };
            if !signal.aborted() {
                driver.close_live(Some(generation));
                driver.feed([Input::Live(generation, Live::Closed(closed))]);
            }
        });
    }
}

impl Drop for FetchStream {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Reads the stream to its end.
async fn follow(driver: &Driver, generation: Generation, signal: &AbortSignal) -> Result<(), Closed> {
    let Source::Http(http) = &driver.inner().source else { return Ok(()) };
    let response = match http.get_live(&driver.inner().host, signal).await {
        Ok(response) => response,
        Err(Failed { code, message }) => {
            if !signal.aborted() && code == "headers_failed" {
                driver.inner().host.anomaly(code, &message);
            }
            return Err(Closed::Lost);
        }
    };
    let (status, content_type) = status_and_type(&response);
    if status != 200 {
        return Err(Closed::Refused { status, retry_after: retry_after(&response) });
    }
    if !threadfold::is_event_stream(&content_type) {
        return Err(Closed::NotAStream(content_type));
    }
    driver.feed([Input::Live(generation, Live::Accepted)]);
    let Some(body) = response.body() else { return Ok(()) };
    let Ok(reader) = body.get_reader().dyn_into::<ReadableStreamDefaultReader>() else { return Ok(()) };
    let mut chunks = Chunks { http, decoder: Decoder::new(LIMIT), retry: None };
    // A read that fails is the network's end, and an abort's.
    while let Ok(read) = JsFuture::from(reader.read()).await {
        if signal.aborted() {
            break;
        }
        let Some(bytes) = chunk(&read) else { break };
        driver.count_bytes(bytes.len());
        let (lives, result) = chunks.push(&bytes);
        driver.feed(lives.into_iter().map(|live| Input::Live(generation, live)));
        if let Err(SseError::TooLong { limit }) = result {
            return Err(Closed::TooLarge(limit));
        }
    }
    Ok(())
}

struct Chunks<'a> {
    http: &'a Http,
    decoder: Decoder,
    retry: Option<u64>,
}

impl Chunks<'_> {
    /// What these bytes bring. Bytes without an event are a sign of life.
    fn push(&mut self, bytes: &[u8]) -> (Vec<Live>, Result<(), SseError>) {
        let mut lives = Vec::new();
        let plain = self.http.plain;
        let result = self.decoder.push(bytes, &mut |found| lives.push(event(plain, found.name, found.data)));
        if lives.is_empty() {
            lives.push(Live::Activity);
        }
        if let Some(asked) = self.decoder.retry().filter(|asked| self.retry != Some(*asked)) {
            self.retry = Some(asked);
            lives.push(Live::Retry(asked));
        }
        (lives, result)
    }
}

/// The bytes of a read; None at the end.
fn chunk(read: &JsValue) -> Option<Vec<u8>> {
    let value = Reflect::get(read, &JsValue::from_str("value")).ok()?;
    value.dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec())
}
