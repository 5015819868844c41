//! The page's life: seen or hidden, with a network or without, put aside and taken up again.

use super::driver::Driver;
use super::listener::Listener;
use crate::follow::{Input, Wake};
use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use web_sys::{Event, EventTarget, PageTransitionEvent};

/// The listeners of one driver. A worker has no document and Node no events at all; then there is less to listen to.
#[derive(Debug)]
pub struct Lifecycle {
    _listeners: Vec<Listener>,
}

impl Lifecycle {
    /// Listens for as long as the value lives.
    pub fn new(driver: &Driver) -> Self {
        let mut listeners = Vec::new();
        let weak = driver.weak();
        if let Some(document) = document() {
            let weak = weak.clone();
            listeners.push(Listener::new(&document, &["visibilitychange"], move |_| {
                if let Some(driver) = weak.upgrade() {
                    if is_hidden() {
                        driver.feed([Input::Hidden]);
                        // The frame that the flush may be waiting for does not come while the page is hidden.
                        driver.flush();
                    } else {
                        driver.feed([Input::Wake(Wake::Visible)]);
                    }
                }
            }));
        }
        if let Some(global) = event_target(&js_sys::global()) {
            listeners.push(Listener::new(&global, &["online", "offline", "pagehide", "pageshow"], move |event| {
                let Some(driver) = weak.upgrade() else { return };
                match event.type_().as_str() {
                    "online" => driver.feed([Input::Wake(Wake::Online)]),
                    "offline" => driver.feed([Input::Offline]),
                    // A page with an open connection is not kept in the back-forward cache.
                    "pagehide" => {
                        driver.feed([Input::Hidden]);
                        driver.lose_live();
                        driver.flush();
                    }
                    "pageshow" if is_persisted(&event) => driver.feed([Input::Wake(Wake::Pageshow)]),
                    _ => {}
                }
            }));
        }
        Self { _listeners: listeners }
    }
}

/// What is to be told before a driver connects.
pub fn at_start() -> Vec<Input> {
    let mut inputs = Vec::new();
    if is_hidden() {
        inputs.push(Input::Hidden);
    }
    let on_line = get(&js_sys::global(), "navigator").and_then(|navigator| get(&navigator, "onLine"));
    if on_line.is_some_and(|on_line| on_line.as_bool() == Some(false)) {
        inputs.push(Input::Offline);
    }
    inputs
}

/// True when there is a document and it is hidden.
pub fn is_hidden() -> bool {
    document().and_then(|document| get(&document, "visibilityState")).is_some_and(|state| state == "hidden")
}

fn document() -> Option<EventTarget> {
    event_target(&get(&js_sys::global(), "document")?)
}

/// The value as an event target, if it is one: what a worker, a page and Node have differs, so it is looked at.
fn event_target(value: &JsValue) -> Option<EventTarget> {
    get(value, "addEventListener").map(|_| value.clone().unchecked_into())
}

fn is_persisted(event: &Event) -> bool {
    event.unchecked_ref::<PageTransitionEvent>().persisted()
}

fn get(value: &JsValue, key: &str) -> Option<JsValue> {
    Reflect::get(value, &JsValue::from_str(key)).ok().filter(|found| !found.is_undefined() && !found.is_null())
}
