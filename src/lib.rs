//! threadfold folds committed messages and run states into Facts and shows live Deltas as a preview beside them.
#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

/// The model host and page are shared with `tests/sim`, and name the crate as anyone outside of it does.
#[cfg(test)]
extern crate self as threadfold;

pub mod audit;
pub mod classify;
pub mod engine;
pub mod event;
pub mod fold;
pub mod follow;
pub mod json;
mod names;
pub mod preview;
mod sorted;
pub mod source;
mod text;
pub mod thread;
pub mod transcode;
pub mod view;

#[cfg(all(target_arch = "wasm32", any(feature = "client", feature = "transcoders")))]
mod js;
