//! Event listeners that end with the value that holds them.

use wasm_bindgen::prelude::*;
use web_sys::{Event, EventTarget};

/// One callback under one or more event names of a target; dropping it removes it.
#[derive(Debug)]
pub struct Listener {
    target: EventTarget,
    names: &'static [&'static str],
    callback: Closure<dyn Fn(Event)>,
}

impl Listener {
    /// Listens from now on.
    pub fn new(target: &EventTarget, names: &'static [&'static str], callback: impl Fn(Event) + 'static) -> Self {
        let callback = Closure::<dyn Fn(Event)>::new(callback);
        for name in names {
            // It fails only for arguments that are not a name and a function.
            let _ = target.add_event_listener_with_callback(name, callback.as_ref().unchecked_ref());
        }
        Self { target: target.clone(), names, callback }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        for name in self.names {
            let _ = self.target.remove_event_listener_with_callback(name, self.callback.as_ref().unchecked_ref());
        }
    }
}
