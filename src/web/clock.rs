//! Time, randomness and timers: what the core must not have.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;

    #[wasm_bindgen(thread_local_v2, js_namespace = performance, js_name = timeOrigin)]
    static TIME_ORIGIN: f64;

    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &JsValue, milliseconds: f64) -> JsValue;

    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);

    #[wasm_bindgen(js_name = requestAnimationFrame)]
    fn request_animation_frame(callback: &JsValue) -> JsValue;

    #[wasm_bindgen(js_name = cancelAnimationFrame)]
    fn cancel_animation_frame(frame: &JsValue);
}

/// Milliseconds since 1970. Unlike `Date.now()` it never goes back.
pub fn now() -> u64 {
    // A float is cut to the range of the integer, and a platform's clock is far inside it.
    (TIME_ORIGIN.with(|origin| *origin) + performance_now()) as u64
}

/// 64 random bits for jitter, not for secrets.
pub fn random() -> u64 {
    let half = || (js_sys::Math::random() * 4_294_967_296.0) as u64;
    (half() << 32) | half()
}

/// A callback that is due; dropping it takes it back.
#[derive(Debug)]
pub struct Due {
    handle: JsValue,
    frame: bool,
    /// JavaScript calls into it until it is taken back.
    _callback: Closure<dyn Fn()>,
}

/// The longest time that a browser's timer holds; a longer one would be due at once.
const LONGEST: u64 = i32::MAX as u64;

impl Due {
    /// Due after this many milliseconds.
    pub fn after(milliseconds: u64, callback: impl Fn() + 'static) -> Self {
        let callback = Closure::<dyn Fn()>::new(callback);
        let handle = set_timeout(callback.as_ref(), milliseconds.min(LONGEST) as f64);
        Self { handle, frame: false, _callback: callback }
    }

    /// Due with the next animation frame, or, where none will come soon, after 50 ms.
    pub fn next_frame(callback: impl Fn() + 'static) -> Self {
        if super::lifecycle::is_hidden() || !has_frames() {
            return Self::after(50, callback);
        }
        let callback = Closure::<dyn Fn()>::new(callback);
        let handle = request_animation_frame(callback.as_ref());
        Self { handle, frame: true, _callback: callback }
    }
}

impl Drop for Due {
    fn drop(&mut self) {
        if self.frame {
            cancel_animation_frame(&self.handle);
        } else {
            clear_timeout(&self.handle);
        }
    }
}

fn has_frames() -> bool {
    js_sys::Reflect::has(&js_sys::global(), &JsValue::from_str("requestAnimationFrame")).unwrap_or(false)
}
