//! The driver against a page that is written down here, in the browser that runs the tests.

use super::*;
use crate::engine::Engine;
use crate::follow::{Closed, Generation, Input, Live, Options, Protocol, ReadId, Wake};
use crate::source::threadfold::{self, live_event};
use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::RequestCredentials;

#[wasm_bindgen(inline_js = r#"
export function makeHost() {
  const calls = [];
  const note = (name) => (...all) => {
    calls.push([name, ...all].join(" "));
    if (name === "openLive") host.opened = all[0];
    host["on_" + name]?.(...all);
  };
  const host = { calls };
  for (const name of ["flush", "status", "done", "anomaly", "openLive", "closeLive", "read", "request"]) host[name] = note(name);
  host.headers = () => Promise.reject(new Error("none"));
  return host;
}
export function on(host, name, action) { host["on_" + name] = action; }
export function pause(milliseconds) { return new Promise((resolve) => setTimeout(resolve, milliseconds)); }
export function nextFrame() { return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))); }
export function say(type) { globalThis.dispatchEvent(new Event(type)); }
"#)]
extern "C" {
    #[wasm_bindgen(js_name = makeHost)]
    fn make_host() -> Host;
    fn on(host: &Host, name: &str, action: &JsValue);
    fn pause(milliseconds: u32) -> Promise;
    #[wasm_bindgen(js_name = nextFrame)]
    fn next_frame() -> Promise;
    fn say(event: &str);
    #[wasm_bindgen(method, getter)]
    fn calls(this: &Host) -> Array;
    #[wasm_bindgen(method, getter)]
    fn opened(this: &Host) -> u32;
}

const OPENED: &str = r#"{"contract":"threadfold/1","epoch":"e","frontier":-1,"revision":0,"active":null}"#;
const EMPTY: &str = r#"{"contract":"threadfold/1","thread_id":"t","epoch":"e","frontier":-1,"messages":[],"runs":[]}"#;

fn engine() -> Engine {
    let protocol = Protocol::Strict;
    Engine::new(Options { protocol, thread_id: None, renewable: false, watchdog: true, initial: None })
}

fn custom() -> (Driver, JsValue) {
    let host = make_host();
    let page = JsValue::from(&*host);
    (Driver::new(engine(), Source::Custom, host), page)
}

fn page(host: &JsValue) -> &Host {
    host.unchecked_ref()
}

fn calls(host: &JsValue) -> Vec<String> {
    page(host).calls().iter().filter_map(|call| call.as_string()).collect()
}

fn count(host: &JsValue, name: &str) -> usize {
    calls(host).iter().filter(|call| call.starts_with(name)).count()
}

fn live(generation: u32, name: &str, data: &str) -> Input {
    Input::Live(Generation(generation), live_event(name, data))
}

/// The generation of the last opening.
fn opened(host: &JsValue) -> u32 {
    page(host).opened()
}

/// Connected, with an attempt under way.
fn streaming() -> (Driver, JsValue) {
    let (driver, host) = custom();
    driver.connect();
    let generation = opened(&host);
    driver.feed([live(generation, "opened", OPENED)]);
    driver.feed([Input::Page(ReadId(0), threadfold::read_page(200, None, "application/json", EMPTY))]);
    let start = r#"{"attempt":"a","revision":1,"started_after":-1,"run_id":"r","step":0,"response":0}"#;
    driver.feed([live(generation, "start", start)]);
    (driver, host)
}

