//! What the driver tells the JavaScript side, and asks of it.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The JavaScript half of a client. It never throws and never calls the app from within these methods: whatever is
    /// the app's runs in a microtask, when no wasm frame is on the stack.
    #[derive(Debug)]
    pub type Host;

    /// Changes of the view and events since the last flush, as JSON.
    #[wasm_bindgen(method)]
    pub fn flush(this: &Host, changes: Option<String>, events: Option<String>);

    /// The connection's state, by its word, and the code of a failure.
    #[wasm_bindgen(method)]
    pub fn status(this: &Host, state: &str, code: &str);

    /// A command is over: accepted (JSON), or why not.
    #[wasm_bindgen(method)]
    pub fn done(this: &Host, id: u32, accepted: Option<String>, code: &str, message: &str);

    /// Something odd was seen and survived.
    #[wasm_bindgen(method)]
    pub fn anomaly(this: &Host, code: &str, message: &str);

    /// The headers for one attempt: a promise of `Headers`, asked anew each time.
    #[wasm_bindgen(method)]
    pub fn headers(this: &Host) -> js_sys::Promise;

    /// Open a custom source's live stream.
    #[wasm_bindgen(method, js_name = openLive)]
    pub fn open_live(this: &Host, generation: u32);

    /// Abort a custom source's live stream.
    #[wasm_bindgen(method, js_name = closeLive)]
    pub fn close_live(this: &Host, generation: u32);

    /// Ask a custom source for a page; `query` is JSON.
    #[wasm_bindgen(method)]
    pub fn read(this: &Host, id: u32, query: &str);

    /// Ask a custom source to carry out a command (`send`, `resume`, `cancel`); `request` is JSON.
    #[wasm_bindgen(method)]
    pub fn request(this: &Host, id: u32, verb: &str, request: &str);

    /// Open a dsh host's socket.
    #[wasm_bindgen(method)]
    pub fn connect(this: &Host, socket: u32);

    /// Send a text on it.
    #[wasm_bindgen(method)]
    pub fn transmit(this: &Host, socket: u32, text: &str);

    /// Close it.
    #[wasm_bindgen(method)]
    pub fn disconnect(this: &Host, socket: u32);

    /// Call a dsh host: `POST` of a JSON body.
    #[wasm_bindgen(method)]
    pub fn post(this: &Host, id: u32, method: &str, body: &str);
}
