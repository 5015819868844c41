//! What an app shows of a thread: items with stable keys, and the changes between two views.
//!
//! [`View`] takes the follower's steps with the Facts that the fold made of them. It holds no text: a committed item
//! refers to its record, a preview to its lane, whose content is the follower's. What it says to the page is JSON text,
//! whose shape is documented in the package's `types/view.d.ts`; the page keeps a copy by applying the changes.
//!
//! The items are the committed ones in log order, then the lanes in order of opening, then the sends under way. A
//! committed item never moves, so a change names only what comes after the committed items that the page has already.
//! The cost of a Delta is the Delta; the cost of a record is the record.

mod changes;
mod item;
mod key;
mod lane;
mod part;
mod run;
mod send;
mod state;

pub use changes::{Urgency, write_status};
pub use send::SendState;
pub use state::View;

#[cfg(test)]
mod tests;