fn delta(index: u64) -> String {
    let revision = index + 2;
    format!(r#"{{"attempt":"a","revision":{revision},"index":{index},"delta":{{"type":"text_delta","delta":"x"}}}}"#)
}

#[wasm_bindgen_test]
async fn deltas_of_one_frame_reach_the_page_as_one_change() {
    let (driver, host) = streaming();
    let generation = opened(&host);
    driver.feed([live(generation, "delta", &delta(0))]);
    let before = count(&host, "flush");
    for index in 1..100 {
        driver.feed([live(generation, "delta", &delta(index))]);
    }
    assert_eq!(count(&host, "flush"), before, "text is not told before the frame");
    JsFuture::from(next_frame()).await.unwrap();
    JsFuture::from(pause(100)).await.unwrap();
    assert_eq!(count(&host, "flush"), before + 1);
    assert!(calls(&host).last().unwrap().contains(&"x".repeat(99)));
    driver.close();
}

#[wasm_bindgen_test]
fn what_comes_from_within_an_effect_waits_its_turn() {
    let (driver, host) = custom();
    let inside = driver.clone();
    let action = Closure::<dyn Fn(u32)>::new(move |generation: u32| {
        inside.feed([live(generation, "opened", OPENED)]);
        inside.feed([Input::Wake(Wake::User)]);
        inside.flush();
        assert!(inside.stats().contains("\"frames\":1"));
    });
    on(page(&host), "openLive", action.as_ref());
    driver.connect();
    assert_eq!(count(&host, "openLive"), 1);
    assert!(calls(&host).iter().any(|call| call.starts_with("status")));
    driver.close();
}

#[wasm_bindgen_test]
fn closing_from_within_an_effect_is_the_end() {
    let (driver, host) = custom();
    let inside = driver.clone();
    let action = Closure::<dyn Fn(u32)>::new(move |_: u32| inside.close());
    on(page(&host), "openLive", action.as_ref());
    driver.connect();
    let told = calls(&host).len();
    driver.connect();
    driver.feed([Input::Wake(Wake::User), live(0, "opened", OPENED)]);
    driver.flush();
    assert_eq!(calls(&host).len(), told);
    assert_eq!(count(&host, "closeLive"), 1);
}

#[wasm_bindgen_test]
async fn after_close_there_is_no_timer_and_no_listener() {
    let (driver, host) = streaming();
    let generation = opened(&host);
    driver.feed([live(generation, "delta", &delta(0)), live(generation, "delta", &delta(1))]);
    driver.close();
    driver.close();
    let told = calls(&host).len();
    for event in ["online", "offline", "pagehide"] {
        say(event);
    }
    JsFuture::from(pause(120)).await.unwrap();
    assert_eq!(calls(&host).len(), told);
    assert_eq!(count(&host, "closeLive"), 1);
}

#[wasm_bindgen_test]
fn a_page_that_is_put_aside_lets_its_stream_go() {
    let (driver, host) = streaming();
    say("pagehide");
    assert_eq!(count(&host, "closeLive"), 1);
    assert_eq!(count(&host, "openLive"), 1, "nothing is opened while nobody sees it");
    driver.close();
}

#[wasm_bindgen_test]
fn a_thousand_reconnects_leave_nothing_behind() {
    let (driver, host) = custom();
    driver.connect();
    let cycle = |rounds: u32| {
        for _ in 0..rounds {
            let generation = opened(&host);
            driver.feed([live(generation, "opened", OPENED)]);
            driver.feed([Input::Live(Generation(generation), Live::Closed(Closed::Lost))]);
            driver.feed([Input::Wake(Wake::User)]);
        }
    };
    cycle(100);
    let (values, pages) = held();
    cycle(1000);
    assert_eq!(held(), (values, pages), "values of JavaScript that are held, and pages of memory");
    assert!(count(&host, "openLive") > 0);
    driver.close();
}

#[wasm_bindgen_test]
async fn an_event_source_that_fails_is_closed_and_opened_again_by_the_follower_alone() {
    let host = make_host();
    let page = JsValue::from(&*host);
    let http = Http {
        address: "/no/such/host/threads/t".to_owned(),
        query: vec![("mark".to_owned(), "a b".to_owned())],
        credentials: RequestCredentials::SameOrigin,
        with_headers: false,
        timeout: 1000,
        transport: Transport::EventSource,
        plain: false,
    };
    let driver = Driver::new(engine(), Source::Http(http), host);
    driver.connect();
    for _ in 0..100 {
        JsFuture::from(pause(20)).await.unwrap();
        if count(&page, "status failed") > 0 {
            break;
        }
    }
    assert!(calls(&page).iter().any(|call| call.starts_with("status failed not_found")), "{:?}", calls(&page));
    driver.close();
}

/// Values of JavaScript that wasm holds, and the pages of its memory.
fn held() -> (u32, u32) {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let bytes = memory.buffer().unchecked_into::<js_sys::ArrayBuffer>().byte_length();
    (wasm_bindgen::externref_heap_live_count(), bytes)
}
