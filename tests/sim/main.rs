//! A whole network as a program: a model host, pages with the real engine in them, a wire that loses, doubles, swaps,
//! delays and cuts, and time, which is a number. A schedule is a script that a seed makes; after each quiet time every
//! page must show what a page that reads the log cold shows, and at every change what must always hold does.
//!
//! `script` says what may happen, `play` plays it, `world` is time and the network, `happening` what it has in store,
//! `backend` and `agent` the host, `client` a page, `check` what must hold, `dsh` the other kind of host.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod backend;
mod check;
mod client;
mod dsh;
mod happening;
#[path = "../model/host.rs"]
#[allow(dead_code, reason = "the follower's own tests use the rest")]
mod host;
#[path = "../model/page.rs"]
mod page;
mod play;
mod random;
mod record;
mod report;
mod script;
mod wire;
mod world;

use report::Report;
use script::Script;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use threadfold::follow::Protocol;

/// So many schedules when nobody says otherwise: all of them where the simulator was built to be fast.
const SCHEDULES: u64 = if cfg!(debug_assertions) { 200 } else { 100_000 };
/// The policies in turn: every second schedule is of `threadfold/1`, every tenth of dsh, whose log is read as JSON.
const POLICIES: [Protocol; 10] = {
    use Protocol::{Dsh, Plain, Strict};
    [Strict, Plain, Strict, Dsh, Strict, Plain, Strict, Plain, Strict, Plain]
};

/// `SIM_SCHEDULES` and `SIM_MINUTES` say how many, `SIM_SEED` where to begin; `SIM_EVENTS` names a file for what the pages
/// were told, and `TRACE=1` with one schedule tells it step by step.
#[test]
fn schedules_converge() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = number("SIM_SEED").unwrap_or(1);
    let until = number("SIM_MINUTES").map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let count = number("SIM_SCHEDULES").unwrap_or(if until.is_some() { u64::MAX } else { SCHEDULES });
    let next = AtomicU64::new(first);
    let (all, failed) = (Mutex::new(Report::default()), Mutex::new(Vec::new()));
    // What goes wrong is told once, with its script, and not by each panic on the way to it.
    std::panic::set_hook(Box::new(|_| {}));
    let work = || {
        let mut report = Report::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let over = until.is_some_and(|until| Instant::now() > until);
            if seed - first >= count || over || failed.lock().unwrap().len() > 2 {
                break;
            }
            let script = Script::of(POLICIES[usize::try_from(seed % 10).unwrap_or_default()], seed);
            match play::play(&script) {
                Ok(tally) => report.add(&script, &tally),
                Err(wrong) => {
                    report.divergences += 1;
                    failed.lock().unwrap().push((script, wrong));
                }
            }
        }
        report.take_rows();
        all.lock().unwrap().merge(report);
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    let _ = std::panic::take_hook();
    let report = all.into_inner().unwrap();
    report.print();
    for (script, wrong) in failed.into_inner().unwrap() {
        let (shortest, wrong) = play::shrink(&script, wrong);
        println!("\n{wrong}\n{shortest}");
        if world::trace() {
            println!("=== the shortest ===");
            let _ = play::play(&shortest);
        }
    }
    assert_eq!(report.divergences, 0);
    if report.count() >= 10_000 {
        assert!(report.medians() >= (60, 3), "schedules are too short: {:?}", report.medians());
        assert_eq!(report.unreached(), Vec::<&str>::new(), "a row that is never reached is a fault of the simulator");
    }
}
