//! A backend's wire, both ways: decoders to what the follower takes, encoders of what it asks for.

pub mod dsh;
pub mod sse;
pub mod threadfold;
