//! The reconciler: a state machine that joins the committed log and the live stream.
//!
//! It has no clock, no randomness, no I/O and no callbacks. Every [`Follower::handle`] takes the time and random bits
//! as arguments and is followed by draining [`Follower::poll`]; [`Follower::deadline`] says when to come back.
//!
//! Two continuities are kept apart: the **log** (epoch, last applied seq, reads under way) and the **lane** (attempt,
//! coordinate, revision, index). A policy per protocol works on these parts: `strict.rs` is semantics C3, `plain.rs` C4.

mod command;
mod connection;
pub mod dsh;
mod follower;
pub mod frame;
mod input;
mod lanes;
mod link;
mod options;
mod output;
mod pages;
mod pending;
mod plain;
mod reads;
#[cfg_attr(not(feature = "coverage"), allow(dead_code))]
mod rows;
mod runs;
mod side;
mod staging;
mod stats;
mod strict;

pub use command::{Accepted, Answer, Command, CommandError, CommandId, OnActive, Outcome};
pub use follower::Follower;
pub use input::{Closed, Generation, Input, Live, ReadError, ReadId, Wake};
pub use options::{Options, Protocol};
pub use output::{Anomaly, Fetch, LaneChange, LaneId, Output, Status, Step};
#[cfg(feature = "coverage")]
pub use rows::{ROWS, take_reached};
pub use stats::Stats;

#[cfg(test)]
mod tests;
