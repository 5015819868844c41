//! The policy of dsh: live attempts beside a durable log (semantics B).

mod event;
pub mod frame;
mod policy;

pub use event::{
    Active, Baseline, Body, Event, Item, Queued, Said, Settlement, SettlementKind, Snapshot, Splice, Surface, Window,
};
pub use frame::{Chunk, Frame, Outcome, WholeBlock};
pub(super) use policy::{item, window};
