//! The policy of dsh: live attempts beside a durable log (semantics B).

mod content;
mod event;
pub mod frame;
mod policy;
mod session;
mod window;

pub use event::{
    Active, Baseline, Body, Event, Item, Queued, Said, Settlement, SettlementKind, Snapshot, Splice, Surface, Window,
};
pub use frame::{Chunk, Frame, Outcome, WholeBlock};
pub(super) use policy::{State, item, stream_is_over};
pub(super) use window::answered;

#[cfg(test)]
mod tests;
