//! What the person said and the log does not hold yet.

use super::key::Key;
use super::part::write_parts;
use crate::event::MessageId;
use crate::json::Writer;
use crate::thread::{Block, Role};

/// What became of a message on its way to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendState {
    /// It is on its way; what the host has of it is not known.
    Sending,
    /// The host took it and will commit it when the active run is over.
    Queued,
    /// The host refused it, or it was given up.
    Failed {
        /// A stable word for programs.
        code: String,
        /// A sentence for people.
        message: String,
    },
}

/// A message on its way to the log: an item at the end.
#[derive(Debug, Clone)]
pub(super) struct Send {
    pub key: Key,
    pub message_id: MessageId,
    pub content: Vec<Block>,
    pub state: SendState,
    /// The host's list of messages that wait holds it, or did.
    pub queued: bool,
    /// It was sent from here.
    pub own: bool,
    /// The page has the item.
    pub shown: bool,
    /// The page has the item with an older state.
    pub changed: bool,
}

impl Send {
    /// The whole item.
    pub fn write(&mut self, w: &mut Writer) {
        self.shown = true;
        self.changed = false;
        w.object(|w| {
            w.field("key", &self.key);
            w.field("kind", "user");
            w.field("origin", "preview");
            for absent in ["seq", "time", "run_id"] {
                w.key(absent);
                w.null();
            }
            w.field("message_id", self.message_id.as_str());
            w.key("parts");
            write_parts(w, Role::User, &self.content, &[]);
            self.write_state(w);
        });
    }

    /// The field that changes while the item stays.
    pub fn write_state(&self, w: &mut Writer) {
        w.key("send");
        w.object(|w| match &self.state {
            SendState::Sending => w.field("state", "sending"),
            SendState::Queued => w.field("state", "queued"),
            SendState::Failed { code, message } => {
                w.field("state", "failed");
                w.field("code", code);
                w.field("message", message);
            }
        });
    }
}
