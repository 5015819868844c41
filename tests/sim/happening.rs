//! What may happen to a page, and the order of it.

use crate::dsh;
use crate::script::{Asking, Opening, Reading};
use std::cmp::Ordering;
use std::rc::Rc;
use threadfold::follow::{Closed, Command, CommandId, Fetch, Generation, Outcome, ReadError, ReadId};
use threadfold::source::dsh::Answer;
use threadfold::thread::Page;

/// Something that will happen to a page, unless the page is another by then.
pub struct Happening {
    pub at: u64,
    /// Of two at the same time the one that was foreseen first comes first.
    pub order: u64,
    pub client: usize,
    /// The life of the page that it is meant for.
    pub life: u32,
    pub what: What,
}

pub enum What {
    OpenArrives(Generation, Option<Opening>),
    Accepted(Generation),
    Bytes(Generation, Rc<[u8]>),
    Ended(Generation, Closed),
    ReadArrives(Fetch, Option<Reading>),
    ReadAnswered(ReadId, Result<Page, ReadError>),
    AskArrives(CommandId, Command, Option<Asking>),
    AskAnswered(CommandId, Outcome),
    /// Of a dsh host: a text of its stream about all sessions, and calls.
    Text(u32, String),
    CallArrives(dsh::Call),
    CallAnswered(u32, Result<Answer, String>),
    AnimationFrame,
}

impl What {
    /// What becomes of it where there is no network.
    pub fn without_network(self) -> Self {
        let gone = || "there is no network".to_owned();
        match self {
            Self::OpenArrives(generation, _) | Self::Accepted(generation) => Self::Ended(generation, Closed::Lost),
            Self::ReadArrives(fetch, _) => Self::ReadAnswered(fetch.id, Err(ReadError::Network(gone()))),
            Self::ReadAnswered(id, _) => Self::ReadAnswered(id, Err(ReadError::Network(gone()))),
            Self::CallArrives(call) => Self::CallAnswered(call.id(), Err(gone())),
            Self::CallAnswered(id, _) => Self::CallAnswered(id, Err(gone())),
            Self::AskArrives(id, ..) | Self::AskAnswered(id, _) => Self::AskAnswered(id, Outcome::Network(gone())),
            Self::Bytes(..) | Self::Text(..) | Self::Ended(..) | Self::AnimationFrame => self,
        }
    }
}

impl PartialEq for Happening {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for Happening {}

impl PartialOrd for Happening {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Happening {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}
