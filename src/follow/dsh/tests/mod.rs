//! The table of B4: golden interleavings (B5), its rows one by one, and its guards.

mod counts;
mod golden;
mod guards;
mod schedules;
mod session;
mod silence;
mod world;
