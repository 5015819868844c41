//! threadfold folds committed messages and run states into Facts and shows live Deltas as a preview beside them.
#![forbid(unsafe_code)]

pub mod source;
