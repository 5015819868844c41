//! Committed truth: messages, run states and tickets, the records that carry them, and the log that they make
//! (semantics A2, C1).

mod log;
mod message;
mod message_id;
mod page;
mod record;
mod run_state;
mod ticket;

pub use log::{Joined, Log};
pub use message::{Block, Message, Role};
pub use message_id::MessageName;
pub use page::Page;
#[cfg(any(test, all(target_arch = "wasm32", feature = "client")))]
pub(crate) use page::in_log_order;
pub use record::{Aside, AsideRow, MessageRow, Record, RunRow};
pub use run_state::{EndCause, Failure, Inference, RunState};
pub use ticket::{Pause, RemoteReason, ResumeTicket, Target, Tool, ToolReason};

#[cfg(test)]
mod tests;
