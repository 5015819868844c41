//! A backend's wire in both directions: decoders that turn what a backend sends into the follower's input,
//! and encoders of the commands sent to it. Everything here is handed bytes and hands back values; connections,
//! clocks and retries belong to the browser edge.

pub mod sse;
