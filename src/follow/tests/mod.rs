//! The follower against a model host, over a wire that loses, doubles, swaps and cuts, in front of a model page.
//!
//! `world` puts the three together and reads like a script; time is a number. `host` is the contract's other side (C1,
//! C2), `page` what an app would show, which checks at every step what must hold at every step (B4's invariants).

mod bounds;
mod cases;
mod commands;
mod counts;
mod expect;
#[cfg(not(target_arch = "wasm32"))]
mod explore;
mod floods;
mod frame;
#[path = "../../../tests/model/host.rs"]
mod host;
mod hostile;
mod lane_rules;
mod link;
mod log_rules;
mod page;
mod plain;
mod schedules;
mod world;
