//! A whole network as a program: a model host, pages with the real engine in them, a wire that loses, doubles, swaps,
//! delays and cuts, and time, which is a number. A schedule is a script that a seed makes; after each quiet time every
//! page must show what a page that reads the log cold shows, and at every change what must always hold does.
//!
//! `script` says what may happen, `play` plays it, `world` is time and the network, `backend` and `agent` the host,
//! `client` a page, `check` what must hold.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod backend;
mod check;
mod client;
#[path = "../model/host.rs"]
#[allow(dead_code, reason = "the follower's own tests use the rest")]
mod host;
#[path = "../model/page.rs"]
mod page;
mod play;
mod random;
mod script;
mod wire;
mod world;

use script::Script;
use threadfold::follow::Protocol;

#[test]
fn schedules_converge() {
    let first: u64 = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let count: u64 = std::env::var("COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let mut failed = 0;
    let start = std::time::Instant::now();
    for seed in first..first + count {
        for protocol in [Protocol::Strict, Protocol::Plain]
            .into_iter()
            .filter(|protocol| std::env::var("ONLY").map_or(true, |only| format!("{protocol:?}") == only))
        {
            let script = Script::of(protocol, seed);
            if let Err(wrong) = play::play(&script) {
                let (shortest, wrong) = play::shrink(&script, wrong);
                if world::trace() {
                    println!("=== the shortest ===");
                    play::play(&shortest).unwrap_err();
                    panic!("=== traced ===");
                }
                println!("FAILED {wrong}\n{shortest}");
                failed += 1;
                assert!(failed < 4);
            }
        }
    }
    println!("{count} seeds in {:?}", start.elapsed());
    assert_eq!(failed, 0);
}
