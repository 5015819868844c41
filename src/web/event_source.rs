//! The live stream over the platform's `EventSource`.
//!
//! It sends cookies and no headers, and shows no status: what a refusal meant, the committed read tells. Left alone it
//! reconnects by itself, for ever and without telling; here it never does, for it is closed on its first error.

use super::driver::{Driver, Stream};
use super::http::Http;
use super::listener::Listener;
use crate::follow::{Closed, Generation, Input, Live};
use wasm_bindgen::prelude::*;
use web_sys::{EventSource, EventSourceInit, MessageEvent, RequestCredentials};

/// One opening; dropping it closes it.
#[derive(Debug)]
pub struct EventSourceStream {
    source: EventSource,
    _listeners: [Listener; 3],
}

/// All events of the contract, and the unnamed one of plain streams. An `EventSource` hides events that it is not
/// asked for.
const EVENTS: &[&str] = &["delta", "committed", "opened", "start", "end", "ping", "bye", "message"];

impl EventSourceStream {
    /// Opens the stream; what comes of it is fed to the driver under this generation.
    pub fn open(driver: &Driver, http: &Http, generation: Generation) {
        let init = EventSourceInit::new();
        init.set_with_credentials(http.credentials == RequestCredentials::Include);
        let Ok(source) = EventSource::new_with_event_source_init_dict(&http.live_address(), &init) else {
            let said = format!("no EventSource can be made for \"{}\"", http.live_address());
            driver.inner().host.anomaly("bad_address", &said);
            return driver.feed([Input::Live(generation, Live::Closed(Closed::Lost))]);
        };
        let plain = http.plain;
        let (weak, weak_open, weak_error) = (driver.weak(), driver.weak(), driver.weak());
        let listeners = [
            Listener::new(&source, EVENTS, move |event| {
                let (Some(driver), Some(message)) = (weak.upgrade(), event.dyn_ref::<MessageEvent>()) else { return };
                let data = message.data().as_string().unwrap_or_default();
                driver.count_bytes(data.len());
                driver.feed([Input::Live(generation, super::http::event(plain, &event.type_(), &data))]);
            }),
            Listener::new(&source, &["open"], move |_| {
                if let Some(driver) = weak_open.upgrade() {
                    driver.feed([Input::Live(generation, Live::Accepted)]);
                }
            }),
            Listener::new(&source, &["error"], move |_| {
                if let Some(driver) = weak_error.upgrade() {
                    driver.close_live(Some(generation));
                    driver.feed([Input::Live(generation, Live::Closed(Closed::Lost))]);
                }
            }),
        ];
        driver.keep_live(generation, Stream::EventSource(Self { source, _listeners: listeners }));
    }
}

impl Drop for EventSourceStream {
    fn drop(&mut self) {
        self.source.close();
    }
}
