//! What is fuzzed. Each target takes bytes, makes of them what a wire or an app could bring, and panics when something
//! that must hold does not. `cargo xtask fuzz` runs them under libFuzzer, and `tests/corpus.rs` runs them over the
//! committed inputs on any toolchain.

pub mod choices;
pub mod dsh;
pub mod follower;
pub mod json;
pub mod partial;
pub mod sse;
pub mod transcoders;

/// Takes an input, and panics when something that must hold does not.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: &[(&str, Target)] = &[
    ("sse", sse::run),
    ("json", json::run),
    ("partial", partial::run),
    ("dsh", dsh::run),
    ("follower", follower::run),
    ("transcoders", transcoders::run),
];
