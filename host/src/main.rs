//! The reference backend.
fn main() {}
